package org.protegejobs.hermit;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.protegejobs.owlapi.Messages;
import org.protegejobs.worker.WorkerException;
import org.semanticweb.HermiT.datatypes.MalformedLiteralException;
import org.semanticweb.HermiT.datatypes.UnsupportedDatatypeException;
import org.semanticweb.HermiT.datatypes.UnsupportedFacetException;

/**
 * HermiT says by unchecked exceptions, in words, that an ontology is not in OWL 2 DL. Here these
 * words become the name of the construct.
 */
final class Refusals {
  private static final Pattern DATATYPE = Pattern.compile("The datatype '([^']+)'");
  private static final Pattern LITERAL_TYPE = Pattern.compile("\\^\\^<([^>]+)> is malformed");
  private static final Pattern RESTRICTION = Pattern.compile("(?:restriction) '(\\w+)\\(");
  private static final String OURS = "Internal error";

  private Refusals() {}

  /** The refusal behind a failure; null when it is a breakdown. */
  static WorkerException find(RuntimeException failure) {
    String message = String.valueOf(failure.getMessage());
    if (failure instanceof UnsupportedDatatypeException) {
      String datatype = first(DATATYPE, message, "Datatype");
      return WorkerException.refusedInput(
          datatype,
          "HermiT does not take this ontology: the datatype <"
              + datatype
              + "> is not in the datatype map of OWL 2 and is not defined.");
    }
    if (failure instanceof MalformedLiteralException) {
      return refused(first(LITERAL_TYPE, message, "Literal"), message);
    }
    if (failure instanceof UnsupportedFacetException) {
      return refused("DatatypeRestriction", message);
    }
    if (failure instanceof IllegalArgumentException && !message.startsWith(OURS)) {
      String construct = construct(message);
      return construct == null ? null : refused(construct, message);
    }
    return null;
  }

  private static WorkerException refused(String construct, String message) {
    return WorkerException.refusedInput(
        construct, Messages.clean("HermiT does not take this ontology: " + message));
  }

  private static String construct(String message) {
    for (Words each : Words.ALL) {
      if (message.contains(each.words)) {
        return first(RESTRICTION, message, each.construct);
      }
    }
    return null;
  }

  private static String first(Pattern pattern, String text, String otherwise) {
    Matcher found = pattern.matcher(text);
    return found.find() ? found.group(1) : otherwise;
  }

  /** Words of a message, and what they are about; the first that fits counts. */
  private static final class Words {
    static final List<Words> ALL =
        List.of(
            new Words("property hierarchy is not regular", "ObjectPropertyChain"),
            new Words("asymmetric object property axiom", "AsymmetricObjectProperty"),
            new Words("irreflexive object property axiom", "IrreflexiveObjectProperty"),
            new Words("disjoint properties axiom", "DisjointObjectProperties"),
            new Words("in the cardinality restriction", "ObjectMinCardinality"),
            new Words("in the Self restriction", "ObjectHasSelf"),
            new Words("owl:topDataProperty", "owl:topDataProperty"),
            new Words("anonymous individual", "AnonymousIndividual"),
            new Words("built-in atom", "BuiltInAtom"),
            new Words("rule", "DLSafeRule"),
            new Words("A DisjointClasses axiom", "DisjointClasses"),
            new Words("empty property chain", "ObjectPropertyChain"),
            new Words("atatype restrictions are supported", "DatatypeRestriction"),
            new Words("does not support any facets", "DatatypeRestriction"));

    final String words;
    final String construct;

    Words(String words, String construct) {
      this.words = words;
      this.construct = construct;
    }
  }
}
