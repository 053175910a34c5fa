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
  private Report pending;
  private boolean isClosed;

  FrameReporter(Channel channel) {
    this.channel = channel;
    WorkerMain.startDaemon("progress", this::sendPending);
  }

  @Override
  public void progress(String phase, String message, Double fraction) {
    Report report = new Report(phase, message, fraction); // all else is done for those that leave
    synchronized (this) {
      pending = report;
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

  /** Sends the newest report, if it waits yet, and nothing more. */
  synchronized void close() {
    isClosed = true;
    if (pending != null) {
      channel.send(Frames.encode(pending.frame()));
      pending = null;
    }
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
          channel.send(
              Frames.encode(pending.frame())); // inside the lock, for the sake of the invariant
          pending = null;
        }
        Thread.sleep(INTERVAL_MS);
      }
    } catch (InterruptedException nobodyDoesThat) {
      Thread.currentThread().interrupt();
    }
  }

  private static final class Report {
    private final String phase;
    private final String message;
    private final Double fraction;

    Report(String phase, String message, Double fraction) {
      this.phase = phase;
      this.message = message;
      this.fraction = fraction;
    }

    JsonObject frame() {
      JsonObject frame = new JsonObject();
      frame.addProperty("type", "progress");
      frame.addProperty("phase", bounded(phase));
      frame.addProperty("message", bounded(message));
      boolean isUsable = fraction != null && fraction >= 0 && fraction <= 1;
      frame.add("fraction", isUsable ? new JsonPrimitive(fraction) : JsonNull.INSTANCE);
      return frame;
    }

    private static String bounded(String text) {
      if (text.length() * 3 <= MESSAGE_BYTES) {
        return text;
      }
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      int end = Math.min(bytes.length, MESSAGE_BYTES);
      while (end < bytes.length && (bytes[end] & 0xC0) == 0x80) {
        end--; // not inside a character
      }
      return new String(bytes, 0, end, StandardCharsets.UTF_8);
    }
  }
}
