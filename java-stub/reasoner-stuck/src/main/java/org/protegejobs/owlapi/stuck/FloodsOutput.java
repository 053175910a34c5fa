package org.protegejobs.owlapi.stuck;

/** Prints for ever at work. */
public final class FloodsOutput extends StuckFactory {
  /** By the no-argument constructor that every factory has. */
  public FloodsOutput() {
    super(Trouble.FLOOD, "precomputeInferences");
  }
}
