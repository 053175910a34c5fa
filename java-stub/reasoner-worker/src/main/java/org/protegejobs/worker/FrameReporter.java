package org.protegejobs.worker;

import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Sends the reports of one job, from a thread of its own: the computation never waits for a pipe.
 *
 * <p>Invariant: no report leaves once {@link #close} has returned, so none follows the answer.
 */
final class FrameReporter implements Reporter {

  private static final long INTERVAL_MS = 50;
  private static final int MESSAGE_BYTES = 1024;

  private final Channel channel;
  private final List<Runnable> cancelActions = new ArrayList<>();
  private volatile boolean isCancelled;
  private JsonObject pending;
  private boolean isClosed;

  FrameReporter(Channel channel) {
    this.channel = channel;
    WorkerMain.startDaemon("progress", this::sendPending);
  }

  @Override
  public void progress(String phase, String message, Double fraction) {
    JsonObject frame = new JsonObject();
    frame.addProperty("type", "progress");
    frame.addProperty("phase", phase);
    frame.addProperty("message", bounded(message));
    boolean isKnown = fraction != null && !fraction.isNaN();
    frame.add(
        "fraction",
        isKnown ? new JsonPrimitive(Math.max(0, Math.min(1, fraction))) : JsonNull.INSTANCE);
    synchronized (this) {
      pending = frame;
      notifyAll();
    }
  }

  @Override
  public boolean isCancelled() {
    return isCancelled;
  }

  @Override
  public void onCancel(Runnable action) {
    synchronized (cancelActions) {
      if (!isCancelled) {
        cancelActions.add(action);
        return;
      }
    }
    action.run();
  }

  /** A stop was asked for. */
  void cancel() {
    List<Runnable> actions;
    synchronized (cancelActions) {
      isCancelled = true;
      actions = new ArrayList<>(cancelActions);
    }
    actions.forEach(Runnable::run);
  }

  /** Sends nothing more; what waits to be sent is dropped. */
  synchronized void close() {
    isClosed = true;
    notifyAll();
  }

  private void sendPending() {
    try {
      while (true) {
        synchronized (this) {
          while (pending == null && !isClosed) {
            wait();
          }
          if (isClosed) {
            return;
          }
          channel.send(Frames.encode(pending)); // inside the lock, for the sake of the invariant
          pending = null;
        }
        Thread.sleep(INTERVAL_MS);
      }
    } catch (InterruptedException nobodyDoesThat) {
      Thread.currentThread().interrupt();
    }
  }

  private static String bounded(String message) {
    String text = message;
    while (text.getBytes(StandardCharsets.UTF_8).length > MESSAGE_BYTES) {
      int length = Math.min(text.length() - 1, MESSAGE_BYTES);
      text = text.substring(0, length * 3 / 4);
    }
    return text;
  }
}
