package org.protegejobs.owlapi;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.function.Supplier;
import org.protegejobs.worker.Call;
import org.protegejobs.worker.WorkerException;
import org.semanticweb.owlapi.model.OWLOntology;
import org.semanticweb.owlapi.reasoner.OWLReasoner;
import org.semanticweb.owlapi.reasoner.OWLReasonerConfiguration;
import org.semanticweb.owlapi.reasoner.OWLReasonerFactory;
import org.semanticweb.owlapi.reasoner.ReasonerProgressMonitor;

/** The reasoner that a call names, with its settings. */
final class ReasonerChoice {
  private final OWLReasonerFactory factory;
  private final ReasonerAdapter adapter;
  private final boolean isBuffering;
  private final JsonObject settings;

  private ReasonerChoice(
      OWLReasonerFactory factory,
      ReasonerAdapter adapter,
      boolean isBuffering,
      JsonObject settings) {
    this.factory = factory;
    this.adapter = adapter;
    this.isBuffering = isBuffering;
    this.settings = settings;
  }

  /** The input {@code reasoner} of a call. */
  static ReasonerChoice of(Call call) {
    Call shape =
        new Call(call.operation(), call.version(), call.object("reasoner"), call.workDir());
    String factoryClass = shape.text("factory_class");
    JsonElement settings = shape.inputs().get("settings");
    return new ReasonerChoice(
        factory(factoryClass),
        adapter(factoryClass),
        isBuffering(shape.text("buffering")),
        settings == null ? new JsonObject() : shape.object("settings"));
  }

  /** A choice with no settings. */
  static ReasonerChoice plain(String factoryClass) {
    return new ReasonerChoice(
        factory(factoryClass), adapter(factoryClass), false, new JsonObject());
  }

  /** The adapters on this class path. */
  static List<ReasonerAdapter> adapters() {
    List<ReasonerAdapter> found = new ArrayList<>();
    ServiceLoader.load(ReasonerAdapter.class).forEach(found::add);
    return found;
  }

  /** A new reasoner over the ontology; what it refuses is a {@link WorkerException}. */
  OWLReasoner create(OWLOntology ontology, ReasonerProgressMonitor monitor) {
    OWLReasonerConfiguration configuration = adapter.configuration(settings, monitor);
    return refusing(
        ontology,
        () ->
            isBuffering
                ? factory.createReasoner(ontology, configuration)
                : factory.createNonBufferingReasoner(ontology, configuration));
  }

  /** Runs a step of the reasoner; what it refuses is a {@link WorkerException}. */
  <T> T refusing(OWLOntology ontology, Supplier<T> step) {
    try {
      return step.get();
    } catch (WorkerException failure) {
      throw failure;
    } catch (RuntimeException failure) {
      WorkerException refusal = adapter.findRefusal(failure, ontology);
      if (refusal == null) {
        throw failure;
      }
      failure.printStackTrace(); // standard error keeps what the caller is not told
      throw refusal;
    }
  }

  /** What of the ontology this reasoner leaves out. */
  Scope scope(OWLOntology ontology) {
    return adapter.scope(ontology, settings);
  }

  private static OWLReasonerFactory factory(String name) {
    try {
      return Class.forName(name)
          .asSubclass(OWLReasonerFactory.class)
          .getDeclaredConstructor()
          .newInstance();
    } catch (ReflectiveOperationException | ClassCastException error) {
      error.printStackTrace();
      throw WorkerException.executionFailed(
          "reasoner_missing",
          "The reasoner's factory cannot be made: " + error.getClass().getSimpleName() + ".");
    }
  }

  private static ReasonerAdapter adapter(String factoryClass) {
    for (ReasonerAdapter each : adapters()) {
      if (each.factoryClass().equals(factoryClass)) {
        return each;
      }
    }
    return () -> factoryClass;
  }

  private static boolean isBuffering(String mode) {
    switch (mode) {
      case "buffering":
        return true;
      case "non_buffering":
        return false;
      default:
        throw WorkerException.executionFailed(
            "unknown_settings", "The worker does not know the buffering mode " + mode + ".");
    }
  }
}
