package org.protegejobs.elk;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import org.protegejobs.worker.WorkerException;

/** The tokens of a capture, taken one by one from its bytes. */
final class Tokens {

  private final byte[] data;
  private final Names names;
  private final Set<String> constructs = new HashSet<>();
  private int position;

  Tokens(byte[] data, Names names) {
    this.data = data;
    this.names = names;
  }

  /** The names of all constructs that were met where several may stand. */
  Set<String> constructs() {
    return constructs;
  }

  /** How many bytes were read. */
  int position() {
    return position;
  }

  /** The first byte of the next token; 0 at the end. */
  int peek() {
    while (position < data.length) {
      int each = data[position];
      if (each != ' ' && each != '\n' && each != '\r' && each != '\t') {
        return each;
      }
      position++;
    }
    return 0;
  }

  boolean isAtEnd() {
    return peek() == 0;
  }

  /** Whether the next token opens this construct; then it is taken. */
  boolean takesOpening(String construct) {
    peek();
    int length = construct.length();
    if (position + length >= data.length || data[position + length] != '(') {
      return false;
    }
    for (int index = 0; index < length; index++) {
      if (data[position + index] != construct.charAt(index)) {
        return false;
      }
    }
    position += length + 1;
    return true;
  }

  /** The name of a construct, with its opening bracket. */
  String opening() {
    peek();
    int start = position;
    while (position < data.length && isLetter(data[position])) {
      position++;
    }
    String construct = new String(data, start, position - start, StandardCharsets.US_ASCII);
    if (construct.isEmpty()) {
      throw broken("the name of a construct");
    }
    take('(');
    constructs.add(construct);
    return construct;
  }

  /** Takes one character, which must be there. */
  void take(char character) {
    if (peek() != character) {
      throw broken("'" + character + "'");
    }
    position++;
  }

  /** An IRI. */
  Names.Name name() {
    take('<');
    int start = position;
    int hash = 0;
    while (position < data.length && data[position] != '>') {
      hash = 31 * hash + data[position++];
    }
    int length = position - start;
    take('>');
    return names.at(start, length, hash);
  }

  /** The label of an anonymous individual, as it is written. */
  String nodeId() {
    take('_');
    int start = position - 1;
    take(':');
    while (position < data.length
        && data[position] != ' '
        && data[position] != ')'
        && data[position] != '\n') {
      position++;
    }
    return Utf8.decode(data, start, position - start);
  }

  /** A whole number that is not negative; one too large for ELK's type is its largest. */
  int number() {
    peek();
    int start = position;
    long value = 0;
    while (position < data.length && data[position] >= '0' && data[position] <= '9') {
      value = Math.min(10 * value + data[position++] - '0', Integer.MAX_VALUE);
    }
    if (position == start) {
      throw broken("a number");
    }
    return (int) value;
  }

  /** The quoted part of a literal, raw: whatever stands in it, line breaks too. */
  String quoted() {
    take('"');
    int start = position;
    while (position < data.length && data[position] != '"') {
      position += data[position] == '\\' ? 2 : 1;
    }
    int length = Math.min(position, data.length) - start;
    take('"');
    return Utf8.decode(data, start, length);
  }

  /** The language tag when there is one right here; else empty. */
  String language() {
    if (position >= data.length || data[position] != '@') {
      return "";
    }
    int start = ++position;
    while (position < data.length
        && (isLetter(data[position])
            || data[position] == '-'
            || data[position] >= '0' && data[position] <= '9')) {
      position++;
    }
    return new String(data, start, position - start, StandardCharsets.US_ASCII);
  }

  /** Takes the sign of a datatype when there is one right here. */
  boolean takesTypeSign() {
    boolean isThere =
        position + 1 < data.length && data[position] == '^' && data[position + 1] == '^';
    if (isThere) {
      position += 2;
    }
    return isThere;
  }

  /** Passes over all up to the bracket that closes what is open. */
  void skipToClosing() {
    int depth = 1;
    while (position < data.length) {
      switch (data[position]) {
        case '"':
          quotedPassedOver();
          continue;
        case '<':
          while (position < data.length && data[position] != '>') {
            position++;
          }
          break;
        case '(':
          depth++;
          break;
        case ')':
          if (--depth == 0) {
            position++;
            return;
          }
          break;
        default:
          break;
      }
      position++;
    }
    throw broken("')'");
  }

  /**
   * Passes over the comment lines at the start and gives the last one; empty when there is none.
   */
  String comment() {
    String comment = "";
    while (peek() == '#') {
      int start = position;
      while (position < data.length && data[position] != '\n') {
        position++;
      }
      comment = Utf8.decode(data, start, position - start);
    }
    return comment;
  }

  WorkerException broken(String due) {
    return WorkerException.invalidOntology(
        "The captured ontology is damaged at byte " + position + ": " + due + " was due.");
  }

  private void quotedPassedOver() {
    position++;
    while (position < data.length && data[position] != '"') {
      position += data[position] == '\\' ? 2 : 1;
    }
    position++;
  }

  private static boolean isLetter(int character) {
    return character >= 'a' && character <= 'z' || character >= 'A' && character <= 'Z';
  }
}
