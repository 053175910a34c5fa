package org.protegejobs.hermit;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import org.protegejobs.owlapi.ReasonerAdapter;
import org.protegejobs.owlapi.Scope;
import org.protegejobs.worker.WorkerException;
import org.semanticweb.HermiT.Configuration;
import org.semanticweb.HermiT.ReasonerFactory;
import org.semanticweb.owlapi.model.OWLOntology;
import org.semanticweb.owlapi.reasoner.OWLReasonerConfiguration;
import org.semanticweb.owlapi.reasoner.ReasonerProgressMonitor;

/**
 * HermiT takes an ontology whole or refuses it.
 *
 * <p>The one exception is a choice: with the setting {@code ignore_unsupported_datatypes} it treats
 * a datatype outside the OWL 2 map as one it knows nothing about. By default it refuses, because an
 * answer that left something out looks like one that did not.
 */
public final class HermitAdapter implements ReasonerAdapter {
  private static final String IGNORE = "ignore_unsupported_datatypes";

  @Override
  public String factoryClass() {
    return ReasonerFactory.class.getName();
  }

  @Override
  public OWLReasonerConfiguration configuration(
      JsonObject settings, ReasonerProgressMonitor monitor) {
    ReasonerAdapter.refuseUnknown(settings, IGNORE);
    Configuration configuration = new Configuration();
    configuration.reasonerProgressMonitor = monitor;
    configuration.ignoreUnsupportedDatatypes = isIgnoring(settings);
    return configuration;
  }

  @Override
  public Scope scope(OWLOntology ontology, JsonObject settings) {
    return isIgnoring(settings) ? Datatypes.unsupported(ontology) : Scope.whole();
  }

  @Override
  public WorkerException findRefusal(RuntimeException failure, OWLOntology ontology) {
    return Refusals.find(failure);
  }

  private static boolean isIgnoring(JsonObject settings) {
    JsonElement value = settings.get(IGNORE);
    return value != null && value.getAsBoolean();
  }
}
