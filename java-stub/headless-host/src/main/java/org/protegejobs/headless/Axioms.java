package org.protegejobs.headless;

import java.util.Set;
import org.semanticweb.owlapi.apibinding.OWLManager;
import org.semanticweb.owlapi.io.StringDocumentSource;
import org.semanticweb.owlapi.model.OWLAxiom;
import org.semanticweb.owlapi.model.OWLOntologyCreationException;

/** Axioms from text, parsed away from the model. */
final class Axioms {
  private static final String HEAD =
      "Prefix(owl:=<http://www.w3.org/2002/07/owl#>)\n"
          + "Prefix(rdfs:=<http://www.w3.org/2000/01/rdf-schema#>)\n"
          + "Prefix(xsd:=<http://www.w3.org/2001/XMLSchema#>)\n"
          + "Ontology(\n";

  private Axioms() {}

  /**
   * The axioms in a text in functional syntax.
   *
   * @throws OWLOntologyCreationException it cannot be parsed
   */
  static Set<OWLAxiom> parse(String text) throws OWLOntologyCreationException {
    return OWLManager.createOWLOntologyManager()
        .loadOntologyFromOntologyDocument(new StringDocumentSource(HEAD + text + "\n)"))
        .getAxioms();
  }
}
