package org.protegejobs.gateway;

import java.util.Map;
import java.util.TreeMap;
import org.semanticweb.owlapi.formats.PrefixDocumentFormat;
import org.semanticweb.owlapi.model.OWLDocumentFormat;

/** How a document is written, in the words of the contract. */
final class DocumentFormats {
  private static final Map<String, String> NAMES =
      Map.ofEntries(
          Map.entry("RDFXMLDocumentFormat", "rdfxml"),
          Map.entry("RioRDFXMLDocumentFormat", "rdfxml"),
          Map.entry("TurtleDocumentFormat", "turtle"),
          Map.entry("RioTurtleDocumentFormat", "turtle"),
          Map.entry("NTriplesDocumentFormat", "ntriples"),
          Map.entry("OWLXMLDocumentFormat", "owlxml"),
          Map.entry("FunctionalSyntaxDocumentFormat", "functional"),
          Map.entry("ManchesterSyntaxDocumentFormat", "manchester"),
          Map.entry("OBODocumentFormat", "obo"));

  private DocumentFormats() {}

  /**
   * The name; null when the contract has none for it. By class name, so that no class is loaded.
   */
  static String nameOf(OWLDocumentFormat format) {
    return format == null ? null : NAMES.get(format.getClass().getSimpleName());
  }

  /** Prefix names without the colon. */
  static Map<String, String> prefixesOf(OWLDocumentFormat format) {
    Map<String, String> found = new TreeMap<>();
    if (format instanceof PrefixDocumentFormat) {
      PrefixDocumentFormat prefixed = (PrefixDocumentFormat) format;
      prefixed
          .getPrefixName2PrefixMap()
          .forEach((name, iri) -> found.put(name.substring(0, name.length() - 1), iri));
    }
    return found;
  }
}
