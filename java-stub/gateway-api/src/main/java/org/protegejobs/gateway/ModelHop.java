package org.protegejobs.gateway;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The one way onto the model thread: later, in order, and never waited for without a bound. */
final class ModelHop {
  private ModelHop() {}

  /**
   * Runs work on the model thread and waits for its value. Work that did not begin in time never
   * runs.
   *
   * @throws GatewayError {@code host_unavailable}: the thread was busy for too long, or the window
   *     is closing
   * @throws InterruptedException the caller is to stop
   */
  static <T> T call(OntologyModel model, long timeoutMs, Callable<T> work)
      throws GatewayError, InterruptedException {
    if (model.isClosing()) {
      throw closing();
    }
    FutureTask<T> task = new FutureTask<>(work);
    model.modelThread().execute(task);
    try {
      return task.get(timeoutMs, TimeUnit.MILLISECONDS);
    } catch (TimeoutException error) {
      task.cancel(false);
      throw GatewayError.unavailable("The editor is busy. Try again in a moment.");
    } catch (ExecutionException error) {
      if (error.getCause() instanceof GatewayError) {
        throw (GatewayError) error.getCause();
      }
      throw new IllegalStateException("work on the model thread failed", error.getCause());
    }
  }

  static GatewayError closing() {
    return GatewayError.unavailable("The window is closing.");
  }
}
