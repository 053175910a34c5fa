package org.protegejobs.owlapi;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.protegejobs.worker.Artifact;
import org.protegejobs.worker.ArtifactWriter;
import org.protegejobs.worker.Call;
import org.protegejobs.worker.Operation;
import org.protegejobs.worker.Reporter;
import org.protegejobs.worker.Result;
import org.protegejobs.worker.RuntimeFacts;
import org.protegejobs.worker.Stopwatch;
import org.protegejobs.worker.WorkerException;
import org.semanticweb.owlapi.model.OWLAxiom;

/**
 * Finds justifications of an entailment with any reasoner as a black box; operation {@code explain}
 * of the worker protocol.
 */
final class ExplainOperation implements Operation {
  private static final String NAME = "justifications.jsonl";
  private static final String MEDIA_TYPE = "application/x-ndjson";
  private static final Gson JSON = new GsonBuilder().disableHtmlEscaping().create();

  @Override
  public Result run(Call call, Reporter reporter) throws Exception {
    int limit = call.integer("limit");
    if (limit < 1 || limit > Limits.JUSTIFICATIONS) {
      throw WorkerException.executionFailed(
          "invalid_order", "The order asks for too many justifications, or for none.");
    }
    ReasonerChoice choice = ReasonerChoice.of(call);
    Stopwatch watch = new Stopwatch();
    reporter.progress("loading", "Loading the ontology", null);
    Capture capture = Capture.load(call);
    Goal goal = Goal.of(call, capture.manager().getOWLDataFactory());
    watch.lap("load");
    reporter.progress("explaining", "Looking for axioms that matter", null);
    Map<String, OWLAxiom> texts = logicalAxioms(capture);
    EntailmentTest test = new EntailmentTest(capture.manager(), choice, goal, reporter);
    JustificationSearch search = new JustificationSearch(test);
    boolean holds =
        search.run(
            new ArrayList<>(texts.values()),
            limit,
            count -> reporter.progress("explaining", "Found: " + count, null));
    watch.lap("explain");
    List<List<String>> rows = rows(search.found(), new AxiomText(capture.ontology()));
    JsonObject value = new JsonObject();
    value.addProperty("holds", holds);
    value.addProperty("justifications", rows.size());
    value.addProperty("is_exhausted", search.isExhausted());
    Scope scope = choice.scope(capture.ontology());
    if (scope.axioms() != null) {
      value.add("incomplete_because", JSON.toJsonTree(scope.constructs()));
    }
    value.addProperty("questions", test.asked());
    value.addProperty("loaded_axioms", capture.axioms());
    reporter.progress("staging", "Writing the justifications", null);
    Artifact artifact = write(call, rows);
    watch.lap("write");
    value.add("timings_ms", watch.toJson());
    RuntimeFacts.describe(value);
    return new Result(value, List.of(artifact));
  }

  @Override
  public void warm(BooleanSupplier isAwaited) {
    Warming.run();
  }

  /** The axioms with a logical meaning by their texts, in the order of these. */
  private static Map<String, OWLAxiom> logicalAxioms(Capture capture) {
    AxiomText text = new AxiomText(capture.ontology());
    Map<String, OWLAxiom> axioms = new TreeMap<>();
    for (OWLAxiom each : capture.ontology().getLogicalAxioms()) {
      axioms.put(text.of(each), each);
    }
    return axioms;
  }

  private static List<List<String>> rows(List<Set<OWLAxiom>> found, AxiomText text) {
    List<List<String>> rows = new ArrayList<>();
    for (Set<OWLAxiom> justification : found) {
      List<String> row = new ArrayList<>();
      for (OWLAxiom each : justification) {
        row.add(text.of(each));
      }
      row.sort(Comparator.naturalOrder());
      rows.add(row);
    }
    rows.sort(
        Comparator.<List<String>>comparingInt(List::size).thenComparing(row -> row.toString()));
    return rows;
  }

  private static Artifact write(Call call, List<List<String>> rows) throws IOException {
    try (ArtifactWriter out = new ArtifactWriter(call, NAME, MEDIA_TYPE)) {
      for (List<String> row : rows) {
        out.write((JSON.toJson(row) + "\n").getBytes(StandardCharsets.UTF_8));
      }
      return out.finish();
    }
  }
}
