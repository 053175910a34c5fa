package org.protegejobs.gateway;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * The events of one window, for one backend that polls them.
 *
 * <p>Bounded: an event too many pushes the oldest out, and whoever had not seen that one is told so
 * ({@code lost}). Events of type {@code revision} merge: only the newest is kept, and one that was
 * merged away is not lost. Posting never waits, so it may happen on the model thread.
 */
public final class EventQueue {
  /** How many events are kept. */
  public static final int CAPACITY = 1_000;

  /** The longest that {@link #await} waits. */
  public static final int WAIT_MAX_MS = 25_000;

  private static final String REVISION = "revision";

  private final TreeMap<Long, JsonObject> events = new TreeMap<>();
  private long sequence;
  private long pushedOut;
  private long newestRevision;
  private boolean closed;

  /** Adds an event; after {@link #close} nothing is added any more. */
  public synchronized void post(String type, JsonObject members) {
    if (closed) {
      return;
    }
    sequence++;
    if (type.equals(REVISION)) {
      events.remove(newestRevision);
      newestRevision = sequence;
    }
    JsonObject event = members.deepCopy();
    event.addProperty("sequence", sequence);
    event.addProperty("type", type);
    events.put(sequence, event);
    if (events.size() > CAPACITY) {
      pushedOut = events.pollFirstEntry().getKey();
    }
    notifyAll();
  }

  /** Adds the newest revision. */
  public void postRevision(long revision) {
    JsonObject members = new JsonObject();
    members.addProperty(REVISION, revision);
    post(REVISION, members);
  }

  /** Wakes everyone who waits; what was posted before can still be read. */
  public synchronized void close() {
    closed = true;
    notifyAll();
  }

  /**
   * Waits for events after {@code cursor}, or for the close.
   *
   * @return {@code events}, {@code cursor} (for the next call), {@code lost}, {@code closed}
   * @throws InterruptedException the gateway is shutting its threads down
   */
  public synchronized JsonObject await(long cursor, int timeoutMs) throws InterruptedException {
    long waitMs = Math.max(0, Math.min(timeoutMs, WAIT_MAX_MS));
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(waitMs);
    while (!closed && sequence <= cursor) {
      long leftMs = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
      if (leftMs <= 0) {
        break;
      }
      wait(leftMs);
    }
    JsonArray found = new JsonArray();
    for (Map.Entry<Long, JsonObject> each : events.tailMap(cursor, false).entrySet()) {
      found.add(each.getValue());
    }
    JsonObject answer = new JsonObject();
    answer.add("events", found);
    answer.addProperty("cursor", sequence);
    answer.addProperty("lost", cursor < pushedOut);
    answer.addProperty("closed", closed);
    return answer;
  }
}
