package org.protegejobs.owlapi;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import org.protegejobs.worker.Artifact;
import org.protegejobs.worker.Call;
import org.protegejobs.worker.Operation;
import org.protegejobs.worker.Reporter;
import org.protegejobs.worker.Result;
import org.semanticweb.owlapi.model.IRI;
import org.semanticweb.owlapi.model.OWLImportsDeclaration;
import org.semanticweb.owlapi.model.OWLOntology;

/**
 * Reads a document with the parser of its format and writes it as functional syntax; operation
 * {@code read_document} of the worker protocol. Imports are data, no other file is opened.
 */
final class ReadDocumentOperation implements Operation {

  @Override
  public Result run(Call call, Reporter reporter) throws Exception {
    DocumentFormat format = DocumentFormat.named(call.text("format"));
    JsonElement iri = call.inputs().get("document_iri");
    reporter.progress("loading", "Reading the document", null);
    DocumentReader reader = new DocumentReader();
    OWLOntology ontology =
        reader.read(
            bytes(call), format, iri == null || iri.isJsonNull() ? null : iri.getAsString());
    Cancelled.check(reporter);
    reporter.progress("staging", "Writing the document", null);
    Artifact document = DocumentWriter.write(call, ontology);
    JsonObject value = new JsonObject();
    value.add("ontology_iri", text(ontology.getOntologyID().getOntologyIRI().orNull()));
    value.add("version_iri", text(ontology.getOntologyID().getVersionIRI().orNull()));
    JsonArray imports = new JsonArray();
    for (OWLImportsDeclaration each : new TreeSet<>(ontology.getImportsDeclarations())) {
      imports.add(each.getIRI().toString());
    }
    value.add("imports", imports);
    value.add("warnings", bounded(reader.warnings()));
    value.addProperty("axioms", ontology.getAxiomCount());
    return new Result(value, List.of(document));
  }

  /** The bytes, which the protocol names {@code path} and {@code sha256} here. */
  private static byte[] bytes(Call call) throws IOException {
    JsonObject inputs = new JsonObject();
    inputs.addProperty("document", call.text("path"));
    inputs.addProperty("document_sha256", call.text("sha256"));
    return new Call(call.operation(), call.version(), inputs, call.workDir())
        .inputBytes("document");
  }

  private static JsonElement text(IRI iri) {
    return iri == null ? JsonNull.INSTANCE : new JsonPrimitive(iri.toString());
  }

  private static JsonArray bounded(Collection<String> warnings) {
    JsonArray array = new JsonArray();
    int left = Limits.WARNINGS;
    for (String each : warnings) {
      if (left-- == 0) {
        array.add((warnings.size() - Limits.WARNINGS) + " more warnings are left out.");
        break;
      }
      array.add(each);
    }
    return array;
  }
}
