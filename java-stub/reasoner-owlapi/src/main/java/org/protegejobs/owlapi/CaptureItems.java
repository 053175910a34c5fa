package org.protegejobs.owlapi;

import java.nio.CharBuffer;
import java.util.Arrays;

/**
 * The items of a capture file, told apart without understanding them.
 *
 * <p>This is the proof that a parser dropped nothing: it shares no code with the parser, and knows
 * just literals, IRIs and brackets (a capture has no comments). An item is what stands in {@code
 * Ontology( … )} as {@code Name( … )}.
 *
 * <p>Items without a logical meaning can be blanked out first, since in most ontologies they are
 * the larger part and the slowest to read.
 */
final class CaptureItems {
  private static final String[] NOT_LOGICAL = {
    "Annotation", "SubAnnotationPropertyOf", "Declaration(AnnotationProperty("
  };

  private final char[] text;
  private final int end;
  private int at;
  private long logical;
  private long others;

  private CaptureItems(CharBuffer buffer) {
    text = buffer.array();
    at = buffer.arrayOffset() + buffer.position();
    end = at + buffer.remaining();
  }

  /** Counts the items, and blanks out, in the buffer itself, those without a logical meaning. */
  static CaptureItems keepLogical(CharBuffer buffer) {
    CaptureItems items = new CaptureItems(buffer);
    items.scan();
    return items;
  }

  /** How many items have a logical meaning or declare an entity that may have one. */
  long logical() {
    return logical;
  }

  /** How many items there are. */
  long all() {
    return logical + others;
  }

  private void scan() {
    int depth = 0;
    int nameStart = -1;
    int itemStart = -1;
    for (; at < end; at++) {
      char c = text[at];
      if (c == '"') {
        skipLiteral();
      } else if (c == '<') {
        skipTo('>');
      } else if (c == '(') {
        depth++;
        if (depth == 2) {
          itemStart = nameStart;
        }
        nameStart = -1;
      } else if (c == ')') {
        depth--;
        if (depth == 1) {
          count(itemStart);
        }
        nameStart = -1;
      } else if (Character.isWhitespace(c)) {
        nameStart = -1;
      } else if (nameStart < 0) {
        nameStart = at;
      }
    }
  }

  private void count(int itemStart) {
    for (String each : NOT_LOGICAL) {
      if (startsWith(itemStart, each)) {
        others++;
        Arrays.fill(text, itemStart, at + 1, ' ');
        return;
      }
    }
    logical++;
  }

  private boolean startsWith(int start, String word) {
    if (start < 0 || start + word.length() > end) {
      return false;
    }
    for (int index = 0; index < word.length(); index++) {
      if (text[start + index] != word.charAt(index)) {
        return false;
      }
    }
    return true;
  }

  private void skipLiteral() {
    for (at++; at < end && text[at] != '"'; at++) {
      if (text[at] == '\\') {
        at++;
      }
    }
  }

  private void skipTo(char last) {
    while (at < end && text[at] != last) {
      at++;
    }
  }
}
