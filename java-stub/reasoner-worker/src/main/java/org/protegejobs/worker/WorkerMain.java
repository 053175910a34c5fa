package org.protegejobs.worker;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The life of a worker: greet, perhaps warm up, run one job, answer, wait to be ended.
 *
 * <p>Invariants: one answer leaves at most, and nothing after it; the end of standard input ends
 * the process whatever its other threads do.
 */
public final class WorkerMain {

  /** The version of the frames. */
  public static final int PROTOCOL = 1;

  private static final int VALUE_BYTES = 1024 * 1024;

  // Only address space until it is used. Reasoners and parsers recurse as deep as expressions nest.
  private static final long STACK_BYTES = 256L * 1024 * 1024;

  private static final byte[] OUT_OF_MEMORY =
      Frames.encode(
          error(
              WorkerException.executionFailed(
                  "out_of_memory", "The job needs more memory than a worker may have.")));

  private static final long LEAVING_MS = 1000;

  private static final int SUPPORTED_VERSION = 1;

  private final Map<String, Operation> operations;
  private final Channel channel;
  private final FrameReporter reporter;
  private final BlockingQueue<JsonObject> inbox = new LinkedBlockingQueue<>();
  private final CountDownLatch hasLeft = new CountDownLatch(1);
  private final AtomicBoolean isAnswered = new AtomicBoolean();

  private WorkerMain(Map<String, Operation> operations) {
    this.operations = operations;
    this.channel = Channel.take();
    this.reporter = new FrameReporter(channel);
  }

  /**
   * Serves these operations, by their names, for one job. Never returns: the process is ended by
   * the host, by the end of standard input, or by the job's own failure of memory.
   */
  public static void serve(Map<String, Operation> operations) {
    WorkerMain worker = new WorkerMain(Map.copyOf(operations));
    Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> worker.uncaught(failure));
    startDaemon("host", worker::listen);
    worker.greet();
    Thread job = new Thread(null, worker::work, "job", STACK_BYTES);
    job.start();
    while (true) {
      try {
        job.join();
        Thread.currentThread().join(); // for ever: the host ends this process
      } catch (InterruptedException nobodyDoesThat) {
        System.err.println("worker: the main thread was interrupted");
      }
    }
  }

  static void startDaemon(String name, Runnable task) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    thread.start();
  }

  private void greet() {
    JsonObject hello = new JsonObject();
    hello.addProperty("type", "hello");
    hello.addProperty("protocol", PROTOCOL);
    hello.addProperty("pid", ProcessHandle.current().pid());
    JsonArray names = new JsonArray();
    new TreeSet<>(operations.keySet()).forEach(names::add);
    hello.add("operations", names);
    channel.send(Frames.encode(hello));
  }

  private void listen() {
    for (JsonObject frame = channel.receive(); frame != null; frame = channel.receive()) {
      if (isOfType(frame, "cancel")) {
        startDaemon("cancel", reporter::cancel); // an action that blocks must not keep this thread
        if (hasLeftSoon()) {
          break;
        }
      } else {
        inbox.add(frame);
      }
    }
    Runtime.getRuntime().halt(0);
  }

  /**
   * Waits a moment for the operation to leave on being asked, and does not read in the meantime:
   * {@code halt} waits 300 ms for a thread that sits in a read, and the host kills us after 100.
   */
  private boolean hasLeftSoon() {
    try {
      return hasLeft.await(LEAVING_MS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException nobodyDoesThat) {
      return false;
    }
  }

  /** Ends the process after the operation left on being asked to. */
  private void endAsked() {
    hasLeft.countDown();
    Runtime.getRuntime().halt(0);
  }

  private void work() {
    byte[] answer;
    try {
      JsonObject frame = inbox.take();
      while (isOfType(frame, "warm") || isOfType(frame, "ahead")) {
        warm(frame.has("wholly"));
        frame = inbox.take();
      }
      answer = result(run(Call.of(frame)));
    } catch (WorkerException failure) {
      answer = Frames.encode(error(failure));
    } catch (OutOfMemoryError failure) {
      endWithoutMemory();
      return;
    } catch (Throwable failure) { // the worker's one door: whatever an operation does is a frame
      if (reporter.isCancelled()) {
        endAsked(); // how it left interests nobody
      }
      answer = Frames.encode(error(unforeseen(failure)));
    }
    answer(answer);
  }

  /** Warms up until a job comes; wholly, for a rehearsal that records which classes a job needs. */
  private void warm(boolean isWhole) {
    for (Operation operation : operations.values()) {
      if (!isWhole && !inbox.isEmpty()) {
        return;
      }
      try {
        operation.warm(() -> isWhole || !inbox.isEmpty());
      } catch (RuntimeException | LinkageError failure) {
        failure.printStackTrace();
      }
    }
  }

  private Result run(Call call) throws Exception {
    Operation operation = operations.get(call.operation());
    if (operation == null || call.version() != SUPPORTED_VERSION) {
      throw WorkerException.executionFailed(
          "unknown_operation",
          "This worker knows no operation '"
              + call.operation()
              + "' of version "
              + call.version()
              + ".");
    }
    return operation.run(call, reporter);
  }

  /** Sends the one answer, unless a stop was asked for: then the process ends at once instead. */
  private void answer(byte[] frame) {
    if (reporter.isCancelled()) {
      endAsked();
    }
    if (isAnswered.compareAndSet(false, true)) {
      reporter.close();
      channel.send(frame);
      hasLeft.countDown(); // a cancel that crosses the answer ends the process at once
    }
  }

  private void uncaught(Throwable failure) {
    if (failure instanceof OutOfMemoryError) {
      endWithoutMemory(); // a thread of the reasoner died of it; its others might wait for ever
      return;
    }
    failure.printStackTrace();
  }

  private void endWithoutMemory() {
    answer(OUT_OF_MEMORY);
    System.err.println("worker: out of memory");
    Runtime.getRuntime().halt(3);
  }

  private static byte[] result(Result result) {
    byte[] value = Frames.ascii(result.value());
    if (value.length > VALUE_BYTES) {
      throw tooLarge(value.length);
    }
    JsonObject frame = new JsonObject();
    frame.addProperty("type", "result");
    frame.add("value", result.value());
    JsonArray rows = new JsonArray();
    for (Artifact artifact : result.artifacts()) {
      JsonObject row = new JsonObject();
      row.addProperty("name", artifact.name());
      row.addProperty("media_type", artifact.mediaType());
      row.addProperty("path", artifact.path().getFileName().toString());
      row.addProperty("sha256", artifact.sha256());
      row.addProperty("bytes", artifact.sizeBytes());
      rows.add(row);
    }
    frame.add("artifacts", rows);
    byte[] encoded = Frames.encode(frame);
    if (encoded == null) {
      throw tooLarge(value.length);
    }
    return encoded;
  }

  private static WorkerException tooLarge(int bytes) {
    JsonObject details = new JsonObject();
    details.addProperty("bytes", bytes);
    details.addProperty("limit", VALUE_BYTES);
    return new WorkerException(
        "job_result_too_large",
        "The result has " + bytes + " bytes; at most " + VALUE_BYTES + " are kept.",
        false,
        details);
  }

  private static WorkerException unforeseen(Throwable failure) {
    if (failure instanceof StackOverflowError) {
      System.err.println("worker: stack overflow at " + failure.getStackTrace()[0]);
      return WorkerException.executionFailed(
          "stack_overflow",
          "An expression of the ontology is nested too deeply for this operation.");
    }
    failure.printStackTrace(); // for the host's tail of standard error; a caller sees the kind only
    if (failure instanceof java.io.IOException
        && String.valueOf(failure.getMessage()).contains("No space left")) {
      return new WorkerException(
          "job_storage_failed",
          "The disk that holds the private files is full.",
          true,
          new JsonObject());
    }
    String kind = failure.getClass().getSimpleName();
    return WorkerException.executionFailed(
        kind, "The operation ended in an unforeseen way (" + kind + ").");
  }

  private static JsonObject error(WorkerException failure) {
    JsonObject frame = new JsonObject();
    frame.addProperty("type", "error");
    frame.addProperty("code", failure.code());
    frame.addProperty("message", failure.getMessage());
    frame.addProperty("retryable", failure.isRetryable());
    frame.add("details", failure.details());
    return frame;
  }

  private static boolean isOfType(JsonObject frame, String type) {
    return frame.has("type")
        && frame.get("type").isJsonPrimitive()
        && type.equals(frame.get("type").getAsString());
  }
}
