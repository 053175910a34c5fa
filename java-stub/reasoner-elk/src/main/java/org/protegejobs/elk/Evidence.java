package org.protegejobs.elk;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.semanticweb.elk.owl.interfaces.ElkAxiom;
import org.semanticweb.elk.owl.interfaces.ElkDatatypeDefinitionAxiom;
import org.semanticweb.elk.reasoner.completeness.Feature;
import org.semanticweb.elk.reasoner.completeness.IncompletenessMonitor;
import org.semanticweb.elk.reasoner.completeness.OccurrenceListener;
import org.semanticweb.elk.reasoner.completeness.OccurrenceManager;
import org.semanticweb.elk.reasoner.completeness.OccurrenceRegistry;
import org.semanticweb.elk.reasoner.completeness.TopIncompletenessMonitor;
import org.slf4j.Logger;

/**
 * What ELK met and did not, or not wholly, interpret: its own evidence, as values.
 *
 * <p>ELK itself only tells a logger, and at most five reasons. So we listen to the same
 * occurrences, and ask the same monitors: which features a monitor looks at, it says by asking for
 * their counts.
 */
final class Evidence implements OccurrenceListener {

  private static final String RULE = "DLSafeRule"; // as functional syntax, and our reader, call it

  private static final Set<String> PUT_BY_ELK = Set.of("ObjectUnionOf", "ObjectHasValue");

  private static final List<String> RANGE_RESTRICTION =
      List.of("ObjectPropertyChain", "ObjectPropertyRange");

  private final RangeRestriction ranges = new RangeRestriction();
  private final OccurrenceRegistry counts = new OccurrenceRegistry();
  private final Map<Set<Feature>, Long> axioms = new HashMap<>();
  private Set<Feature> current = EnumSet.noneOf(Feature.class);

  @Override
  public void occurrenceChanged(Feature feature, int increment) {
    counts.occurrenceChanged(feature, increment);
    current.add(feature);
  }

  /** What is heard from now on occurs in this axiom. */
  void beginAxiom(ElkAxiom axiom) {
    ranges.add(axiom);
    if (axiom instanceof ElkDatatypeDefinitionAxiom) {
      occurrenceChanged(Feature.DATATYPE_DEFINITION, 1); // ELK 0.6.0 drops it without a word
    }
  }

  /** What was heard since the begin occurred in that axiom. */
  void endAxiom() {
    if (!current.isEmpty()) {
      axioms.merge(current, 1L, Long::sum);
      current = EnumSet.noneOf(Feature.class);
    }
  }

  /**
   * The names of the constructs for which answers may be incomplete.
   *
   * @param written the constructs that the ontology uses: ELK puts some axioms in terms of others
   *     (a nominal of two as a union, an assertion as a value restriction), which nobody would find
   */
  SortedSet<String> reasons(Set<String> written) {
    SortedSet<String> names = new TreeSet<>();
    for (Feature feature : features()) {
      names.add(feature == Feature.SWRL_RULE ? RULE : feature.getConstructor());
    }
    if (ranges.broken() > 0) {
      names.addAll(RANGE_RESTRICTION);
    }
    SortedSet<String> found = new TreeSet<>(names);
    found.removeIf(each -> PUT_BY_ELK.contains(each) && !written.contains(each));
    return found.isEmpty() ? names : found;
  }

  /** How many axioms have an occurrence that is part of a reason, or break a restriction. */
  long axiomsConcerned() {
    Set<Feature> reasons = features();
    long sum = ranges.broken();
    for (Map.Entry<Set<Feature>, Long> entry : axioms.entrySet()) {
      if (entry.getKey().stream().anyMatch(reasons::contains)) {
        sum += entry.getValue();
      }
    }
    return sum;
  }

  private Set<Feature> features() {
    Asked asked = new Asked();
    Set<Feature> found = EnumSet.noneOf(Feature.class);
    for (IncompletenessMonitor monitor : TopIncompletenessMonitor.getMonitors(asked)) {
      asked.features.clear();
      if (monitor.isIncompletenessDetected()) {
        found.addAll(asked.features);
      }
    }
    return found;
  }

  /** Answers with our counts and remembers what was asked for. */
  private final class Asked implements OccurrenceManager {
    private final List<Feature> features = new ArrayList<>();

    @Override
    public int getOccurrenceCount(Feature feature) {
      features.add(feature);
      return counts.getOccurrenceCount(feature);
    }

    @Override
    public void logOccurrences(Feature feature, Logger logger) {}

    @Override
    public boolean hasNewOccurrencesOf(Feature feature) {
      return false;
    }
  }
}
