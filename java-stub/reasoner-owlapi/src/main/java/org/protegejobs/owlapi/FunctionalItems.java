package org.protegejobs.owlapi;

import java.io.IOException;
import java.io.Reader;

/**
 * Counts the items of a capture file without understanding them.
 *
 * <p>This is the proof that a parser dropped nothing: it shares no code with the parser, and knows
 * just literals, IRIs and brackets (a capture has no comments). An item is what stands in {@code
 * Ontology( … )} as {@code Name( … )}: an axiom, an annotation of the ontology, an import.
 */
final class FunctionalItems {
  private final Reader reader;

  private FunctionalItems(Reader reader) {
    this.reader = reader;
  }

  /** The number of items; the reader should be buffered and is read to its end. */
  static long count(Reader reader) throws IOException {
    return new FunctionalItems(reader).count();
  }

  private long count() throws IOException {
    long items = 0;
    int depth = 0;
    for (int c = reader.read(); c >= 0; c = reader.read()) {
      switch (c) {
        case '"':
          skipLiteral();
          break;
        case '<':
          skipUntil('>');
          break;
        case '(':
          depth++;
          items += depth == 2 ? 1 : 0; // a Prefix( … ) has nothing in brackets
          break;
        case ')':
          depth--;
          break;
        default:
          break;
      }
    }
    return items;
  }

  private void skipLiteral() throws IOException {
    for (int c = reader.read(); c >= 0 && c != '"'; c = reader.read()) {
      if (c == '\\') {
        reader.read();
      }
    }
  }

  private void skipUntil(char end) throws IOException {
    int c = reader.read();
    while (c >= 0 && c != end) {
      c = reader.read();
    }
  }
}
