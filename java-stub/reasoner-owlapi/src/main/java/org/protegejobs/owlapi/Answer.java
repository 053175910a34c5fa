package org.protegejobs.owlapi;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.protegejobs.worker.AnswerWriter;
import org.protegejobs.worker.Artifact;
import org.protegejobs.worker.Call;
import org.protegejobs.worker.Reporter;
import org.semanticweb.owlapi.model.OWLClass;
import org.semanticweb.owlapi.model.OWLDataFactory;
import org.semanticweb.owlapi.model.OWLDataProperty;
import org.semanticweb.owlapi.model.OWLNamedIndividual;
import org.semanticweb.owlapi.model.OWLObject;
import org.semanticweb.owlapi.model.OWLOntology;
import org.semanticweb.owlapi.reasoner.Node;
import org.semanticweb.owlapi.reasoner.NodeSet;
import org.semanticweb.owlapi.reasoner.OWLReasoner;

/** What a reasoner that has done its work says of a consistent ontology, section by section. */
final class Answer {
  static final String CLASSES = "classes";
  static final String OBJECT_PROPERTIES = "object_properties";
  static final String DATA_PROPERTIES = "data_properties";
  static final String INDIVIDUALS = "individuals";

  private final OWLReasoner reasoner;
  private final OWLOntology ontology;
  private final OWLDataFactory names;
  private final Steps steps;
  private final List<Hierarchy<?>> hierarchies = new ArrayList<>();
  private final List<Collection<String>> individuals = new ArrayList<>();
  private final List<int[]> types = new ArrayList<>();
  private final List<String> unsupported = new ArrayList<>();
  private boolean hasIndividuals;

  private Answer(OWLReasoner reasoner, OWLOntology ontology, Reporter reporter, int total) {
    this.reasoner = reasoner;
    this.ontology = ontology;
    this.names = ontology.getOWLOntologyManager().getOWLDataFactory();
    this.steps = new Steps(reporter, total);
  }

  /**
   * Asks for the wanted sections. The classes are always there, because the individuals refer to
   * them; what the reasoner does not implement is named in {@link #unsupported}.
   */
  static Answer ask(
      OWLReasoner reasoner, OWLOntology ontology, Collection<String> wants, Reporter reporter) {
    int total =
        2 * (ontology.getClassesInSignature().size() + 2)
            + 2 * ontology.getObjectPropertiesInSignature().size()
            + 2 * ontology.getDataPropertiesInSignature().size()
            + ontology.getIndividualsInSignature().size();
    Answer answer = new Answer(reasoner, ontology, reporter, total);
    Hierarchy<OWLClass> classes = answer.classes();
    answer.hierarchies.add(classes);
    answer.askIf(wants.contains(OBJECT_PROPERTIES), OBJECT_PROPERTIES, answer::objectProperties);
    answer.askIf(wants.contains(DATA_PROPERTIES), DATA_PROPERTIES, answer::dataProperties);
    answer.askIf(wants.contains(INDIVIDUALS), INDIVIDUALS, () -> answer.individuals(classes));
    return answer;
  }

  /** The wanted sections that this reasoner cannot give. */
  List<String> unsupported() {
    return unsupported;
  }

  /** Writes the artifact. */
  Artifact write(Call call) throws IOException {
    try (AnswerWriter writer = new AnswerWriter(call)) {
      for (Hierarchy<?> each : hierarchies) {
        each.write(writer);
      }
      if (hasIndividuals) {
        writer.openIndividuals(individuals.size());
        for (int number = 0; number < individuals.size(); number++) {
          writer.node(individuals.get(number), types.get(number));
        }
      }
      return writer.finish();
    }
  }

  private void askIf(boolean isWanted, String section, Runnable question) {
    if (!isWanted) {
      return;
    }
    try {
      question.run();
    } catch (UnsupportedOperationException error) {
      unsupported.add(section);
    }
  }

  private Hierarchy<OWLClass> classes() {
    steps.about("Reading the class hierarchy");
    return new Hierarchy<>(
        CLASSES,
        ontology.getClassesInSignature(),
        names.getOWLThing(),
        names.getOWLNothing(),
        new Hierarchy.Source<>() {
          @Override
          public Collection<OWLClass> equivalents(OWLClass entity) {
            return reasoner.getEquivalentClasses(entity).getEntities();
          }

          @Override
          public Collection<OWLClass> parents(OWLClass entity) {
            return representatives(reasoner.getSuperClasses(entity, true));
          }
        },
        steps);
  }

  private void objectProperties() {
    steps.about("Reading the hierarchy of object properties");
    hierarchies.add(
        new Hierarchy<>(
            OBJECT_PROPERTIES,
            ontology.getObjectPropertiesInSignature(),
            names.getOWLTopObjectProperty(),
            names.getOWLBottomObjectProperty(),
            new NamedProperties(reasoner),
            steps));
  }

  private void dataProperties() {
    steps.about("Reading the hierarchy of data properties");
    hierarchies.add(
        new Hierarchy<>(
            DATA_PROPERTIES,
            ontology.getDataPropertiesInSignature(),
            names.getOWLTopDataProperty(),
            names.getOWLBottomDataProperty(),
            new Hierarchy.Source<>() {
              @Override
              public Collection<OWLDataProperty> equivalents(OWLDataProperty entity) {
                return reasoner.getEquivalentDataProperties(entity).getEntities();
              }

              @Override
              public Collection<OWLDataProperty> parents(OWLDataProperty entity) {
                return representatives(reasoner.getSuperDataProperties(entity, true));
              }
            },
            steps));
  }

  private void individuals(Hierarchy<OWLClass> classes) {
    steps.about("Reading the types of individuals");
    for (Set<OWLNamedIndividual> same : sameIndividuals()) {
      individuals.add(Hierarchy.iris(same));
      types.add(
          representatives(reasoner.getTypes(same.iterator().next(), true)).stream()
              .mapToInt(classes::number)
              .sorted()
              .toArray());
    }
    hasIndividuals = true;
  }

  /**
   * The groups of individuals that are the same. HermiT 1.4.3.456 names only some of a group to one
   * member and others to another, so what it says to any of them holds for all.
   */
  private Set<Set<OWLNamedIndividual>> sameIndividuals() {
    Map<OWLNamedIndividual, Set<OWLNamedIndividual>> groups = new LinkedHashMap<>();
    for (OWLNamedIndividual each : ontology.getIndividualsInSignature()) {
      steps.next();
      join(groups, each, reasoner.getSameIndividuals(each).getEntities());
    }
    return new LinkedHashSet<>(groups.values()); // the groups are disjoint
  }

  /** Puts the others into the group of one, with all that are in theirs. */
  private static <E> void join(Map<E, Set<E>> groups, E one, Set<E> others) {
    Set<E> group = groups.computeIfAbsent(one, key -> new LinkedHashSet<>(Set.of(key)));
    for (E other : others) {
      if (group.contains(other)) {
        continue;
      }
      Set<E> theirs = groups.getOrDefault(other, Set.of(other));
      group.addAll(theirs);
      theirs.forEach(each -> groups.put(each, group));
    }
  }

  private static <E extends OWLObject> List<E> representatives(NodeSet<E> nodes) {
    List<E> found = new ArrayList<>();
    for (Node<E> each : nodes) {
      if (each.getSize() > 0) { // JFact answers with empty ones among the others
        found.add(each.getRepresentativeElement());
      }
    }
    return found;
  }
}
