package org.protegejobs.gateway;

import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.semanticweb.owlapi.apibinding.OWLManager;
import org.semanticweb.owlapi.io.StringDocumentSource;
import org.semanticweb.owlapi.model.AddAxiom;
import org.semanticweb.owlapi.model.OWLDataFactory;
import org.semanticweb.owlapi.model.OWLOntology;
import org.semanticweb.owlapi.model.OWLOntologyCreationException;
import org.semanticweb.owlapi.model.OWLOntologyManager;

/** A model with a thread of its own and one ontology in a concurrent manager. */
final class TestModel implements OntologyModel, AutoCloseable {
  final ExecutorService thread = Executors.newSingleThreadExecutor();
  final OWLOntologyManager manager = OWLManager.createConcurrentOWLOntologyManager();
  final OWLOntology active;
  final AtomicLong revision = new AtomicLong(1);
  volatile boolean isClosing;

  /** Runs between the copy and the second look, on the model thread. */
  volatile Runnable beforeLook = () -> {};

  TestModel(String axioms) throws OWLOntologyCreationException {
    active =
        manager.loadOntologyFromOntologyDocument(
            new StringDocumentSource("Ontology(<urn:o>\n" + axioms + "\n)"));
    manager.addOntologyChangeListener(changes -> revision.incrementAndGet());
  }

  /** One edit on the calling thread. */
  void addClass(String iri) {
    OWLDataFactory factory = manager.getOWLDataFactory();
    manager.applyChange(
        new AddAxiom(
            active,
            factory.getOWLDeclarationAxiom(
                factory.getOWLClass(org.semanticweb.owlapi.model.IRI.create(iri)))));
  }

  @Override
  public Executor modelThread() {
    return thread;
  }

  @Override
  public long revision() {
    return revision.get();
  }

  @Override
  public boolean isClosing() {
    return isClosing;
  }

  @Override
  public OWLOntology activeOntology() {
    beforeLook.run();
    return active;
  }

  @Override
  public String title() {
    return "test";
  }

  @Override
  public boolean isDirty() {
    return false;
  }

  @Override
  public Optional<SelectedReasoner> selectedReasoner() {
    return Optional.empty();
  }

  @Override
  public String hostName() {
    return "headless";
  }

  @Override
  public String hostVersion() {
    return "test";
  }

  @Override
  public String windowId() {
    return "w";
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
