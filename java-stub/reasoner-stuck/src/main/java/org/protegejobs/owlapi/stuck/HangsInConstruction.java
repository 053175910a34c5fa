package org.protegejobs.owlapi.stuck;

/** Hangs while the reasoner is made. */
public final class HangsInConstruction extends StuckFactory {
  /** By the no-argument constructor that every factory has. */
  public HangsInConstruction() {
    super(Trouble.HANG, CONSTRUCTION);
  }
}
