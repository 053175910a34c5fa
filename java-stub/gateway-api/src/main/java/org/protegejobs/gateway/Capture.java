package org.protegejobs.gateway;

import com.google.gson.JsonArray;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * One capture from request to manifest. Its state is read by gateway threads and moved by the one
 * thread that captures.
 */
final class Capture {
  /** In the order in which a capture passes them; the last two are ends. */
  enum State {
    COPYING,
    WRITING,
    READY,
    FAILED;

    String wire() {
      return name().toLowerCase(java.util.Locale.ROOT);
    }
  }

  final String id;
  final Path folder;
  final long maxAxioms;

  /** Whether it was given back; whoever works on it stops soon, and deletes its folder. */
  volatile boolean isCancelled;

  private State state = State.COPYING;
  private String message = "Copying the ontology";
  private JsonObject outcome;

  Capture(String id, Path folder, long maxAxioms) {
    this.id = id;
    this.folder = folder;
    this.maxAxioms = maxAxioms;
  }

  synchronized State state() {
    return state;
  }

  synchronized void enter(State next, String words, JsonObject result) {
    state = next;
    message = words;
    outcome = result;
  }

  /** The members of {@code captureStatus}. */
  synchronized JsonObject status() {
    JsonObject json = new JsonObject();
    json.addProperty("capture_id", id);
    json.addProperty("state", state.wire());
    json.addProperty("message", message);
    json.add("manifest", state == State.READY ? outcome : JsonNull.INSTANCE);
    json.add("error", state == State.FAILED ? outcome : JsonNull.INSTANCE);
    return json;
  }

  /** The fenced copy, and how it was got. */
  static final class Fenced {
    ClosureCopy copy;
    long revision;
    int tries;
    long modelThreadNanos;
    long copyNanos;
    Optional<SelectedReasoner> reasoner = Optional.empty();
    String title;

    /** The manifest, still without the members' files and the time of writing. */
    JsonObject toJson() {
      JsonObject json = new JsonObject();
      json.addProperty("revision", revision);
      json.addProperty("title", title);
      json.add("imports_missing", Answers.texts(copy.missing()));
      json.add("reasoner", reasoner.map(SelectedReasoner::toJson).orElse(null));
      json.addProperty("tries", tries);
      json.addProperty("model_thread_us", modelThreadNanos / 1_000);
      json.addProperty("copy_ms", copyNanos / 1_000_000);
      return json;
    }
  }

  /** One row of the manifest. */
  static JsonObject row(ClosureCopy.Member member, String file, MemberFile written) {
    JsonObject row = new JsonObject();
    row.add("ontology_iri", Answers.text(textOf(member.id.getOntologyIRI().orNull())));
    row.add("version_iri", Answers.text(textOf(member.id.getVersionIRI().orNull())));
    row.add("document_iri", Answers.text(textOf(member.documentIri)));
    row.add("format", Answers.text(member.format));
    JsonObject prefixes = new JsonObject();
    for (Map.Entry<String, String> each : member.prefixes.entrySet()) {
      prefixes.addProperty(each.getKey(), each.getValue());
    }
    row.add("prefixes", prefixes);
    JsonArray imports = new JsonArray();
    for (ClosureCopy.Import each : member.imports) {
      JsonObject declared = new JsonObject();
      declared.addProperty("iri", each.iri);
      declared.addProperty("member", each.member);
      imports.add(declared);
    }
    row.add("imports", imports);
    row.addProperty("is_anonymous", member.id.isAnonymous());
    row.addProperty("axiom_count", member.axioms.size());
    row.addProperty("file", file);
    row.addProperty("sha256", written.sha256);
    row.addProperty("bytes", written.bytes);
    return row;
  }

  private static String textOf(Object iri) {
    return iri == null ? null : iri.toString();
  }
}
