package org.protegejobs.elk;

import org.semanticweb.elk.owl.managers.ElkObjectEntityRecyclingFactory;
import org.semanticweb.elk.reasoner.ProgressMonitor;
import org.semanticweb.elk.reasoner.Reasoner;
import org.semanticweb.elk.reasoner.ReasonerInterrupter;
import org.semanticweb.elk.reasoner.config.ReasonerConfiguration;
import org.semanticweb.elk.reasoner.stages.LoggingStageExecutor;

/** ELK's reasoner as its factory makes it, with an ear for what it does not interpret. */
final class EvidentReasoner extends Reasoner {

  EvidentReasoner(CaptureLoader loader, Evidence evidence, ProgressMonitor monitor) {
    super(
        new ElkObjectEntityRecyclingFactory(),
        new ReasonerInterrupter(),
        new LoggingStageExecutor(),
        ReasonerConfiguration.getConfiguration());
    setNumberOfWorkers(Runtime.getRuntime().availableProcessors());
    setAllowIncrementalMode(false); // one ontology, one answer
    setProgressMonitor(monitor);
    getModifiableOntologyIndex().addOccurrenceListener(evidence);
    registerAxiomLoader(loader::listeningTo);
  }
}
