package org.protegejobs.headless;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.protegejobs.gateway.EventQueue;
import org.protegejobs.gateway.OntologyModel;
import org.protegejobs.gateway.SelectedReasoner;
import org.semanticweb.owlapi.apibinding.OWLManager;
import org.semanticweb.owlapi.io.IRIDocumentSource;
import org.semanticweb.owlapi.model.MissingImportHandlingStrategy;
import org.semanticweb.owlapi.model.OWLOntology;
import org.semanticweb.owlapi.model.OWLOntologyChange;
import org.semanticweb.owlapi.model.OWLOntologyCreationException;
import org.semanticweb.owlapi.model.OWLOntologyLoaderConfiguration;
import org.semanticweb.owlapi.model.OWLOntologyManager;

/**
 * A document in a concurrent manager, edited on one thread with undo, and a revision that counts as
 * an editor's does: one for each applied list of changes, each undo and each load.
 */
final class HeadlessModel implements OntologyModel {
  private final Options options;
  private final EventQueue events;
  private final ModelThread thread = new ModelThread();
  private final AtomicLong revision = new AtomicLong();
  private final String windowId = UUID.randomUUID().toString();
  private volatile boolean isClosing;

  // The rest belongs to the model thread.
  private final Deque<List<OWLOntologyChange>> applied = new ArrayDeque<>();
  private OWLOntology active;
  private boolean isDirty;
  private Optional<SelectedReasoner> reasoner;

  HeadlessModel(Options options, EventQueue events) {
    this.options = options;
    this.events = events;
    this.reasoner = Reasoners.find(options.reasoner);
  }

  // --- On the model thread
  // ------------------------------------------------------------------------

  /** Reads the document and its imports anew; what was loaded before is let go. */
  void load() throws OWLOntologyCreationException, IOException {
    OWLOntologyManager manager = OWLManager.createConcurrentOWLOntologyManager();
    manager.getIRIMappers().set(Catalog.beside(options.document.getParent(), options.root));
    OWLOntologyLoaderConfiguration configuration =
        new OWLOntologyLoaderConfiguration()
            .setMissingImportHandlingStrategy(MissingImportHandlingStrategy.SILENT)
            .setFollowRedirects(false);
    active =
        manager.loadOntologyFromOntologyDocument(
            new IRIDocumentSource(Catalog.documentIri(options.document), null, null),
            configuration);
    manager.addOntologyChangeListener(changes -> advance());
    applied.clear();
    isDirty = false;
    advance();
  }

  /** Applies one list of changes, as one edit that one undo takes back. */
  void apply(List<? extends OWLOntologyChange> changes) {
    applied.push(new ArrayList<>(changes));
    isDirty = true;
    active.getOWLOntologyManager().applyChanges(new ArrayList<>(changes));
  }

  /** Takes the last edit back; the document stays marked as changed, as in an editor. */
  void undo() {
    List<OWLOntologyChange> back = new ArrayList<>();
    applied.pop().forEach(each -> back.add(each.reverseChange()));
    Collections.reverse(back);
    active.getOWLOntologyManager().applyChanges(back);
  }

  void select(String name) {
    reasoner = Reasoners.find(name);
    events.post("reasoner", new JsonObject());
  }

  private void advance() {
    events.postRevision(revision.incrementAndGet());
  }

  @Override
  public OWLOntology activeOntology() {
    return active;
  }

  @Override
  public String title() {
    return options.document.getFileName().toString();
  }

  @Override
  public boolean isDirty() {
    return isDirty;
  }

  @Override
  public Optional<SelectedReasoner> selectedReasoner() {
    return reasoner;
  }

  // --- On any thread
  // ------------------------------------------------------------------------------

  void close() {
    isClosing = true;
  }

  @Override
  public String hostName() {
    return "headless";
  }

  @Override
  public String hostVersion() {
    String version = HeadlessModel.class.getPackage().getImplementationVersion();
    return version == null ? "development" : version;
  }

  @Override
  public String windowId() {
    return windowId;
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
}
