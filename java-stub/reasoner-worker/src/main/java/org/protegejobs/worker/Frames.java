package org.protegejobs.worker;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** The codec of the wire: four bytes of length, big-endian, then one JSON object in ASCII. */
final class Frames {

  static final int RECEIVED_BYTES = 16 * 1024 * 1024;
  static final int SENT_BYTES = 2 * 1024 * 1024;

  private static final int HEADER_BYTES = 4;

  private Frames() {}

  /** Header and body; null when the body is above {@link #SENT_BYTES}. */
  static byte[] encode(JsonObject frame) {
    byte[] body = ascii(frame);
    if (body.length > SENT_BYTES) {
      return null;
    }
    byte[] whole = new byte[HEADER_BYTES + body.length];
    for (int index = 0; index < HEADER_BYTES; index++) {
      whole[index] = (byte) (body.length >>> 8 * (HEADER_BYTES - 1 - index));
    }
    System.arraycopy(body, 0, whole, HEADER_BYTES, body.length);
    return whole;
  }

  /** The next whole frame; null at the end of the stream between two frames. */
  static JsonObject read(DataInputStream stream) throws IOException {
    int first = stream.read();
    if (first < 0) {
      return null;
    }
    int size = first << 24 | stream.readUnsignedByte() << 16 | stream.readUnsignedShort();
    if (size < 2 || size > RECEIVED_BYTES) {
      throw new IOException("a frame claims " + Integer.toUnsignedString(size) + " bytes");
    }
    byte[] body = stream.readNBytes(size);
    if (body.length < size) {
      throw new EOFException("the stream ended inside a frame");
    }
    try {
      JsonElement value = JsonParser.parseString(new String(body, StandardCharsets.UTF_8));
      if (value.isJsonObject()) {
        return value.getAsJsonObject();
      }
    } catch (JsonParseException error) {
      throw new IOException("a frame is no JSON", error);
    }
    throw new IOException("a frame is no JSON object");
  }

  /**
   * JSON with ASCII escapes, so that a lone surrogate of a hostile document stays representable.
   */
  static byte[] ascii(JsonElement value) {
    String text = value.toString();
    StringBuilder escaped = null; // most texts need none
    for (int index = 0; index < text.length(); index++) {
      char each = text.charAt(index);
      if (each < 0x7f) {
        if (escaped != null) {
          escaped.append(each);
        }
        continue;
      }
      if (escaped == null) {
        escaped = new StringBuilder(text.length() + 64).append(text, 0, index);
      }
      // Beyond ASCII nothing but the inside of a JSON string can stand, so an escape is right.
      escaped.append("\\u").append(hexadecimal(each));
    }
    return (escaped == null ? text : escaped.toString()).getBytes(StandardCharsets.US_ASCII);
  }

  static String hexadecimal(char value) {
    String digits = Integer.toHexString(value);
    return "0000".substring(digits.length()) + digits;
  }
}
