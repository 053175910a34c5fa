package org.protegejobs.elk4;

import com.google.gson.JsonObject;
import org.protegejobs.owlapi.ReasonerAdapter;
import org.protegejobs.owlapi.Scope;
import org.semanticweb.elk.owlapi.ElkReasonerFactory;
import org.semanticweb.owlapi.model.OWLOntology;

/**
 * ELK takes any ontology and leaves out what it does not know, with a line in its log. What that is
 * is found here by looking at the axioms.
 */
public final class Elk4Adapter implements ReasonerAdapter {

  @Override
  public String factoryClass() {
    return ElkReasonerFactory.class.getName();
  }

  @Override
  public Scope scope(OWLOntology ontology, JsonObject settings) {
    return Elk4Scope.of(ontology);
  }
}
