package org.protegejobs.gateway;

import java.util.Optional;
import java.util.concurrent.Executor;
import org.semanticweb.owlapi.model.OWLOntology;

/**
 * The side of the gateway that differs between hosts: who holds the ontology and on which thread it
 * changes.
 *
 * <p>The ontology must live in a concurrent manager: single reads of it happen on other threads.
 */
public interface OntologyModel {
  /** {@code headless} or {@code protege}. */
  String hostName();

  /** The host's own version. */
  String hostVersion();

  /** Random, and the same for the life of the window. */
  String windowId();

  /** Runs work on the one thread on which the model changes, later and in order. */
  Executor modelThread();

  /**
   * How often the model has moved, readable on any thread at once. Grows with every applied list of
   * changes, undo included, and with load, create, reload and a switch of the active ontology; 0
   * until the first ontology is ready.
   *
   * <p>On the model thread it is exact: nothing has been applied that it does not count.
   */
  long revision();

  /** Whether the window is on its way out; on any thread. */
  boolean isClosing();

  /** The active ontology; on the model thread, and only when {@link #revision()} is not 0. */
  OWLOntology activeOntology();

  /** What people call the window's document; on the model thread. Never a path. */
  String title();

  /** Whether there are unsaved changes; on the model thread. */
  boolean isDirty();

  /** The selected reasoner, without starting it; on the model thread. */
  Optional<SelectedReasoner> selectedReasoner();
}
