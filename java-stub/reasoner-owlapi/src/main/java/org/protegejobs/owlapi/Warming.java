package org.protegejobs.owlapi;

import java.io.IOException;
import java.nio.CharBuffer;
import org.semanticweb.owlapi.reasoner.InferenceType;
import org.semanticweb.owlapi.reasoner.NullReasonerProgressMonitor;
import org.semanticweb.owlapi.reasoner.OWLReasoner;

/**
 * Does a tiny job with every reasoner on the class path, so that a real one finds it all loaded.
 */
final class Warming {
  private static final String TINY =
      "Ontology(\n"
          + "Declaration(Class(<urn:warm:A>))\n"
          + "SubClassOf(<urn:warm:A> ObjectSomeValuesFrom(<urn:warm:p> <urn:warm:B>))\n"
          + "AnnotationAssertion(<urn:warm:label> <urn:warm:A> \"a\")\n"
          + "ClassAssertion(<urn:warm:A> <urn:warm:i>)\n"
          + ")\n";

  private Warming() {}

  /** Loads what a job would; a failure is left for the job to find. */
  static void run() {
    try {
      Capture capture = Capture.parse(CharBuffer.wrap(TINY.toCharArray()));
      for (ReasonerAdapter each : ReasonerChoice.adapters()) {
        OWLReasoner reasoner =
            ReasonerChoice.plain(each.factoryClass())
                .create(capture.ontology(), new NullReasonerProgressMonitor());
        reasoner.precomputeInferences(InferenceType.CLASS_HIERARCHY);
        reasoner.getBottomClassNode();
        reasoner.dispose();
      }
    } catch (IOException | RuntimeException | LinkageError error) {
      System.err.println("worker: warming failed: " + error);
    }
  }
}
