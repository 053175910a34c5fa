package org.protegejobs.owlapi;

import org.protegejobs.worker.Reporter;
import org.semanticweb.owlapi.reasoner.ReasonerProgressMonitor;

/** Passes on what a reasoner says about its tasks; the fraction is that of the current task. */
final class MonitorBridge implements ReasonerProgressMonitor {
  private final Reporter reporter;
  private final String phase;
  private volatile String task;

  /**
   * A bridge for one phase.
   *
   * @param phase the phase under which tasks are reported
   */
  MonitorBridge(Reporter reporter, String phase) {
    this.reporter = reporter;
    this.phase = phase;
    this.task = "";
  }

  @Override
  public void reasonerTaskStarted(String taskName) {
    task = Messages.clean(taskName == null ? "Reasoning" : taskName);
    reporter.progress(phase, task, null);
  }

  @Override
  public void reasonerTaskStopped() {
    // The next task says what goes on.
  }

  @Override
  public void reasonerTaskProgressChanged(int value, int max) {
    reporter.progress(phase, task, max > 0 ? (double) value / max : null);
  }

  @Override
  public void reasonerTaskBusy() {
    reporter.progress(phase, task, null);
  }
}
