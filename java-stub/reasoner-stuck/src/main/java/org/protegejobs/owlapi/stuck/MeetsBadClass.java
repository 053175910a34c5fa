package org.protegejobs.owlapi.stuck;

/** Meets a class file that is none. */
public final class MeetsBadClass extends StuckFactory {
  /** By the no-argument constructor that every factory has. */
  public MeetsBadClass() {
    super(Trouble.BAD_CLASS, "precomputeInferences");
  }
}
