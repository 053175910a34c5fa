package org.protegejobs.owlapi;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.protegejobs.worker.Artifact;
import org.protegejobs.worker.Call;
import org.protegejobs.worker.Operation;
import org.protegejobs.worker.Reporter;
import org.protegejobs.worker.Result;
import org.protegejobs.worker.RuntimeFacts;
import org.protegejobs.worker.Stopwatch;
import org.protegejobs.worker.WorkerException;
import org.semanticweb.owlapi.model.OWLOntology;
import org.semanticweb.owlapi.reasoner.InferenceType;
import org.semanticweb.owlapi.reasoner.OWLReasoner;

/**
 * Classifies a capture with the reasoner of a given factory; operation {@code reason} of the worker
 * protocol.
 *
 * <p>Consistency comes first: every hierarchy is true of an inconsistent ontology, so then there is
 * none in the answer.
 */
final class ReasonOperation implements Operation {
  private static final Set<String> WANTS =
      Set.of(Answer.CLASSES, Answer.OBJECT_PROPERTIES, Answer.DATA_PROPERTIES, Answer.INDIVIDUALS);

  @Override
  public Result run(Call call, Reporter reporter) throws Exception {
    List<String> wants = wants(call);
    ReasonerChoice choice = ReasonerChoice.of(call);
    Stopwatch watch = new Stopwatch();
    reporter.progress("loading", "Loading the ontology", null);
    Capture capture = Capture.load(call);
    OWLOntology ontology = capture.ontology();
    watch.lap("load");
    reporter.progress("building", "Building the reasoner", null);
    OWLReasoner reasoner = choice.create(ontology, new MonitorBridge(reporter, "reasoning"));
    reporter.onCancel(reasoner::interrupt);
    watch.lap("build");
    reporter.progress("reasoning", "Checking consistency", null);
    boolean isConsistent = choice.refusing(ontology, reasoner::isConsistent);
    if (isConsistent) {
      precompute(choice, reasoner, ontology, wants);
    }
    watch.lap("reason");
    Scope scope = choice.scope(ontology);
    JsonObject value = new JsonObject();
    value.addProperty("consistent", isConsistent);
    value.add("incomplete_because", texts(scope.constructs()));
    value.addProperty("ignored_axioms", scope.axioms());
    value.addProperty("loaded_axioms", capture.axioms());
    List<Artifact> artifacts = new ArrayList<>();
    List<String> unsupported = new ArrayList<>();
    if (isConsistent) {
      reporter.progress("enumerating", "Reading the hierarchies", 0.0);
      Answer answer =
          choice.refusing(ontology, () -> Answer.ask(reasoner, ontology, wants, reporter));
      unsupported.addAll(answer.unsupported());
      watch.lap("enumerate");
      reporter.progress("staging", "Writing the answer", null);
      artifacts.add(answer.write(call));
      watch.lap("write");
    }
    value.add("unsupported_wants", texts(unsupported));
    value.add("timings_ms", watch.toJson());
    RuntimeFacts.describe(value);
    return new Result(value, artifacts);
  }

  @Override
  public void warm(BooleanSupplier isAwaited) {
    Warming.run();
  }

  private static List<String> wants(Call call) {
    List<String> wants = new ArrayList<>(new LinkedHashSet<>(call.texts("wants")));
    if (!WANTS.containsAll(wants)) {
      throw WorkerException.executionFailed(
          "invalid_order", "The order asks for something that no reasoner gives.");
    }
    return wants;
  }

  private static void precompute(
      ReasonerChoice choice, OWLReasoner reasoner, OWLOntology ontology, List<String> wants) {
    Set<InferenceType> types = EnumSet.of(InferenceType.CLASS_HIERARCHY);
    if (wants.contains(Answer.OBJECT_PROPERTIES)) {
      types.add(InferenceType.OBJECT_PROPERTY_HIERARCHY);
    }
    if (wants.contains(Answer.DATA_PROPERTIES)) {
      types.add(InferenceType.DATA_PROPERTY_HIERARCHY);
    }
    if (wants.contains(Answer.INDIVIDUALS) && !ontology.getIndividualsInSignature().isEmpty()) {
      types.add(InferenceType.CLASS_ASSERTIONS);
      types.add(InferenceType.SAME_INDIVIDUAL);
    }
    types.retainAll(reasoner.getPrecomputableInferenceTypes());
    choice.refusing(
        ontology,
        () -> {
          reasoner.precomputeInferences(types.toArray(new InferenceType[0]));
          return null;
        });
  }

  private static JsonArray texts(Collection<String> texts) {
    JsonArray array = new JsonArray();
    texts.forEach(array::add);
    return array;
  }
}
