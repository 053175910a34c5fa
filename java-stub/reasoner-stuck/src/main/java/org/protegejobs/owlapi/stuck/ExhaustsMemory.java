package org.protegejobs.owlapi.stuck;

/** Takes all memory at work. */
public final class ExhaustsMemory extends StuckFactory {
  /** By the no-argument constructor that every factory has. */
  public ExhaustsMemory() {
    super(Trouble.EXHAUST, "precomputeInferences");
  }
}
