package org.protegejobs.owlapi;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;
import org.protegejobs.worker.Reporter;
import org.semanticweb.owlapi.model.AddAxiom;
import org.semanticweb.owlapi.model.OWLAxiom;
import org.semanticweb.owlapi.model.OWLClass;
import org.semanticweb.owlapi.model.OWLEntity;
import org.semanticweb.owlapi.model.OWLOntology;
import org.semanticweb.owlapi.model.SWRLRule;
import org.semanticweb.owlapi.reasoner.NullReasonerProgressMonitor;
import org.semanticweb.owlapi.reasoner.OWLReasoner;
import uk.ac.manchester.cs.owlapi.modularity.ModuleType;
import uk.ac.manchester.cs.owlapi.modularity.SyntacticLocalityModuleExtractor;

/**
 * Asks, of any set of axioms, whether the goal follows from it: a new reasoner over a new ontology
 * each time, so that no answer depends on the one before.
 */
final class EntailmentTest {
  private final SealedManager manager;
  private final ReasonerChoice choice;
  private final Goal goal;
  private final Reporter reporter;
  private int asked;

  /** Tests of one goal. */
  EntailmentTest(SealedManager manager, ReasonerChoice choice, Goal goal, Reporter reporter) {
    this.manager = manager;
    this.choice = choice;
    this.goal = goal;
    this.reporter = reporter;
  }

  /** Whether the goal follows. Every cancel is heard before the question. */
  boolean follows(Collection<OWLAxiom> axioms) {
    Cancelled.check(reporter);
    asked++;
    OWLOntology ontology = manager.newOntology();
    try {
      for (OWLAxiom each : axioms) {
        manager.applyChange(new AddAxiom(ontology, each));
      }
      for (OWLClass each : goal.classes()) {
        // So that every reasoner knows the class, whatever is left of the axioms.
        manager.applyChange(
            new AddAxiom(ontology, manager.getOWLDataFactory().getOWLDeclarationAxiom(each)));
      }
      OWLReasoner reasoner = choice.create(ontology, new NullReasonerProgressMonitor());
      try {
        return choice.refusing(ontology, () -> goal.follows(reasoner));
      } finally {
        reasoner.dispose();
      }
    } finally {
      manager.removeOntology(ontology);
    }
  }

  /** How many questions were asked. */
  int asked() {
    return asked;
  }

  /**
   * Of the axioms, those that can matter to the goal: a locality module, which holds every
   * justification. Rules are kept with all they speak of, since the extractor does not judge them.
   */
  Set<OWLAxiom> module(Collection<OWLAxiom> axioms) {
    Set<OWLAxiom> all = new LinkedHashSet<>(axioms);
    Set<OWLEntity> signature = new LinkedHashSet<>(goal.classes());
    Set<OWLAxiom> rules = new LinkedHashSet<>();
    for (OWLAxiom each : all) {
      if (each instanceof SWRLRule) {
        rules.add(each);
        signature.addAll(each.getSignature());
      }
    }
    Set<OWLAxiom> module = new LinkedHashSet<>(rules);
    module.addAll(
        new SyntacticLocalityModuleExtractor(manager, (OWLOntology) null, all, ModuleType.BOT)
            .extract(signature));
    module.retainAll(all);
    return module;
  }
}
