package org.protegejobs.worker;

import com.google.gson.JsonObject;

/** Measures the steps of an operation, one after the other, for its {@code timings_ms}. */
public final class Stopwatch {

  private final JsonObject timings = new JsonObject();
  private long startedAt = System.nanoTime();

  /** Ends a step, which began where the last one ended, and says how long it took. */
  public long lap(String step) {
    long now = System.nanoTime();
    long milliseconds = Math.round((now - startedAt) / 1e6);
    startedAt = now;
    timings.addProperty(step, milliseconds);
    return milliseconds;
  }

  /** The steps so far in milliseconds. */
  public JsonObject toJson() {
    return timings;
  }
}
