package org.protegejobs.owlapi;

import java.io.Reader;
import java.nio.CharBuffer;

/** Reads decoded text, without the lock that the library's readers take for every character. */
final class TextReader extends Reader {
  private final char[] text;
  private final int end;
  private int at;

  /** A reader of what remains in a buffer, which it leaves as it is. */
  TextReader(CharBuffer buffer) {
    text = buffer.array();
    at = buffer.arrayOffset() + buffer.position();
    end = at + buffer.remaining();
  }

  @Override
  public int read() {
    return at < end ? text[at++] : -1;
  }

  @Override
  public int read(char[] target, int offset, int length) {
    if (at == end) {
      return length == 0 ? 0 : -1;
    }
    int count = Math.min(length, end - at);
    System.arraycopy(text, at, target, offset, count);
    at += count;
    return count;
  }

  @Override
  public void close() {
    // It holds nothing.
  }
}
