package org.protegejobs.owlapi.stuck;

/** Hangs at work, whoever interrupts. */
public final class HangsInReasoning extends StuckFactory {
  /** By the no-argument constructor that every factory has. */
  public HangsInReasoning() {
    super(Trouble.HANG, "precomputeInferences");
  }
}
