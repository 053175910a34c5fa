package org.protegejobs.worker;

import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;

/** A worker whose operations misbehave; {@link WorkerProcessTest} runs it as a process. */
final class WorkerDouble {

  private static volatile boolean isWarm;

  private WorkerDouble() {}

  public static void main(String[] arguments) {
    WorkerMain.serve(
        Map.of(
            "echo", WorkerDouble::echo,
            "deep", (call, reporter) -> new Result(new JsonPrimitive(depth(0)), List.of()),
            "fill", WorkerDouble::fill,
            "fill_aside", WorkerDouble::fillAside,
            "refuse", WorkerDouble::refuse,
            "large", (call, reporter) -> new Result(large(), List.of()),
            "wait", WorkerDouble::waitForCancel,
            "warmed", new Warmed()));
  }

  private static Result echo(Call call, Reporter reporter) throws Exception {
    System.out.println("a library prints");
    reporter.progress("echoing", "grüße", 0.5);
    JsonObject value = call.inputs().deepCopy();
    value.addProperty("read", System.in.read());
    try (ArtifactWriter writer = new ArtifactWriter(call, "echo.txt", "text/plain")) {
      writer.write(call.text("text").getBytes(StandardCharsets.UTF_8));
      return new Result(value, List.of(writer.finish()));
    }
  }

  private static int depth(int level) {
    return depth(level + 1) + 1;
  }

  private static Result fill(Call call, Reporter reporter) {
    List<byte[]> hoard = new ArrayList<>();
    while (true) {
      hoard.add(new byte[1 << 20]);
    }
  }

  private static Result fillAside(Call call, Reporter reporter) throws Exception {
    Thread thread = new Thread(() -> fill(call, reporter));
    thread.start();
    new CountDownLatch(1).await(); // as a reasoner would that waits for its own threads
    return null;
  }

  private static Result refuse(Call call, Reporter reporter) {
    throw WorkerException.refusedInput("DatatypeDefinition", "Not taken.");
  }

  private static JsonPrimitive large() {
    return new JsonPrimitive("x".repeat(2_000_000));
  }

  private static Result waitForCancel(Call call, Reporter reporter) throws Exception {
    CountDownLatch cancelled = new CountDownLatch(1);
    reporter.onCancel(cancelled::countDown);
    reporter.progress("waiting", "", Double.NaN);
    cancelled.await();
    return new Result(new JsonPrimitive(reporter.isCancelled()), List.of());
  }

  private static final class Warmed implements Operation {
    @Override
    public Result run(Call call, Reporter reporter) {
      return new Result(new JsonPrimitive(isWarm), List.of());
    }

    @Override
    public void warm(BooleanSupplier isAwaited) {
      isWarm = true;
    }
  }
}
