package org.protegejobs.owlapi.stuck;

/** Exits the process at work. */
public final class ExitsProcess extends StuckFactory {
  /** By the no-argument constructor that every factory has. */
  public ExitsProcess() {
    super(Trouble.EXIT, "precomputeInferences");
  }
}
