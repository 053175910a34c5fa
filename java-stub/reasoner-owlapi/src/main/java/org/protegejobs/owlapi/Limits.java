package org.protegejobs.owlapi;

/** Every bound of this worker, with its unit and where it comes from. */
final class Limits {
  /** Entity expansions of one XML document: the JDK's own default. */
  static final int ENTITY_EXPANSIONS = 64_000;

  /** Characters of a message that leave the worker (ours). */
  static final int MESSAGE_CHARACTERS = 600;

  /** Warnings of one document (ours); more are counted. */
  static final int WARNINGS = 50;

  /** Justifications of one call (the worker protocol). */
  static final int JUSTIFICATIONS = 50;

  /**
   * Nodes of the tree of hitting sets (ours): it can grow beyond all bounds after the last find.
   */
  static final int HITTING_SETS = 5_000;

  private Limits() {}
}
