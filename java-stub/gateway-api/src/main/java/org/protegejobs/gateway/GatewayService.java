package org.protegejobs.gateway;

import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.util.Optional;
import java.util.function.Consumer;
import org.semanticweb.owlapi.model.IRI;
import org.semanticweb.owlapi.model.OWLOntology;
import org.semanticweb.owlapi.model.parameters.Imports;

/** The gateway over any {@link OntologyModel}; both hosts use this one. */
public final class GatewayService implements HostGateway {
  private static final long DESCRIBE_MS = 1_000;

  private final OntologyModel model;
  private final CaptureService captures;
  private final EventQueue events;
  private final Consumer<String> onBackendLeft;

  /**
   * Makes a gateway; it owns none of its parts.
   *
   * @param onBackendLeft told once for each {@link #close}; must not wait
   */
  public GatewayService(
      OntologyModel model,
      CaptureService captures,
      EventQueue events,
      Consumer<String> onBackendLeft) {
    this.model = model;
    this.captures = captures;
    this.events = events;
    this.onBackendLeft = onBackendLeft;
  }

  /** Work whose value becomes an answer. */
  private interface Work {
    JsonObject run() throws GatewayError, InterruptedException;
  }

  private static String answer(Work work) {
    try {
      return Answers.ok(work.run());
    } catch (GatewayError error) {
      return Answers.refused(error);
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
      return Answers.refused(ModelHop.closing());
    } catch (RuntimeException error) {
      error.printStackTrace();
      return Answers.refused(
          GatewayError.unavailable("The host failed to answer; its log says why."));
    }
  }

  @Override
  public String hello(int contract) {
    return answer(
        () -> {
          if (contract != CONTRACT) {
            throw mismatch(contract);
          }
          JsonObject json = new JsonObject();
          json.addProperty("contract", CONTRACT);
          json.addProperty("host", model.hostName());
          json.addProperty("host_version", model.hostVersion());
          json.addProperty("java", System.getProperty("java.version"));
          json.addProperty("window_id", model.windowId());
          json.addProperty("pid", ProcessHandle.current().pid());
          return json;
        });
  }

  private static GatewayError mismatch(int theirs) {
    JsonObject details = new JsonObject();
    details.addProperty("host", CONTRACT);
    details.addProperty("backend", theirs);
    return new GatewayError(
        GatewayError.CONTRACT_MISMATCH,
        String.format(
            "The editor's plugin speaks contract %d, the backend %d. Run: protege-jobs install-plugin",
            CONTRACT, theirs),
        false,
        details);
  }

  @Override
  public String revision() {
    return answer(
        () -> {
          JsonObject json = new JsonObject();
          json.addProperty("revision", model.revision());
          json.addProperty("closing", model.isClosing());
          return json;
        });
  }

  @Override
  public String describe() {
    return answer(() -> ModelHop.call(model, DESCRIBE_MS, this::description));
  }

  private JsonObject description() throws GatewayError {
    if (model.revision() == 0) {
      throw GatewayError.unavailable("The window is still loading its ontology.");
    }
    OWLOntology active = model.activeOntology();
    JsonObject json = new JsonObject();
    json.addProperty("title", model.title());
    json.add("ontology_iri", iri(active.getOntologyID().getOntologyIRI().orNull()));
    json.add("version_iri", iri(active.getOntologyID().getVersionIRI().orNull()));
    json.add("document_iri", iri(active.getOWLOntologyManager().getOntologyDocumentIRI(active)));
    json.addProperty("revision", model.revision());
    json.add(
        "format",
        Answers.text(
            DocumentFormats.nameOf(active.getOWLOntologyManager().getOntologyFormat(active))));
    json.addProperty("dirty", model.isDirty());
    Optional<SelectedReasoner> reasoner = model.selectedReasoner();
    json.add("reasoner", reasoner.map(SelectedReasoner::toJson).orElse(null));
    json.add("axiom_count", new JsonPrimitive(active.getAxiomCount(Imports.EXCLUDED)));
    return json;
  }

  private static com.google.gson.JsonElement iri(IRI iri) {
    return Answers.text(iri == null ? null : iri.toString());
  }

  @Override
  public String startCapture(String request) {
    return answer(
        () -> {
          JsonObject json = new JsonObject();
          json.addProperty("capture_id", captures.start(CaptureRequest.parse(request)));
          return json;
        });
  }

  @Override
  public String captureStatus(String id) {
    return answer(() -> captures.status(id));
  }

  @Override
  public String cancelCapture(String id) {
    return answer(
        () -> {
          captures.cancel(id);
          return new JsonObject();
        });
  }

  @Override
  public String awaitEvents(long cursor, int timeoutMs) {
    return answer(() -> events.await(cursor, timeoutMs));
  }

  @Override
  public String close(String reason) {
    return answer(
        () -> {
          onBackendLeft.accept(reason);
          return new JsonObject();
        });
  }
}
