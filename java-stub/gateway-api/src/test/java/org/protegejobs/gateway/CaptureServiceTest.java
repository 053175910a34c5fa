package org.protegejobs.gateway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.semanticweb.owlapi.apibinding.OWLManager;
import org.semanticweb.owlapi.model.OWLOntology;

@Timeout(60)
class CaptureServiceTest {
  @TempDir Path directory;
  private final EventQueue events = new EventQueue();
  private TestModel model;
  private CaptureService captures;

  private void open(String axioms) throws Exception {
    model = new TestModel(axioms);
    captures = new CaptureService(model, events, directory);
  }

  @AfterEach
  void close() {
    captures.close();
    model.close();
  }

  private String start(String folder, long maximum) throws GatewayError {
    return captures.start(
        CaptureRequest.parse(
            String.format("{\"folder\": \"%s\", \"max_axioms\": %d}", folder, maximum)));
  }

  /** The status once the capture has ended. */
  private JsonObject ended(String id) throws Exception {
    long cursor = 0;
    while (true) {
      JsonObject status = captures.status(id);
      String state = status.get("state").getAsString();
      if (state.equals("ready") || state.equals("failed")) {
        return status;
      }
      cursor = events.await(cursor, 1_000).get("cursor").getAsLong();
    }
  }

  private JsonObject manifest(String id) throws Exception {
    JsonObject status = ended(id);
    assertEquals("ready", status.get("state").getAsString(), status.toString());
    return status.getAsJsonObject("manifest");
  }

  private String failure(String id) throws Exception {
    JsonObject status = ended(id);
    assertEquals("failed", status.get("state").getAsString(), status.toString());
    return status.getAsJsonObject("error").get("code").getAsString();
  }

  private boolean isEmpty() throws Exception {
    try (var found = Files.list(directory)) {
      return found.findAny().isEmpty();
    }
  }

  @Test
  void whatIsWrittenParsesBackToTheSameAxioms() throws Exception {
    open(
        "SubClassOf(<urn:undeclared> ObjectSomeValuesFrom(<urn:p> <urn:B>))\n"
            + "AnnotationAssertion(<urn:note> <urn:A> \"two\nlines \\\"and\\\" \\\\ more\"@en)\n"
            + "EquivalentClasses(<urn:A> <urn:B> <urn:C>)\n"
            + "DataPropertyAssertion(<urn:d> <urn:i> \"x\")\n"
            + "DLSafeRule(Body(ClassAtom(<urn:A> Variable(<urn:v>)))"
            + " Head(ClassAtom(<urn:B> Variable(<urn:v>))))");
    JsonObject row =
        manifest(start("capture-1", 100)).getAsJsonArray("members").get(0).getAsJsonObject();
    Path file = directory.resolve("capture-1").resolve(row.get("file").getAsString());
    assertEquals(Files.size(file), row.get("bytes").getAsLong());
    OWLOntology back =
        OWLManager.createOWLOntologyManager().loadOntologyFromOntologyDocument(file.toFile());
    assertEquals(model.active.getAxioms(), back.getAxioms());
    assertEquals(model.active.getOntologyID(), back.getOntologyID());
    captures.cancel("capture-1");
    assertTrue(isEmpty());
    assertThrows(GatewayError.class, () -> captures.status("capture-1"));
  }

  @Test
  void axiomsThatTheRendererLeavesOutAreWritten() throws Exception {
    open(
        String.join(
            "\n",
            "EquivalentClasses(<urn:A> <urn:A>)",
            "EquivalentObjectProperties(<urn:p> <urn:p>)",
            "DisjointObjectProperties(<urn:p> <urn:p>)",
            "EquivalentDataProperties(<urn:d> <urn:d>)",
            "DisjointDataProperties(<urn:d> <urn:d>)",
            "SameIndividual(<urn:i> <urn:i>)",
            "DifferentIndividuals(<urn:i> <urn:i>)",
            "SubClassOf(<urn:A> ObjectIntersectionOf(<urn:B> <urn:B>))",
            "SubClassOf(<urn:A> ObjectUnionOf(<urn:B> <urn:B>))"));
    JsonObject row =
        manifest(start("capture-1", 100)).getAsJsonArray("members").get(0).getAsJsonObject();
    String text = Files.readString(directory.resolve("capture-1").resolve("0.ofn"));
    OWLOntology back =
        OWLManager.createOWLOntologyManager()
            .loadOntologyFromOntologyDocument(
                new org.semanticweb.owlapi.io.StringDocumentSource(text));
    assertEquals(9, row.get("axiom_count").getAsInt());
    assertEquals(model.active.getAxioms(), back.getAxioms());
    assertTrue(text.contains("ObjectUnionOf(<urn:B> <urn:B>)"), text);
  }

  @Test
  void aCopyThatWasOvertakenIsMadeAgain() throws Exception {
    open("SubClassOf(<urn:a> <urn:b>)");
    AtomicInteger looks = new AtomicInteger();
    model.beforeLook =
        () -> {
          if (looks.incrementAndGet() == 1) {
            model.thread.execute(() -> model.addClass("urn:between"));
          }
        };
    JsonObject manifest = manifest(start("capture-1", 100));
    JsonObject row = manifest.getAsJsonArray("members").get(0).getAsJsonObject();
    assertEquals(2, manifest.get("revision").getAsLong());
    assertEquals(2, row.get("axiom_count").getAsInt());
  }

  @Test
  void aModelThatNeverRestsIsCopiedOnItsOwnThread() throws Exception {
    open("SubClassOf(<urn:a> <urn:b>)");
    AtomicInteger edits = new AtomicInteger();
    // An edit is queued at each look, so it always runs before the next one.
    model.beforeLook =
        () -> model.thread.execute(() -> model.addClass("urn:e" + edits.incrementAndGet()));
    JsonObject manifest = manifest(start("capture-1", 1_000));
    assertEquals(CaptureService.TRIES + 1, manifest.get("tries").getAsInt());
    JsonObject row = manifest.getAsJsonArray("members").get(0).getAsJsonObject();
    assertEquals(manifest.get("revision").getAsLong(), row.get("axiom_count").getAsLong());
  }

  @Test
  void aCaptureIsRefusedAboveTheBoundAndWhileLoading() throws Exception {
    open("SubClassOf(<urn:a> <urn:b>)\nSubClassOf(<urn:b> <urn:c>)");
    assertEquals(GatewayError.SNAPSHOT_TOO_LARGE, failure(start("capture-1", 1)));
    model.revision.set(0);
    assertEquals(GatewayError.HOST_UNAVAILABLE, failure(start("capture-2", 10)));
    assertTrue(isEmpty());
  }

  @Test
  void aFolderThatIsThereIsNeverWrittenTo() throws Exception {
    open("SubClassOf(<urn:a> <urn:b>)");
    Files.createFile(directory.resolve("capture-1"));
    assertEquals(GatewayError.HOST_UNAVAILABLE, failure(start("capture-1", 10)));
    assertThrows(GatewayError.class, () -> start("capture-1", 10), "the name is taken");
  }

  @Test
  void aCaptureGivenBackWhileItWaitsLeavesNothing() throws Exception {
    open("SubClassOf(<urn:a> <urn:b>)");
    CountDownLatch free = new CountDownLatch(1);
    model.thread.execute(
        () -> {
          try {
            free.await();
          } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
          }
        });
    start("capture-1", 10);
    captures.cancel("capture-1");
    captures.cancel("capture-1");
    free.countDown();
    manifest(start("capture-2", 10)); // it is done after the first
    assertFalse(Files.exists(directory.resolve("capture-1")));
  }

  @Test
  void whatABackendLeftBehindIsGivenBackWhenItLeaves() throws Exception {
    open("SubClassOf(<urn:a> <urn:b>)");
    manifest(start("capture-1", 10));
    manifest(start("capture-2", 10));
    captures.giveBackAll();
    assertTrue(isEmpty());
    manifest(start("capture-1", 10));
  }

  @Test
  void closingGivesEverythingBack() throws Exception {
    open("SubClassOf(<urn:a> <urn:b>)");
    manifest(start("capture-1", 10));
    model.isClosing = true;
    captures.close();
    captures.close();
    assertTrue(isEmpty());
    assertThrows(GatewayError.class, () -> start("capture-2", 10));
  }
}
