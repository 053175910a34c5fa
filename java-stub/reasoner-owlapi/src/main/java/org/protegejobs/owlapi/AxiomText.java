package org.protegejobs.owlapi;

import java.io.StringWriter;
import org.semanticweb.owlapi.functional.renderer.FunctionalSyntaxObjectRenderer;
import org.semanticweb.owlapi.model.OWLObject;
import org.semanticweb.owlapi.model.OWLOntology;
import org.semanticweb.owlapi.util.DefaultPrefixManager;

/** Axioms as functional syntax with full IRIs. Line breaks are in literals only. For one thread. */
final class AxiomText {
  private final StringWriter buffer = new StringWriter();
  private final FunctionalSyntaxObjectRenderer renderer;

  /** A renderer of axioms of an ontology. */
  AxiomText(OWLOntology ontology) {
    renderer = new FunctionalSyntaxObjectRenderer(ontology, null, buffer);
    DefaultPrefixManager none = new DefaultPrefixManager();
    none.clear();
    renderer.setPrefixManager(none);
  }

  /** The text of an axiom or annotation. */
  String of(OWLObject object) {
    buffer.getBuffer().setLength(0);
    object.accept(renderer);
    return buffer.toString().strip();
  }
}
