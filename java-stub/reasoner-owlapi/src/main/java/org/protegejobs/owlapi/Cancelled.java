package org.protegejobs.owlapi;

import org.protegejobs.worker.Reporter;
import org.protegejobs.worker.WorkerException;

/** Leaving an operation because a stop was asked for. */
final class Cancelled {
  private Cancelled() {}

  /** Throws when a stop was asked for. Whoever asked does not wait for what is answered. */
  static void check(Reporter reporter) {
    if (reporter.isCancelled()) {
      throw WorkerException.executionFailed("cancelled", "The operation was cancelled.");
    }
  }
}
