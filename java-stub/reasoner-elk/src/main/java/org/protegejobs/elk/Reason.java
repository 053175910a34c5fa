package org.protegejobs.elk;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.protegejobs.worker.AnswerWriter;
import org.protegejobs.worker.Artifact;
import org.protegejobs.worker.Call;
import org.protegejobs.worker.Operation;
import org.protegejobs.worker.Reporter;
import org.protegejobs.worker.Result;
import org.protegejobs.worker.RuntimeFacts;
import org.protegejobs.worker.Stopwatch;
import org.protegejobs.worker.WorkerException;
import org.semanticweb.elk.exceptions.ElkException;
import org.semanticweb.elk.owl.interfaces.ElkClass;
import org.semanticweb.elk.owl.interfaces.ElkNamedIndividual;
import org.semanticweb.elk.owl.interfaces.ElkObjectProperty;
import org.semanticweb.elk.reasoner.completeness.IncompleteResult;
import org.semanticweb.elk.reasoner.completeness.Incompleteness;
import org.semanticweb.elk.reasoner.taxonomy.model.InstanceTaxonomy;
import org.semanticweb.elk.reasoner.taxonomy.model.Taxonomy;

/**
 * The operation {@code reason} with ELK.
 *
 * <p>Its answer is sound. It is complete where {@code incomplete_because} is empty and the section
 * is not among {@code incomplete_sections}.
 */
final class Reason implements Operation {

  private static final String CLASSES = "classes";
  private static final String OBJECT_PROPERTIES = "object_properties";
  private static final String INDIVIDUALS = "individuals";

  /** How long to practise: after it, a round no longer gets faster. */
  private static final long PRACTICE_NS = 4_000_000_000L;

  private static final long REST_NS = 500_000_000L;
  private static final long LOOK_NS = 10_000_000L;

  private static final Set<String> GIVEN = Set.of(CLASSES, OBJECT_PROPERTIES, INDIVIDUALS);

  @Override
  public Result run(Call call, Reporter reporter) throws Exception {
    List<String> wants = call.texts("wants");
    Stopwatch watch = new Stopwatch();
    byte[] data = call.inputBytes("capture");
    try {
      return new Run(data, reporter, watch).result(call, wants);
    } catch (ElkException error) {
      throw cause(error);
    }
  }

  @Override
  public void warm(BooleanSupplier isAwaited) {
    practise(Practice.tiny());
    byte[] usual = Practice.usual();
    if (!isLeftAlone(isAwaited)) {
      return;
    }
    long until = System.nanoTime() + PRACTICE_NS;
    while (!isAwaited.getAsBoolean() && System.nanoTime() < until) {
      practise(usual);
    }
    if (!isAwaited.getAsBoolean()) {
      System.gc(); // what practice left is given back while nobody waits
    }
  }

  /** Lets the job that was before us end: its report is being made on the same processors. */
  private static boolean isLeftAlone(BooleanSupplier isAwaited) {
    long until = System.nanoTime() + REST_NS;
    while (!isAwaited.getAsBoolean() && System.nanoTime() < until) {
      LockSupport.parkNanos(LOOK_NS);
    }
    return !isAwaited.getAsBoolean();
  }

  private static void practise(byte[] capture) {
    try {
      Run run = new Run(capture, Silent.REPORTER, new Stopwatch());
      run.answer(List.copyOf(GIVEN));
      try (AnswerWriter nowhere = AnswerWriter.rehearsing()) {
        run.writeTo(nowhere);
      }
    } catch (ElkException | IOException error) {
      throw new IllegalStateException(error);
    }
  }

  /** One reasoner at work. */
  private static final class Run {
    private final Reporter reporter;
    private final Stopwatch watch;
    private final Evidence evidence = new Evidence();
    private final CaptureLoader loader;
    private final Progress progress;
    private final EvidentReasoner reasoner;
    private final List<String> doubtful = new ArrayList<>();
    private Taxonomy<ElkClass> classes;
    private Taxonomy<ElkObjectProperty> objectProperties;
    private InstanceTaxonomy<ElkClass, ElkNamedIndividual> individuals;

    Run(byte[] data, Reporter reporter, Stopwatch watch) {
      this.reporter = reporter;
      this.watch = watch;
      reporter.progress("loading", "Loading axioms", 0.0);
      loader = new CaptureLoader(data, evidence, reporter);
      progress = new Progress(reporter);
      reasoner = new EvidentReasoner(loader, evidence, progress);
      reporter.onCancel(reasoner::interrupt);
    }

    Result result(Call call, List<String> wants) throws ElkException, IOException {
      boolean isConsistent = answer(wants);
      List<Artifact> artifacts = isConsistent ? List.of(write(call)) : List.of();
      JsonObject value = new JsonObject();
      value.addProperty("consistent", isConsistent);
      value.add("incomplete_because", array(evidence.reasons(loader.constructs())));
      value.add("incomplete_sections", array(doubtful));
      value.addProperty("ignored_axioms", evidence.axiomsConcerned());
      value.addProperty("loaded_axioms", loader.axioms());
      List<String> unsupported = new ArrayList<>(wants);
      unsupported.removeAll(GIVEN);
      value.add("unsupported_wants", array(unsupported));
      value.add("timings_ms", watch.toJson());
      RuntimeFacts.describe(value);
      return new Result(value, artifacts);
    }

    /** Computes what is wanted; the answer is whether the ontology is consistent. */
    boolean answer(List<String> wants) throws ElkException {
      watch.lap("build"); // reading the file's bytes included
      reasoner.ensureLoading();
      watch.lap("load");
      progress.enter(Share.CONSISTENCY);
      if (Incompleteness.getValue(reasoner.isInconsistent())) {
        watch.lap("reason");
        return false;
      }
      if (wants.contains(CLASSES) || wants.contains(INDIVIDUALS)) {
        progress.enter(Share.CLASSES);
        classes = value(CLASSES, reasoner.getTaxonomy());
      }
      if (wants.contains(OBJECT_PROPERTIES)) {
        progress.enter(Share.OBJECT_PROPERTIES);
        objectProperties = value(OBJECT_PROPERTIES, reasoner.getObjectPropertyTaxonomy());
      }
      if (wants.contains(INDIVIDUALS)) {
        progress.enter(Share.INDIVIDUALS);
        individuals = value(INDIVIDUALS, reasoner.getInstanceTaxonomy());
      }
      watch.lap("reason");
      return true;
    }

    private Artifact write(Call call) throws IOException {
      reporter.progress("enumerating", "Writing the answer", Share.WRITING.at(0, 1));
      try (AnswerWriter writer = new AnswerWriter(call)) {
        writeTo(writer);
        watch.lap("enumerate"); // ELK's nodes are written while they are walked
        Artifact artifact = writer.finish();
        watch.lap("write");
        return artifact;
      }
    }

    private void writeTo(AnswerWriter writer) throws IOException {
      Answer answer = new Answer(writer);
      if (classes != null) {
        answer.writeClasses(classes);
      }
      if (objectProperties != null) {
        answer.writeHierarchy(OBJECT_PROPERTIES, objectProperties);
      }
      if (individuals != null) {
        answer.writeIndividuals(individuals, loader.same());
      }
    }

    private <T> T value(String section, IncompleteResult<? extends T> result) {
      if (result.getIncompletenessMonitor().isIncompletenessDetected()) {
        doubtful.add(section);
      }
      return Incompleteness.getValue(result);
    }
  }

  /** What a failure of ELK says to our caller. */
  private static Exception cause(ElkException error) {
    for (Throwable each = error; each != null; each = each.getCause()) {
      if (each instanceof WorkerException) {
        return (WorkerException) each;
      }
    }
    return error;
  }

  private static JsonArray array(Collection<String> texts) {
    JsonArray array = new JsonArray();
    texts.forEach(array::add);
    return array;
  }

  /** Nobody listens while a worker warms. */
  private enum Silent implements Reporter {
    REPORTER;

    @Override
    public void progress(String phase, String message, Double fraction) {}

    @Override
    public boolean isCancelled() {
      return false;
    }

    @Override
    public void onCancel(Runnable action) {}
  }
}
