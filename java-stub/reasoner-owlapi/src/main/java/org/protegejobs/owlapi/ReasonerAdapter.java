package org.protegejobs.owlapi;

import com.google.gson.JsonObject;
import java.util.Set;
import java.util.TreeSet;
import org.protegejobs.worker.WorkerException;
import org.semanticweb.owlapi.model.OWLOntology;
import org.semanticweb.owlapi.reasoner.OWLReasonerConfiguration;
import org.semanticweb.owlapi.reasoner.ReasonerProgressMonitor;
import org.semanticweb.owlapi.reasoner.SimpleConfiguration;

/**
 * What is particular about one reasoner. A service ({@link java.util.ServiceLoader}) in the module
 * that puts the reasoner on the class path; a reasoner without one is used plainly.
 */
public interface ReasonerAdapter {

  /** The factory that this adapter is for. */
  String factoryClass();

  /**
   * The configuration for one reasoner.
   *
   * @param settings the settings of the profile that this adapter knows; it refuses the others by
   *     {@link #refuseUnknown}, because a setting that is silently dropped gives another answer
   */
  default OWLReasonerConfiguration configuration(
      JsonObject settings, ReasonerProgressMonitor monitor) {
    refuseUnknown(settings);
    return new SimpleConfiguration(monitor);
  }

  /** What of the ontology the reasoner leaves out, found by looking at the axioms. */
  default Scope scope(OWLOntology ontology, JsonObject settings) {
    return Scope.unknown();
  }

  /**
   * Translates the reasoner's way of saying that it does not take this input.
   *
   * @return null when the failure is something else
   */
  default WorkerException findRefusal(RuntimeException failure, OWLOntology ontology) {
    return null;
  }

  /** Refuses every setting but the known ones. */
  static void refuseUnknown(JsonObject settings, String... known) {
    Set<String> unknown = new TreeSet<>(settings.keySet());
    unknown.removeAll(Set.of(known));
    if (!unknown.isEmpty()) {
      throw WorkerException.executionFailed(
          "unknown_settings",
          "The worker does not know these settings of the reasoner: " + unknown);
    }
  }
}
