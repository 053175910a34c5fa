package org.protegejobs.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The worker as the host meets it: a real process on real pipes. */
@Timeout(60)
class WorkerProcessTest {

  @TempDir Path workDir;
  private Process process;
  private DataInputStream frames;

  @BeforeEach
  void start() throws IOException {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    process =
        new ProcessBuilder(
                List.of(
                    java,
                    "-Xmx64m",
                    "-cp",
                    System.getProperty("java.class.path"),
                    WorkerDouble.class.getName(),
                    "--parent",
                    "1",
                    "--die-with-parent"))
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    frames = new DataInputStream(process.getInputStream());
  }

  @AfterEach
  void end() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  @Test
  void helloNamesProtocolProcessAndOperations() throws IOException {
    JsonObject hello = Frames.read(frames);
    assertEquals("hello", hello.get("type").getAsString());
    assertEquals(1, hello.get("protocol").getAsInt());
    assertEquals(process.pid(), hello.get("pid").getAsLong());
    assertTrue(hello.getAsJsonArray("operations").toString().startsWith("[\"deep\",\"echo\""));
  }

  @Test
  void resultCarriesValueAndArtifactsAndPrintsDoNotTearIt() throws IOException {
    JsonObject inputs = new JsonObject();
    inputs.addProperty("text", "ü \uD83D\uDE00 \uD800");
    JsonObject result = answer("echo", inputs);
    assertEquals("result", result.get("type").getAsString(), result::toString);
    assertEquals(inputs.get("text"), result.getAsJsonObject("value").get("text"));
    assertEquals(-1, result.getAsJsonObject("value").get("read").getAsInt());
    JsonObject artifact = result.getAsJsonArray("artifacts").get(0).getAsJsonObject();
    assertEquals("echo.txt", artifact.get("path").getAsString());
    byte[] written = Files.readAllBytes(workDir.resolve("echo.txt"));
    assertEquals(written.length, artifact.get("bytes").getAsLong());
    assertEquals(
        Digests.hex(Digests.sha256().digest(written)), artifact.get("sha256").getAsString());
  }

  @Test
  void deepRecursionIsAnErrorWithItsKind() throws IOException {
    assertFailure("job_execution_failed", "failure_type", "stack_overflow", "deep");
  }

  @Test
  void outOfMemoryIsToldBeforeTheEnd() throws Exception {
    assertFailure("job_execution_failed", "failure_type", "out_of_memory", "fill");
    assertTrue(process.waitFor(30, TimeUnit.SECONDS));
  }

  @Test
  void outOfMemoryInAnotherThreadIsToldToo() throws Exception {
    assertFailure("job_execution_failed", "failure_type", "out_of_memory", "fill_aside");
    assertTrue(process.waitFor(30, TimeUnit.SECONDS));
  }

  @Test
  void refusalKeepsItsCodeAndConstruct() throws IOException {
    assertFailure("reasoner_refused_input", "construct", "DatatypeDefinition", "refuse");
  }

  @Test
  void unknownOperationIsSaid() throws IOException {
    assertFailure("job_execution_failed", "failure_type", "unknown_operation", "nothing");
  }

  @Test
  void tooLargeValueIsAnError() throws IOException {
    JsonObject error = answer("large", new JsonObject());
    assertEquals("job_result_too_large", error.get("code").getAsString());
  }

  @Test
  void cancelEndsTheProcessWithoutAnAnswer() throws Exception {
    Frames.read(frames);
    send(order("wait", new JsonObject()));
    JsonObject progress = Frames.read(frames);
    assertEquals("waiting", progress.get("phase").getAsString());
    assertTrue(progress.get("fraction").isJsonNull());
    send(typed("cancel"));
    assertNull(Frames.read(frames));
    assertEquals(0, process.waitFor());
  }

  @Test
  void cancelAfterTheAnswerEndsTheProcess() throws Exception {
    answer("warmed", new JsonObject());
    send(typed("cancel"));
    assertEquals(0, process.waitFor());
  }

  @Test
  void warmRunsBeforeTheJob() throws IOException {
    Frames.read(frames);
    send(typed("warm"));
    send(order("warmed", new JsonObject()));
    // The job may come before the warming began; then it is not waited for.
    assertEquals("result", Frames.read(frames).get("type").getAsString());
  }

  @Test
  void endOfInputEndsTheProcess() throws Exception {
    Frames.read(frames);
    send(order("wait", new JsonObject()));
    process.getOutputStream().close();
    assertEquals(0, process.waitFor());
  }

  @Test
  void brokenFrameEndsTheProcess() throws Exception {
    Frames.read(frames);
    process.getOutputStream().write(new byte[] {(byte) 0xff, 0, 0, 0});
    process.getOutputStream().flush();
    assertEquals(0, process.waitFor());
  }

  private void assertFailure(String code, String key, String detail, String operation)
      throws IOException {
    JsonObject error = answer(operation, new JsonObject());
    assertEquals("error", error.get("type").getAsString());
    assertEquals(code, error.get("code").getAsString());
    assertEquals(detail, error.getAsJsonObject("details").get(key).getAsString());
    assertFalse(error.get("retryable").getAsBoolean());
  }

  /** The frame after the hello and after all progress. */
  private JsonObject answer(String operation, JsonObject inputs) throws IOException {
    Frames.read(frames);
    send(order(operation, inputs));
    List<JsonObject> seen = new ArrayList<>();
    do {
      seen.add(Frames.read(frames));
    } while ("progress".equals(seen.get(seen.size() - 1).get("type").getAsString()));
    return seen.get(seen.size() - 1);
  }

  private JsonObject order(String operation, JsonObject inputs) {
    JsonObject frame = typed("run");
    frame.addProperty("operation", operation);
    frame.addProperty("version", 1);
    frame.add("inputs", inputs);
    frame.addProperty("work_dir", workDir.toString());
    frame.add("memory_bytes", com.google.gson.JsonNull.INSTANCE);
    frame.addProperty("steps_back", true);
    return frame;
  }

  private static JsonObject typed(String type) {
    JsonObject frame = new JsonObject();
    frame.addProperty("type", type);
    return frame;
  }

  private void send(JsonObject frame) throws IOException {
    process.getOutputStream().write(Frames.encode(frame));
    process.getOutputStream().flush();
  }
}
