package org.protegejobs.owlapi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.CharBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.protegejobs.worker.WorkerException;
import org.semanticweb.owlapi.model.OWLAxiom;

final class CaptureTest {

  @Test
  void whatOnlyAnnotatesIsCountedAndNotLoaded() throws IOException {
    Capture capture =
        capture(
            "AnnotationAssertion(<urn:l> <urn:A> \"SubClassOf(<urn:A> \\\"\\\\\\\" )",
            "\")",
            "AnnotationPropertyDomain(<urn:l> <urn:A>)",
            "Declaration(AnnotationProperty(<urn:l>))",
            "Declaration(Class(<urn:A>))",
            "SubAnnotationPropertyOf(<urn:l> <urn:m>)",
            "SubClassOf(Annotation(<urn:l> \"(\") <urn:A(b> <urn:B>)");
    assertEquals(6, capture.axioms());
    assertEquals(2, capture.ontology().getAxiomCount());
  }

  @Test
  void axiomsThatAreEqualForTheOwlApiAreAllThere() throws IOException {
    Capture capture =
        capture("DisjointClasses(<urn:A> <urn:B>)", "DisjointClasses(<urn:B> <urn:A>)");
    assertEquals(2, capture.axioms());
    assertEquals(1, capture.ontology().getAxiomCount());
  }

  @Test
  void literalsStayAsWritten() throws IOException {
    Capture capture =
        capture(
            "DataPropertyAssertion(<urn:d> <urn:i>"
                + " \"1\"^^<http://www.w3.org/2001/XMLSchema#boolean>)");
    OWLAxiom axiom = capture.ontology().getAxioms().iterator().next();
    assertTrue(new AxiomText(capture.ontology()).of(axiom).contains("\"1\"^^"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"SubClassOf(<urn:A>)", "Nonsense(<urn:A>)", "SubClassOf(<urn:A> <urn:B>", "x:A"})
  void whatTheParserDoesNotTakeIsRefused(String line) {
    WorkerException error = assertThrows(WorkerException.class, () -> capture(line));
    assertEquals("invalid_ontology", error.code());
  }

  private static Capture capture(String... lines) throws IOException {
    String text = "Ontology(\n" + String.join("\n", lines) + "\n)\n";
    return Capture.parse(CharBuffer.wrap(text.toCharArray()));
  }
}
