package org.protegejobs.owlapi;

import com.google.gson.JsonObject;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.obolibrary.oboformat.parser.OBOFormatParserException;
import org.protegejobs.worker.WorkerException;
import org.semanticweb.owlapi.io.OWLParserException;
import org.xml.sax.SAXParseException;

/** Faults of a document, told with the line wherever a parser knows it. */
final class Faults {
  private static final Pattern LINE = Pattern.compile("(?i)\\bline(?:no:)? ?(?:number )?(\\d+)");

  private Faults() {}

  /** A fault found by us. */
  static WorkerException at(int line, String message) {
    JsonObject details = new JsonObject();
    details.addProperty("line", line);
    return new WorkerException("invalid_ontology", "Line " + line + ": " + message, false, details);
  }

  /** A fault found by a parser of the OWL API. */
  static WorkerException of(Throwable failure) {
    for (Throwable each = failure; each != null; each = each.getCause()) {
      if (each instanceof OBOFormatParserException) {
        return obo((OBOFormatParserException) each);
      }
      if (each instanceof SAXParseException) {
        return at(((SAXParseException) each).getLineNumber(), Messages.of(each));
      }
      if (each instanceof OWLParserException && ((OWLParserException) each).getLineNumber() > 0) {
        return at(((OWLParserException) each).getLineNumber(), Messages.of(each));
      }
    }
    String message = Messages.of(failure);
    Matcher line = LINE.matcher(message);
    if (line.find()) {
      return at(Integer.parseInt(line.group(1)), message);
    }
    return WorkerException.invalidOntology("The document cannot be read: " + message);
  }

  private static WorkerException obo(OBOFormatParserException failure) {
    String message = failure.getMessage();
    String prefix = "LINENO: " + failure.getLineNo() + " - ";
    String text = message.startsWith(prefix) ? message.substring(prefix.length()) : message;
    return at(failure.getLineNo(), Messages.clean(text));
  }
}
