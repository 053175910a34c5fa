package org.protegejobs.owlapi;

import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.TreeSet;
import org.protegejobs.worker.Artifact;
import org.protegejobs.worker.ArtifactWriter;
import org.protegejobs.worker.Call;
import org.semanticweb.owlapi.model.OWLAnnotation;
import org.semanticweb.owlapi.model.OWLAxiom;
import org.semanticweb.owlapi.model.OWLImportsDeclaration;
import org.semanticweb.owlapi.model.OWLOntology;
import org.semanticweb.owlapi.model.OWLOntologyID;

/**
 * Writes an ontology as functional syntax with full IRIs, one axiom after the other, sorted.
 *
 * <p>Not by the OWL API's own storer: that adds declarations, and writes comments that hold labels,
 * whose line breaks then are read as axioms.
 */
final class DocumentWriter {
  private static final String NAME = "document.ofn";
  private static final String MEDIA_TYPE = "text/owl-functional";

  private DocumentWriter() {}

  /** The artifact {@code document.ofn}. */
  static Artifact write(Call call, OWLOntology ontology) throws IOException {
    try (ArtifactWriter artifact = new ArtifactWriter(call, NAME, MEDIA_TYPE)) {
      Writer out = new OutputStreamWriter(artifact, StandardCharsets.UTF_8.newEncoder());
      write(ontology, out);
      out.flush();
      return artifact.finish();
    }
  }

  /** The text of the whole document. */
  static void write(OWLOntology ontology, Writer out) throws IOException {
    AxiomText text = new AxiomText(ontology);
    out.write("Ontology(");
    OWLOntologyID id = ontology.getOntologyID();
    if (id.getOntologyIRI().isPresent()) {
      out.write("<" + id.getOntologyIRI().get() + ">");
      if (id.getVersionIRI().isPresent()) {
        out.write(" <" + id.getVersionIRI().get() + ">");
      }
    }
    out.write('\n');
    for (OWLImportsDeclaration each : new TreeSet<>(ontology.getImportsDeclarations())) {
      out.write("Import(<" + each.getIRI() + ">)\n");
    }
    List<String> lines = new ArrayList<>();
    for (OWLAnnotation each : ontology.getAnnotations()) {
      lines.add(text.of(each));
    }
    writeSorted(lines, out);
    for (OWLAxiom each : ontology.getAxioms()) {
      lines.add(text.of(each));
    }
    writeSorted(lines, out);
    out.write(")\n");
  }

  private static void writeSorted(List<String> lines, Writer out) throws IOException {
    Collections.sort(lines);
    for (String line : lines) {
      out.write(line);
      out.write('\n');
    }
    lines.clear();
  }
}
