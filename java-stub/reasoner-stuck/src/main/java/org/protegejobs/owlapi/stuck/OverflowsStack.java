package org.protegejobs.owlapi.stuck;

/** Recurses without end at work. */
public final class OverflowsStack extends StuckFactory {
  /** By the no-argument constructor that every factory has. */
  public OverflowsStack() {
    super(Trouble.OVERFLOW, "precomputeInferences");
  }
}
