package org.protegejobs.elk;

import java.nio.charset.StandardCharsets;

/**
 * UTF-8 as a capture has it: lone surrogates stand as three bytes each. Java's own decoder would
 * make all of them one replacement character, and two names would become one.
 */
final class Utf8 {

  private static final int SURROGATE_LEAD = 0xED;

  private Utf8() {}

  static String decode(byte[] data, int start, int length) {
    for (int index = start; index < start + length; index++) {
      if ((data[index] & 0xff) == SURROGATE_LEAD) {
        return decodeSurrogates(data, start, length);
      }
    }
    return new String(data, start, length, StandardCharsets.UTF_8);
  }

  private static String decodeSurrogates(byte[] data, int start, int length) {
    StringBuilder text = new StringBuilder(length);
    int from = start;
    int end = start + length;
    for (int index = start; index < end; index++) {
      if ((data[index] & 0xff) == SURROGATE_LEAD && index + 2 < end) {
        text.append(new String(data, from, index - from, StandardCharsets.UTF_8));
        text.append((char) (0xD000 | (data[index + 1] & 0x3f) << 6 | (data[index + 2] & 0x3f)));
        index += 2;
        from = index + 1;
      }
    }
    return text.append(new String(data, from, end - from, StandardCharsets.UTF_8)).toString();
  }
}
