package org.protegejobs.owlapi;

import java.util.Collection;
import java.util.SortedSet;
import java.util.TreeSet;

/** What of an ontology a reasoner does not, or not wholly, interpret. */
public final class Scope {
  private final SortedSet<String> constructs;
  private final Long axioms;

  private Scope(Collection<String> constructs, Long axioms) {
    this.constructs = new TreeSet<>(constructs);
    this.axioms = axioms;
  }

  /** The reasoner interprets all. */
  public static Scope whole() {
    return new Scope(new TreeSet<>(), 0L);
  }

  /** Nobody looked into this reasoner: it may ignore anything, and does not say so. */
  public static Scope unknown() {
    return new Scope(new TreeSet<>(), null);
  }

  /**
   * The reasoner ignores some.
   *
   * @param constructs names of OWL constructs or axiom types, as functional syntax spells them
   * @param axioms how many axioms use one of them
   */
  public static Scope partial(Collection<String> constructs, long axioms) {
    return new Scope(constructs, axioms);
  }

  /** Names of OWL constructs, axiom types or datatypes, sorted. */
  public SortedSet<String> constructs() {
    return constructs;
  }

  /** The number of axioms that use one of them; null when it is not known. */
  public Long axioms() {
    return axioms;
  }
}
