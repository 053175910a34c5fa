package org.protegejobs.headless;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.protegejobs.gateway.Answers;
import org.protegejobs.gateway.EventQueue;
import org.semanticweb.owlapi.formats.FunctionalSyntaxDocumentFormat;
import org.semanticweb.owlapi.model.AddAxiom;
import org.semanticweb.owlapi.model.OWLAxiom;
import org.semanticweb.owlapi.model.OWLOntology;
import org.semanticweb.owlapi.model.OWLOntologyChange;
import org.semanticweb.owlapi.model.RemoveAxiom;

/**
 * The person at the editor, played by lines of JSON: each says what to {@code do} and is answered
 * by one line when it is done.
 *
 * <p>{@code apply} ({@code add}, {@code remove}: axioms in functional syntax), {@code undo}, {@code
 * reload}, {@code busy} ({@code ms}: keeps the model thread; answered when that has begun), {@code
 * hang} (keeps it for good), {@code select} ({@code reasoner}), {@code cancel_job} ({@code
 * job_id}), {@code store} (writes the closure on the model thread as an editor would that knew no
 * better, and answers how long that held it), {@code close}.
 */
final class Controls {
  private final HeadlessModel model;
  private final EventQueue events;
  private final PrintStream out;

  Controls(HeadlessModel model, EventQueue events, PrintStream out) {
    this.model = model;
    this.events = events;
    this.out = out;
  }

  /** Obeys until the input ends or says {@code close}. */
  void obey(BufferedReader input) throws IOException {
    String line = input.readLine();
    while (line != null) {
      JsonObject control = JsonParser.parseString(line).getAsJsonObject();
      JsonObject answer = new JsonObject();
      try {
        perform(control, answer);
      } catch (Exception error) { // the script of a test is at fault, and shall see why
        answer.addProperty("failed", error.toString());
      }
      answer.add("done", control.get("do"));
      answer.addProperty("revision", model.revision());
      out.println(Answers.line(answer));
      if (control.get("do").getAsString().equals("close")) {
        return;
      }
      line = input.readLine();
    }
  }

  private void perform(JsonObject control, JsonObject answer) throws Exception {
    switch (control.get("do").getAsString()) {
      case "apply":
        apply(control);
        break;
      case "undo":
        onModel(
            () -> {
              model.undo();
              return null;
            });
        break;
      case "reload":
        onModel(
            () -> {
              model.load();
              return null;
            });
        break;
      case "select":
        onModel(
            () -> {
              model.select(control.get("reasoner").getAsString());
              return null;
            });
        break;
      case "busy":
        keepModel(control.get("ms").getAsLong());
        break;
      case "hang":
        keepModel(Long.MAX_VALUE);
        break;
      case "cancel_job":
        JsonObject event = new JsonObject();
        event.add("job_id", control.get("job_id"));
        events.post("cancel_requested", event);
        break;
      case "store":
        answer.addProperty("held_us", onModel(this::store));
        break;
      case "close":
        events.post("closing", new JsonObject());
        model.close();
        break;
      default:
        throw new IllegalArgumentException("unknown control");
    }
  }

  private void apply(JsonObject control) throws Exception {
    List<OWLAxiom> added = axioms(control.get("add"));
    List<OWLAxiom> removed = axioms(control.get("remove"));
    onModel(
        () -> {
          OWLOntology active = model.activeOntology();
          List<OWLOntologyChange> changes = new ArrayList<>();
          removed.forEach(each -> changes.add(new RemoveAxiom(active, each)));
          added.forEach(each -> changes.add(new AddAxiom(active, each)));
          model.apply(changes);
          return null;
        });
  }

  private static List<OWLAxiom> axioms(JsonElement texts) throws Exception {
    List<OWLAxiom> found = new ArrayList<>();
    if (texts != null) {
      for (JsonElement each : texts.getAsJsonArray()) {
        found.addAll(Axioms.parse(each.getAsString()));
      }
    }
    return found;
  }

  private long store() throws Exception {
    long begun = System.nanoTime();
    OWLOntology active = model.activeOntology();
    for (OWLOntology each : active.getImportsClosure()) {
      active
          .getOWLOntologyManager()
          .saveOntology(
              each, new FunctionalSyntaxDocumentFormat(), OutputStream.nullOutputStream());
    }
    return (System.nanoTime() - begun) / 1_000;
  }

  private void keepModel(long ms) throws InterruptedException {
    CountDownLatch begun = new CountDownLatch(1);
    model
        .modelThread()
        .execute(
            () -> {
              begun.countDown();
              try {
                Thread.sleep(ms);
              } catch (InterruptedException error) {
                Thread.currentThread().interrupt();
              }
            });
    begun.await();
  }

  private <T> T onModel(Callable<T> work) throws Exception {
    FutureTask<T> task = new FutureTask<>(work);
    model.modelThread().execute(task);
    return task.get();
  }
}
