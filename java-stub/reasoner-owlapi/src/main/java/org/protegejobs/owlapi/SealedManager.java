package org.protegejobs.owlapi;

import org.semanticweb.owlapi.model.AddAxiom;
import org.semanticweb.owlapi.model.IRI;
import org.semanticweb.owlapi.model.OWLImportsDeclaration;
import org.semanticweb.owlapi.model.OWLMutableOntology;
import org.semanticweb.owlapi.model.OWLOntology;
import org.semanticweb.owlapi.model.OWLOntologyChange;
import org.semanticweb.owlapi.model.OWLOntologyChangeBroadcastStrategy;
import org.semanticweb.owlapi.model.OWLOntologyChangeListener;
import org.semanticweb.owlapi.model.OWLOntologyCreationException;
import org.semanticweb.owlapi.model.OWLOntologyLoaderConfiguration;
import org.semanticweb.owlapi.model.parameters.ChangeApplied;
import uk.ac.manchester.cs.owl.owlapi.OWLOntologyFactoryImpl;
import uk.ac.manchester.cs.owl.owlapi.OWLOntologyManagerImpl;
import uk.ac.manchester.cs.owl.owlapi.concurrent.NoOpReadWriteLock;
import uk.ac.manchester.cs.owl.owlapi.concurrent.NonConcurrentOWLOntologyBuilder;

/**
 * An ontology manager that opens nothing by itself: no import, no document, no service loading.
 *
 * <p>Parsers are handed an ontology of it and called directly, so none is ever tried. A parser that
 * asks for an import is told that there is nothing to do (the OBO parser asks with a configuration
 * of its own, so configuring that away is not enough). For one thread.
 */
final class SealedManager extends OWLOntologyManagerImpl {
  private static final long serialVersionUID = 1L;

  private long addedAxioms;
  private boolean hasListeners;

  SealedManager() {
    super(new FaithfulDataFactory(), new NoOpReadWriteLock());
    getOntologyFactories().add(new OWLOntologyFactoryImpl(new NonConcurrentOWLOntologyBuilder()));
  }

  /** A configuration that changes nothing in what it reads and follows no import. */
  static OWLOntologyLoaderConfiguration configuration() {
    return new OWLOntologyLoaderConfiguration()
        .setRepairIllegalPunnings(false)
        .setFollowRedirects(false)
        .setReportStackTraces(false)
        .setEntityExpansionLimit(Integer.toString(Limits.ENTITY_EXPANSIONS));
  }

  /** A new anonymous ontology. */
  OWLOntology newOntology() {
    try {
      return createOntology();
    } catch (OWLOntologyCreationException error) {
      throw new IllegalStateException(error); // it has neither a name nor a document to clash with
    }
  }

  /** How many axioms were added so far, equal ones counted each time. */
  long addedAxioms() {
    return addedAxioms;
  }

  @Override
  public ChangeApplied applyChange(OWLOntologyChange change) {
    if (!(change instanceof AddAxiom)) {
      return super.applyChange(change);
    }
    addedAxioms++;
    if (hasListeners) {
      return super.applyChange(change);
    }
    // What is left out is telling nobody, which costs more than the change.
    return ((OWLMutableOntology) change.getOntology()).applyChange(change);
  }

  @Override
  public void addOntologyChangeListener(OWLOntologyChangeListener listener) {
    hasListeners = true;
    super.addOntologyChangeListener(listener);
  }

  @Override
  public void addOntologyChangeListener(
      OWLOntologyChangeListener listener, OWLOntologyChangeBroadcastStrategy strategy) {
    hasListeners = true;
    super.addOntologyChangeListener(listener, strategy);
  }

  @Override
  public void makeLoadImportRequest(OWLImportsDeclaration declaration) {
    // Imports are data.
  }

  @Override
  public void makeLoadImportRequest(
      OWLImportsDeclaration declaration, OWLOntologyLoaderConfiguration configuration) {
    // Imports are data.
  }

  @Override
  public OWLOntology loadOntology(IRI ontologyIri) {
    throw new UnsupportedOperationException("a sealed manager opens nothing");
  }

  @Override
  public OWLOntology loadOntologyFromOntologyDocument(IRI documentIri) {
    throw new UnsupportedOperationException("a sealed manager opens nothing");
  }
}
