package org.protegejobs.owlapi.stuck;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Set;
import org.semanticweb.owlapi.model.OWLOntology;
import org.semanticweb.owlapi.reasoner.NullReasonerProgressMonitor;
import org.semanticweb.owlapi.reasoner.OWLReasoner;
import org.semanticweb.owlapi.reasoner.OWLReasonerConfiguration;
import org.semanticweb.owlapi.reasoner.OWLReasonerFactory;
import org.semanticweb.owlapi.reasoner.ReasonerProgressMonitor;
import org.semanticweb.owlapi.reasoner.SimpleConfiguration;
import org.semanticweb.owlapi.reasoner.structural.StructuralReasonerFactory;

/** A factory of structural reasoners that get into trouble at one step. */
abstract class StuckFactory implements OWLReasonerFactory {
  /** Instead of the name of a method: while the reasoner is made. */
  static final String CONSTRUCTION = "createReasoner";

  private final OWLReasonerFactory factory = new StructuralReasonerFactory();
  private final Trouble trouble;
  private final Set<String> steps;

  /**
   * A factory.
   *
   * @param steps methods of {@link OWLReasoner}, or {@link #CONSTRUCTION}
   */
  StuckFactory(Trouble trouble, String... steps) {
    this.trouble = trouble;
    this.steps = Set.of(steps);
  }

  @Override
  public String getReasonerName() {
    return "stuck";
  }

  @Override
  public OWLReasoner createReasoner(OWLOntology ontology) {
    return createReasoner(ontology, new SimpleConfiguration());
  }

  @Override
  public OWLReasoner createNonBufferingReasoner(OWLOntology ontology) {
    return createReasoner(ontology);
  }

  @Override
  public OWLReasoner createNonBufferingReasoner(
      OWLOntology ontology, OWLReasonerConfiguration configuration) {
    return createReasoner(ontology, configuration);
  }

  @Override
  public OWLReasoner createReasoner(OWLOntology ontology, OWLReasonerConfiguration configuration) {
    ReasonerProgressMonitor monitor = configuration.getProgressMonitor();
    if (steps.contains(CONSTRUCTION)) {
      monitor.reasonerTaskStarted("stuck");
      trouble.happen();
    }
    OWLReasoner sound =
        factory.createReasoner(
            ontology, new SimpleConfiguration(new NullReasonerProgressMonitor()));
    return (OWLReasoner)
        Proxy.newProxyInstance(
            OWLReasoner.class.getClassLoader(),
            new Class<?>[] {OWLReasoner.class},
            (proxy, method, arguments) -> {
              if (steps.contains(method.getName())) {
                monitor.reasonerTaskStarted("stuck");
                trouble.happen();
              }
              try {
                return method.invoke(sound, arguments);
              } catch (InvocationTargetException failure) {
                throw failure.getCause();
              }
            });
  }
}
