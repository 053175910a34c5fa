package org.protegejobs.owlapi;

import org.protegejobs.worker.Reporter;

/** Counts the questions of an enumeration: says how far it is, and stops when that is asked for. */
final class Steps {
  private static final int REPORT_EVERY = 256;

  private final Reporter reporter;
  private final int total;
  private String message = "";
  private int done;

  /** Steps of which about {@code total} will be taken. */
  Steps(Reporter reporter, int total) {
    this.reporter = reporter;
    this.total = Math.max(1, total);
  }

  /** What the next steps are about. */
  void about(String nextMessage) {
    message = nextMessage;
    reporter.progress("enumerating", message, fraction());
  }

  /** The next question is about to be asked. */
  void next() {
    if (++done % REPORT_EVERY == 0) {
      reporter.progress("enumerating", message, fraction());
    }
    Cancelled.check(reporter);
  }

  private double fraction() {
    return Math.min(1.0, (double) done / total);
  }
}
