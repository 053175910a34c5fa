package org.protegejobs.owlapi;

import java.util.function.Supplier;
import org.protegejobs.worker.WorkerException;
import org.semanticweb.owlapi.functional.parser.OWLFunctionalSyntaxOWLParser;
import org.semanticweb.owlapi.io.OWLParser;
import org.semanticweb.owlapi.manchestersyntax.parser.ManchesterOWLSyntaxOntologyParser;
import org.semanticweb.owlapi.oboformat.OBOFormatOWLAPIParser;
import org.semanticweb.owlapi.owlxml.parser.OWLXMLParser;
import org.semanticweb.owlapi.rdf.rdfxml.parser.RDFXMLParser;
import org.semanticweb.owlapi.rdf.turtle.parser.TurtleOntologyParser;

/** The formats of the protocol, each with its one parser. */
enum DocumentFormat {
  OBO("obo", OBOFormatOWLAPIParser::new, false),
  RDF_XML("rdfxml", RDFXMLParser::new, true),
  TURTLE("turtle", TurtleOntologyParser::new, false),
  OWL_XML("owlxml", OWLXMLParser::new, true),
  FUNCTIONAL("functional", OWLFunctionalSyntaxOWLParser::new, false),
  MANCHESTER("manchester", ManchesterOWLSyntaxOntologyParser::new, false);

  private final String name;
  private final Supplier<OWLParser> parser;
  private final boolean isXml;

  DocumentFormat(String name, Supplier<OWLParser> parser, boolean isXml) {
    this.name = name;
    this.parser = parser;
    this.isXml = isXml;
  }

  /** The format of a name in the protocol. */
  static DocumentFormat named(String name) {
    for (DocumentFormat each : values()) {
      if (each.name.equals(name)) {
        return each;
      }
    }
    throw WorkerException.executionFailed(
        "invalid_order", "The order names a format that this reader does not have.");
  }

  /** A new parser. */
  OWLParser newParser() {
    return parser.get();
  }

  /** Whether the document says its encoding itself. */
  boolean isXml() {
    return isXml;
  }
}
