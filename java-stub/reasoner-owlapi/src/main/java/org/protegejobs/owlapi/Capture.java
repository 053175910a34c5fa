package org.protegejobs.owlapi;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.protegejobs.worker.Call;
import org.protegejobs.worker.WorkerException;
import org.semanticweb.owlapi.functional.parser.OWLFunctionalSyntaxOWLParser;
import org.semanticweb.owlapi.model.IRI;
import org.semanticweb.owlapi.model.OWLOntology;

/** A capture file as an ontology, with the proof that all that matters to a reasoner is there. */
final class Capture {
  private static final IRI NO_IRI = IRI.create("urn:protege-jobs:capture");

  private final SealedManager manager;
  private final OWLOntology ontology;
  private final long items;

  private Capture(SealedManager manager, OWLOntology ontology, long items) {
    this.manager = manager;
    this.ontology = ontology;
    this.items = items;
  }

  /**
   * Reads the input {@code capture} of a call.
   *
   * @throws WorkerException {@code invalid_ontology} when the parser does not take it, {@code
   *     job_execution_failed} ({@code axioms_lost}) when it took fewer axioms than are written
   *     there
   */
  static Capture load(Call call) throws IOException {
    return parse(utf8(call.inputBytes("capture")));
  }

  /** Reads the text of a capture file, which it uses up. */
  static Capture parse(CharBuffer text) throws IOException {
    CaptureItems items = CaptureItems.keepLogical(text);
    SealedManager manager = new SealedManager();
    OWLOntology ontology = manager.newOntology();
    try {
      new OWLFunctionalSyntaxOWLParser()
          .parse(new TextSource(text, NO_IRI), ontology, SealedManager.configuration());
    } catch (RuntimeException error) {
      error.printStackTrace(); // standard error keeps what the caller is not told
      throw WorkerException.invalidOntology(
          "The OWL API does not take the captured ontology: " + Messages.of(error));
    }
    if (manager.addedAxioms() != items.logical()) {
      throw lost(items.logical(), manager.addedAxioms());
    }
    return new Capture(manager, ontology, items.all());
  }

  /** The manager of {@link #ontology()}, for more ontologies beside it. */
  SealedManager manager() {
    return manager;
  }

  /** All axioms of the file but those that only annotate. */
  OWLOntology ontology() {
    return ontology;
  }

  /** How many axioms the file holds. */
  long axioms() {
    return items;
  }

  /** Decodes bytes that must be UTF-8; a byte order mark is dropped. */
  static CharBuffer utf8(byte[] bytes) {
    try {
      CharBuffer text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
      if (text.hasRemaining() && text.charAt(0) == '\ufeff') {
        text.get();
      }
      return text;
    } catch (CharacterCodingException error) {
      throw WorkerException.invalidOntology("The document is not valid UTF-8.");
    }
  }

  private static WorkerException lost(long written, long read) {
    JsonObject details = new JsonObject();
    details.addProperty("failure_type", "axioms_lost");
    details.addProperty("written", written);
    details.addProperty("read", read);
    return new WorkerException(
        "job_execution_failed",
        "The OWL API read " + read + " of the " + written + " axioms of the capture.",
        false,
        details);
  }
}
