package org.protegejobs.worker;

/** How an operation speaks, and hears, while it runs. All methods may be called from any thread. */
public interface Reporter {

  /**
   * Says what is being done. Cheap: it never waits for the host, at most 20 reports a second leave,
   * and the newest wins.
   *
   * @param fraction how much of the whole job is done, 0 to 1; null when that is not known
   */
  void progress(String phase, String message, Double fraction);

  /** Whether a stop was asked for; an operation that sees it may return or throw at once. */
  boolean isCancelled();

  /**
   * Has an action run when a stop is asked for, at once when it already was. It must be quick: the
   * process is killed 100 ms after the request whatever is done.
   */
  void onCancel(Runnable action);
}
