package org.protegejobs.owlapi;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.protegejobs.worker.AnswerWriter;
import org.protegejobs.worker.WorkerException;
import org.semanticweb.owlapi.model.OWLEntity;

/**
 * One hierarchy as a reasoner tells it, asked entity by entity, so that a cancel is heard between
 * any two questions.
 *
 * @param <E> the kind of entity
 */
final class Hierarchy<E extends OWLEntity> {

  /**
   * The questions to the reasoner.
   *
   * @param <E> the kind of entity
   */
  interface Source<E> {
    /** The entities that are equivalent to one; named ones only. */
    Collection<E> equivalents(E entity);

    /** One named member of each direct parent node. */
    Collection<E> parents(E entity);
  }

  private static final int[] NONE = {};

  private final String section;
  private final Source<E> source;
  private final Map<E, Integer> numbers = new HashMap<>();
  private final List<List<E>> nodes = new ArrayList<>();
  private final List<int[]> parents = new ArrayList<>();
  private final int top;
  private final int bottom;

  /**
   * Asks for the whole hierarchy.
   *
   * @param entities every entity that must have its place
   */
  Hierarchy(
      String section, Collection<E> entities, E top, E bottom, Source<E> source, Steps steps) {
    this.section = section;
    this.source = source;
    this.top = place(top);
    this.bottom = place(bottom);
    for (E each : entities) {
      steps.next();
      place(each);
    }
    for (int number = 0; number < nodes.size(); number++) {
      steps.next();
      parents.add(number == this.top || number == this.bottom ? NONE : findParents(number));
    }
  }

  /** The number of the node that an entity is in. */
  int number(E entity) {
    Integer number = numbers.get(entity);
    if (number == null) {
      throw WorkerException.executionFailed(
          "inconsistent_answer", "The reasoner named an entity that it does not group anywhere.");
    }
    return number;
  }

  /** Writes the section. */
  void write(AnswerWriter writer) throws IOException {
    writer.openHierarchy(section, nodes.size(), top, bottom);
    for (int number = 0; number < nodes.size(); number++) {
      writer.node(iris(nodes.get(number)), parents.get(number));
    }
  }

  /** IRIs in order, so that equal answers are equal bytes as far as the reasoner allows. */
  static Collection<String> iris(Collection<? extends OWLEntity> entities) {
    Collection<String> iris = new TreeSet<>();
    for (OWLEntity each : entities) {
      iris.add(each.getIRI().toString());
    }
    return iris;
  }

  private int place(E entity) {
    Integer known = numbers.get(entity);
    if (known != null) {
      return known;
    }
    List<E> members = new ArrayList<>(source.equivalents(entity));
    if (!members.contains(entity)) {
      members.add(entity); // a reasoner that does not know the entity at all
    }
    int number = nodes.size();
    for (E each : members) {
      numbers.put(each, number);
    }
    nodes.add(members);
    return number;
  }

  private int[] findParents(int number) {
    Collection<Integer> above = new TreeSet<>();
    for (E each : source.parents(nodes.get(number).get(0))) {
      above.add(number(each));
    }
    if (above.size() > 1) {
      above.remove(top); // JFact names it beside the others
    }
    if (above.isEmpty()) {
      above.add(top);
    }
    return above.stream().mapToInt(Integer::intValue).toArray();
  }
}
