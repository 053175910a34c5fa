package org.protegejobs.owlapi.stuck;

/** Hangs when its hierarchy is read. */
public final class HangsInEnumeration extends StuckFactory {
  /** By the no-argument constructor that every factory has. */
  public HangsInEnumeration() {
    super(Trouble.HANG, "getSuperClasses", "getSubClasses");
  }
}
