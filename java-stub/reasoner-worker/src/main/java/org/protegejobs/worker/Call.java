package org.protegejobs.worker;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;

/**
 * One order to run one operation. A missing or ill-typed input is the host's defect, and said so.
 */
public final class Call {

  private static final int BUFFER_BYTES = 256 * 1024;

  private final String operation;
  private final int version;
  private final JsonObject inputs;
  private final Path workDir;

  /** An order; the working folder exists and is private to it. */
  public Call(String operation, int version, JsonObject inputs, Path workDir) {
    this.operation = operation;
    this.version = version;
    this.inputs = inputs;
    this.workDir = workDir;
  }

  static Call of(JsonObject frame) {
    Call shape = new Call("run", 1, frame, Path.of(""));
    if (!"run".equals(shape.text("type"))) {
      throw broken("a run frame was due");
    }
    return new Call(
        shape.text("operation"),
        shape.integer("version"),
        shape.object("inputs"),
        Path.of(shape.text("work_dir")));
  }

  /** The name of the operation. */
  public String operation() {
    return operation;
  }

  /** The version of the operation's contract that the host speaks. */
  public int version() {
    return version;
  }

  /** The inputs as they came. */
  public JsonObject inputs() {
    return inputs;
  }

  /** The only folder that may be written to. */
  public Path workDir() {
    return workDir;
  }

  /** A text among the inputs. */
  public String text(String key) {
    JsonElement value = inputs.get(key);
    if (value == null || !value.isJsonPrimitive() || !value.getAsJsonPrimitive().isString()) {
      throw broken("the input " + key + " is no text");
    }
    return value.getAsString();
  }

  /** A whole number among the inputs. */
  public int integer(String key) {
    JsonElement value = inputs.get(key);
    if (value == null || !value.isJsonPrimitive() || !value.getAsJsonPrimitive().isNumber()) {
      throw broken("the input " + key + " is no number");
    }
    try {
      return value.getAsBigDecimal().intValueExact();
    } catch (ArithmeticException | NumberFormatException error) {
      throw broken("the input " + key + " is no whole number");
    }
  }

  /** A list of texts among the inputs. */
  public List<String> texts(String key) {
    JsonElement value = inputs.get(key);
    if (value == null || !value.isJsonArray()) {
      throw broken("the input " + key + " is no list");
    }
    JsonArray array = value.getAsJsonArray();
    List<String> texts = new ArrayList<>(array.size());
    for (JsonElement each : array) {
      if (!each.isJsonPrimitive() || !each.getAsJsonPrimitive().isString()) {
        throw broken("the input " + key + " is no list of texts");
      }
      texts.add(each.getAsString());
    }
    return texts;
  }

  /** An object among the inputs. */
  public JsonObject object(String key) {
    JsonElement value = inputs.get(key);
    if (value == null || !value.isJsonObject()) {
      throw broken("the input " + key + " is no object");
    }
    return value.getAsJsonObject();
  }

  /**
   * A file among the inputs, after its bytes were found to have the digest {@code <key>_sha256}.
   * For libraries that want to open it themselves; {@link #inputBytes} leaves no moment in between.
   */
  public Path inputFile(String key) throws IOException {
    Path file = Path.of(text(key));
    MessageDigest digest = Digests.sha256();
    byte[] buffer = new byte[BUFFER_BYTES];
    try (InputStream stream = Files.newInputStream(file)) {
      for (int count = stream.read(buffer); count >= 0; count = stream.read(buffer)) {
        digest.update(buffer, 0, count);
      }
    }
    check(key, digest);
    return file;
  }

  /** The bytes of a file among the inputs, which have the digest {@code <key>_sha256}. */
  public byte[] inputBytes(String key) throws IOException {
    byte[] bytes = Files.readAllBytes(Path.of(text(key)));
    MessageDigest digest = Digests.sha256();
    digest.update(bytes);
    check(key, digest);
    return bytes;
  }

  private void check(String key, MessageDigest digest) {
    if (!Digests.hex(digest.digest()).equals(text(key + "_sha256"))) {
      throw WorkerException.executionFailed(
          "input_changed", "An input file does not have the bytes it was captured with.");
    }
  }

  private static WorkerException broken(String what) {
    return WorkerException.executionFailed(
        "invalid_order", "The order to this worker is not well-formed: " + what + ".");
  }
}
