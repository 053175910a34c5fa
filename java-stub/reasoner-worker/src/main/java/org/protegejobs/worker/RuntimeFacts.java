package org.protegejobs.worker;

import com.google.gson.JsonObject;

/** What is recorded of the machine a job ran on; it is no part of the job's identity. */
public final class RuntimeFacts {

  private RuntimeFacts() {}

  /** Adds {@code runtime} and {@code heap_used_bytes} to an operation's value. */
  public static void describe(JsonObject value) {
    value.addProperty(
        "runtime",
        System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version"));
    // Not by the management beans: loading those costs more than all the rest of an answer.
    Runtime runtime = Runtime.getRuntime();
    value.addProperty("heap_used_bytes", runtime.totalMemory() - runtime.freeMemory());
  }
}
