package org.protegejobs.worker;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CallTest {

  @TempDir Path folder;

  @Test
  void fileIsGivenWithTheBytesOfItsDigest() throws IOException {
    byte[] bytes = {1, 2, 3};
    Call call = callWith(bytes, Digests.hex(Digests.sha256().digest(bytes)));
    assertEquals(folder.resolve("a file.ofn"), call.inputFile("capture"));
    assertArrayEquals(bytes, call.inputBytes("capture"));
  }

  @Test
  void fileWithOtherBytesIsRefused() throws IOException {
    Call call = callWith(new byte[] {1}, "00");
    assertEquals(
        "input_changed",
        assertThrows(WorkerException.class, () -> call.inputFile("capture"))
            .details()
            .get("failure_type")
            .getAsString());
    assertThrows(WorkerException.class, () -> call.inputBytes("capture"));
  }

  @Test
  void illTypedInputIsTheHostsDefect() {
    JsonObject inputs = new JsonObject();
    inputs.addProperty("limit", 1.5);
    Call call = new Call("explain", 1, inputs, folder);
    assertThrows(WorkerException.class, () -> call.integer("limit"));
    assertThrows(WorkerException.class, () -> call.text("limit"));
    assertThrows(WorkerException.class, () -> call.texts("limit"));
    assertThrows(WorkerException.class, () -> call.object("absent"));
  }

  private Call callWith(byte[] bytes, String sha256) throws IOException {
    Path file = Files.write(folder.resolve("a file.ofn"), bytes);
    JsonObject inputs = new JsonObject();
    inputs.addProperty("capture", file.toString());
    inputs.addProperty("capture_sha256", sha256);
    return new Call("reason", 1, inputs, folder);
  }
}
