package org.protegejobs.owlapi;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.CharBuffer;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Looks over an OBO document for what its parser loses or misreads without an error: instance
 * frames (it stops reading there), quotes that are not closed, as where a file was cut off, and
 * lines that go on in the next one.
 */
final class OboGuard {
  private static final Set<String> STANZAS = Set.of("[Term]", "[Typedef]");
  private static final Set<String> QUOTED =
      Set.of(
          "def",
          "synonym",
          "exact_synonym",
          "narrow_synonym",
          "broad_synonym",
          "related_synonym",
          "xref",
          "subsetdef",
          "synonymtypedef",
          "idspace",
          "property_value",
          "expand_assertion_to",
          "expand_expression_to");

  private OboGuard() {}

  /**
   * Refuses a document of which something would be lost.
   *
   * @param warnings hears what may be a fault
   * @throws org.protegejobs.worker.WorkerException {@code invalid_ontology} with the line
   */
  static void check(CharBuffer text, Consumer<String> warnings) throws IOException {
    BufferedReader lines = new BufferedReader(new TextReader(text));
    boolean hasOntology = false;
    boolean hasStanza = false;
    int number = 0;
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      number++;
      String stripped = line.strip();
      if (stripped.startsWith("[")) {
        hasStanza = true;
        checkStanza(number, stripped);
        continue;
      }
      hasOntology |= !hasStanza && stripped.startsWith("ontology:");
      checkLine(number, stripped);
    }
    if (!hasOntology) {
      warnings.accept(
          "The header has no ontology tag; the ontology is named after the placeholder TEMP.");
    }
    if (text.hasRemaining() && text.charAt(text.remaining() - 1) != '\n') {
      warnings.accept("The last line has no end; the document may have been cut off.");
    }
  }

  private static void checkStanza(int number, String line) {
    int end = line.indexOf(']');
    String stanza = end < 0 ? line : line.substring(0, end + 1);
    if (!STANZAS.contains(stanza)) {
      throw Faults.at(
          number, "the OBO reader does not take the stanza " + Messages.clean(stanza) + ".");
    }
  }

  private static void checkLine(int number, String line) {
    int colon = line.indexOf(':');
    if (colon < 0 || line.startsWith("!")) {
      return;
    }
    if (line.substring(0, colon).strip().contains(" ")) {
      throw Faults.at(number, "a tag has no spaces: " + Messages.clean(line.substring(0, colon)));
    }
    if (QUOTED.contains(line.substring(0, colon)) && isOpen(line, colon + 1)) {
      throw Faults.at(number, "a quote is not closed; the document may have been cut off.");
    }
    if (isContinued(line)) {
      throw Faults.at(number, "the line ends in a backslash, and the OBO reader joins no lines.");
    }
  }

  private static boolean isOpen(String line, int from) {
    boolean isOpen = false;
    for (int at = from; at < line.length(); at++) {
      char c = line.charAt(at);
      if (c == '\\') {
        at++;
      } else if (c == '"') {
        isOpen = !isOpen;
      } else if (c == '!' && !isOpen && line.charAt(at - 1) == ' ') {
        return false; // a comment
      }
    }
    return isOpen;
  }

  private static boolean isContinued(String line) {
    int backslashes = 0;
    while (backslashes < line.length() && line.charAt(line.length() - 1 - backslashes) == '\\') {
      backslashes++;
    }
    return backslashes % 2 == 1;
  }
}
