package org.protegejobs.elk;

import org.protegejobs.worker.Reporter;
import org.semanticweb.elk.reasoner.ProgressMonitor;

/** ELK's own progress as fractions of the whole job, never backwards. */
final class Progress implements ProgressMonitor {

  private final Reporter reporter;
  private volatile Share share = Share.CONSISTENCY;
  private volatile String message = "Reasoning";
  private double reached;

  Progress(Reporter reporter) {
    this.reporter = reporter;
  }

  /** What is asked for next. */
  void enter(Share next) {
    share = next;
    tell(0, 1);
  }

  @Override
  public void start(String stage) {
    message = stage;
    tell(0, 1);
  }

  @Override
  public void report(int state, int maxState) {
    tell(state, maxState);
  }

  @Override
  public void finish() {}

  private synchronized void tell(int done, int total) {
    reached = Math.max(reached, share.at(done, total));
    reporter.progress("reasoning", message, reached);
  }
}
