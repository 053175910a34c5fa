package org.protegejobs.elk;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.protegejobs.worker.AnswerWriter;
import org.semanticweb.elk.owl.interfaces.ElkClass;
import org.semanticweb.elk.owl.interfaces.ElkEntity;
import org.semanticweb.elk.owl.interfaces.ElkNamedIndividual;
import org.semanticweb.elk.reasoner.taxonomy.model.InstanceNode;
import org.semanticweb.elk.reasoner.taxonomy.model.InstanceTaxonomy;
import org.semanticweb.elk.reasoner.taxonomy.model.Node;
import org.semanticweb.elk.reasoner.taxonomy.model.Taxonomy;
import org.semanticweb.elk.reasoner.taxonomy.model.TaxonomyNode;

/** Writes ELK's taxonomies in the form of the protocol. */
final class Answer {

  private static final int[] NONE = {};

  private final AnswerWriter writer;
  private Map<String, Integer> classNumbers = Map.of();

  Answer(AnswerWriter writer) {
    this.writer = writer;
  }

  void writeClasses(Taxonomy<ElkClass> taxonomy) throws IOException {
    classNumbers = writeHierarchy("classes", taxonomy);
  }

  /** A hierarchy; the result is the number of each node by the IRI of its canonical member. */
  <T extends ElkEntity> Map<String, Integer> writeHierarchy(String section, Taxonomy<T> taxonomy)
      throws IOException {
    List<TaxonomyNode<T>> nodes = new ArrayList<>(taxonomy.getNodes());
    Map<String, Integer> numbers = new HashMap<>(nodes.size() * 2);
    for (TaxonomyNode<T> node : nodes) {
      numbers.put(key(node), numbers.size());
    }
    String bottom = key(taxonomy.getBottomNode());
    writer.openHierarchy(
        section, nodes.size(), numbers.get(key(taxonomy.getTopNode())), numbers.get(bottom));
    for (TaxonomyNode<T> node : nodes) {
      boolean isBottom = key(node).equals(bottom);
      writer.node(iris(node), isBottom ? NONE : numbers(node.getDirectSuperNodes(), numbers));
    }
    return numbers;
  }

  /**
   * Individuals with their direct types, those that are the same in one node; after the classes.
   */
  void writeIndividuals(
      InstanceTaxonomy<ElkClass, ElkNamedIndividual> taxonomy, SameIndividuals same)
      throws IOException {
    List<InstanceNode<ElkClass, ElkNamedIndividual>> first = new ArrayList<>();
    for (InstanceNode<ElkClass, ElkNamedIndividual> node : taxonomy.getInstanceNodes()) {
      if (same.of(key(node)).get(0).equals(key(node))) {
        first.add(node);
      }
    }
    writer.openIndividuals(first.size());
    for (InstanceNode<ElkClass, ElkNamedIndividual> node : first) {
      writer.node(same.of(key(node)), numbers(node.getDirectTypeNodes(), classNumbers));
    }
  }

  private static <T extends ElkEntity> int[] numbers(
      Set<? extends Node<T>> nodes, Map<String, Integer> numbers) {
    int[] found = new int[nodes.size()];
    int count = 0;
    for (Node<T> node : nodes) {
      found[count++] = numbers.get(key(node));
    }
    return found;
  }

  private static <T extends ElkEntity> List<String> iris(Node<T> node) {
    List<String> iris = new ArrayList<>(node.size());
    for (T member : node) {
      iris.add(member.getIri().getFullIriAsString());
    }
    return iris;
  }

  private static <T extends ElkEntity> String key(Node<T> node) {
    return node.getCanonicalMember().getIri().getFullIriAsString();
  }
}
