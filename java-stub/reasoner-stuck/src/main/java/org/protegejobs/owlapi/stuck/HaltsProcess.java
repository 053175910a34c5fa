package org.protegejobs.owlapi.stuck;

/** Ends the process at work, as a crash does. */
public final class HaltsProcess extends StuckFactory {
  /** By the no-argument constructor that every factory has. */
  public HaltsProcess() {
    super(Trouble.HALT, "precomputeInferences");
  }
}
