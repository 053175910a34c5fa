package org.protegejobs.owlapi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.protegejobs.worker.WorkerException;

final class DocumentReadingTest {
  private static final String EVERYTHING =
      String.join(
          "\n",
          "Ontology(<urn:o> <urn:o:1>",
          "Import(<http://example.invalid/missing>)",
          "Annotation(Annotation(<urn:note> \"why\") <urn:title> \"all\"@en)",
          "AnnotationAssertion(<urn:label> <urn:A> \"two",
          "SubClassOf( lines\")",
          "AnnotationAssertion(<urn:label> <urn:A> \"\\\"quoted\\\" and \\\\\")",
          "AnnotationAssertion(<urn:size> <urn:A>"
              + " \"1\"^^<http://www.w3.org/2001/XMLSchema#boolean>)",
          "AnnotationAssertion(<urn:size> <urn:A>"
              + " \"1.50\"^^<http://www.w3.org/2001/XMLSchema#float>)",
          "AnnotationAssertion(<urn:size> <urn:A>"
              + " \"07\"^^<http://www.w3.org/2001/XMLSchema#integer>)",
          "ClassAssertion(<urn:A> <urn:i>)",
          "DLSafeRule(Body(ClassAtom(<urn:A> Variable(<urn:swrl#x>)))"
              + "Head(ClassAtom(<urn:B> Variable(<urn:swrl#x>))))",
          "DataPropertyRange(<urn:d> DatatypeRestriction("
              + "<http://www.w3.org/2001/XMLSchema#integer>"
              + " <http://www.w3.org/2001/XMLSchema#minInclusive>"
              + " \"1\"^^<http://www.w3.org/2001/XMLSchema#integer>))",
          "Declaration(Class(<urn:A>))",
          "HasKey(<urn:A> (<urn:p> )(<urn:d> ))",
          "SubClassOf(Annotation(<urn:note> \"a\") Annotation(<urn:note> \"b\") <urn:A>"
              + " ObjectExactCardinality(2 <urn:p> <urn:B>))",
          "SubObjectPropertyOf(ObjectPropertyChain(<urn:p> ObjectInverseOf(<urn:q>)) <urn:p>)",
          ")",
          "");

  private static final String PREFIXES =
      "@prefix : <urn:> .\n"
          + "@prefix owl: <http://www.w3.org/2002/07/owl#> .\n"
          + "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
          + "<urn:o> a owl:Ontology .\n";

  private static final String HEADER = "format-version: 1.2\nontology: sweets\n\n";
  private static final String TERM = HEADER + "[Term]\nid: SW:0000001\nname: sugar\n";

  @TempDir private Path folder;

  @Test
  void aDocumentComesOutAsItWentInAndNothingIsAdded() throws Exception {
    JsonObject once = read("functional", EVERYTHING);
    String text = once.get("document").getAsString();
    assertEquals("urn:o:1", once.get("version_iri").getAsString());
    assertEquals(
        "http://example.invalid/missing",
        once.get("imports").getAsJsonArray().get(0).getAsString());
    assertEquals(12, once.get("axioms").getAsInt());
    assertEquals(1, text.split("Declaration\\(").length - 1);
    for (String each : EVERYTHING.split("\n(?=[A-Z]\\w+\\((?! lines))")) {
      assertTrue(dense(text).contains(dense(each)), each);
    }
    assertEquals(text, read("functional", text).get("document").getAsString());
  }

  @ParameterizedTest
  @MethodSource("sameOntology")
  void everyFormatHasItsParser(String format, String document) throws Exception {
    JsonObject read = read(format, document);
    assertEquals("urn:o", read.get("ontology_iri").getAsString());
    assertTrue(read.get("document").getAsString().contains("SubClassOf(<urn:A> <urn:B>)"));
    assertFalse(read.get("warnings").toString().contains("declared"), read.toString());
  }

  private static Stream<Arguments> sameOntology() {
    return Stream.of(
        Arguments.of("functional", "\ufeffOntology(<urn:o> SubClassOf(<urn:A> <urn:B>))"),
        Arguments.of(
            "turtle",
            PREFIXES
                + "<urn:o> owl:imports <http://example.invalid/x> .\n"
                + ":A a owl:Class ; rdfs:subClassOf :B . :B a owl:Class ."),
        Arguments.of(
            "manchester",
            "Ontology: <urn:o>\nClass: <urn:B>\nClass: <urn:A>\n  SubClassOf: <urn:B>"),
        Arguments.of(
            "owlxml",
            "<?xml version=\"1.0\"?><Ontology xmlns=\"http://www.w3.org/2002/07/owl#\""
                + " ontologyIRI=\"urn:o\"><SubClassOf><Class IRI=\"urn:A\"/><Class"
                + " IRI=\"urn:B\"/></SubClassOf></Ontology>"),
        Arguments.of(
            "rdfxml",
            "<?xml version=\"1.0\"?><!DOCTYPE r [<!ENTITY u \"urn:\">]>"
                + rdf(
                    "<o:Ontology r:about=\"urn:o\"><o:imports"
                        + " r:resource=\"http://example.invalid/x\"/></o:Ontology><o:Class"
                        + " r:about=\"&u;A\"><s:subClassOf r:resource=\"urn:B\"/></o:Class><o:Class"
                        + " r:about=\"urn:B\"/>")));
  }

  @ParameterizedTest
  @MethodSource("faults")
  void whatCannotBeReadWholeIsRefused(String format, Integer line, String words, String document) {
    WorkerException error =
        assertThrows(WorkerException.class, () -> read(format, document), "it was read");
    assertEquals("invalid_ontology", error.code());
    assertTrue(error.getMessage().contains(words), error.getMessage());
    if (line != null) {
      assertEquals(line, error.details().get("line").getAsInt(), error.getMessage());
    }
  }

  private static Stream<Arguments> faults() {
    String entity =
        "<?xml version=\"1.0\"?>\n<!DOCTYPE r [\n<!ENTITY x SYSTEM \"file:///etc/host\">]>";
    StringBuilder laughs =
        new StringBuilder("<?xml version=\"1.0\"?><!DOCTYPE r [<!ENTITY e0 \"x\">");
    for (int number = 1; number < 20; number++) {
      String below = "&e" + (number - 1) + ";";
      laughs.append("<!ENTITY e" + number + " \"" + below.repeat(4) + "\">");
    }
    laughs.append("]>").append(rdf("<o:Ontology r:about=\"urn:o\" s:label=\"&e19;\"/>"));
    return Stream.of(
        Arguments.of("obo", 10, "trailing qualifier", TERM + "\n[Term]\nid: SW:2\nname: N-{b}-a\n"),
        Arguments.of("obo", 8, "[Instance]", TERM + "\n[Instance]\nid: SW:2\n"),
        Arguments.of("obo", 7, "not closed", TERM + "def: \"sweet stuff\n"),
        Arguments.of("obo", 7, "not closed", TERM + "synonym: \"swe"),
        Arguments.of("obo", 7, "backslash", TERM + "comment: one \\\nx: two\n"),
        Arguments.of("obo", 7, "no spaces", TERM + "is_a SW:2\n"),
        Arguments.of(
            "turtle",
            null,
            "",
            PREFIXES
                + ":A a owl:Class ; rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :p ] ."),
        Arguments.of("turtle", 5, "", PREFIXES + ":A a owl:Class ; rdfs:subClassOf"),
        Arguments.of("rdfxml", 3, "external entity", entity + rdf("")),
        Arguments.of("rdfxml", null, "", laughs.toString()),
        Arguments.of("rdfxml", null, "", "<!DOCTYPE html><html lang=\"en\"><p>Sign in</p></html>"),
        Arguments.of("rdfxml", null, "", "Ontology(<urn:o>)"),
        Arguments.of("functional", null, "", "Ontology(<urn:o> SubClassOf(<urn:A> <urn:B>)"),
        Arguments.of("functional", null, "prefix", "Ontology(<urn:o> SubClassOf(a:A <urn:B>))"),
        Arguments.of("manchester", 2, "", "Ontology: <urn:o>\nClass: <urn:A> SubClassOff: <urn:B>"),
        Arguments.of("owlxml", null, "", "<?xml version=\"1.0\"?><html/>"));
  }

  @Test
  void whatIsGuessedIsSaid() throws Exception {
    JsonObject read = read("turtle", PREFIXES + ":A a owl:Class ; rdfs:subClassOf :B .");
    assertTrue(read.get("warnings").toString().contains("urn:B"), read.toString());
  }

  @Test
  void anOboDocumentIsTranslatedAndItsImportsAreData() throws Exception {
    JsonObject read =
        read(
            "obo",
            HEADER.stripTrailing()
                + "\nimport: http://example.invalid/x.owl\n\n"
                + "[Term]\nid: SW:0000001\nname: zucker \u00e4\nis_a: SW:0000002\n"
                + "def: \"sweet ! \\\"stuff\\\"\" [X:1 \"y\"] ! \"it's\n");
    String text = read.get("document").getAsString();
    assertEquals(
        "http://purl.obolibrary.org/obo/sweets.owl", read.get("ontology_iri").getAsString());
    assertTrue(text.contains("Import(<http://example.invalid/x.owl>)"), text);
    assertTrue(text.contains("zucker \u00e4"), text);
    assertTrue(text.contains("sweet ! \\\"stuff\\\""), text);
    assertEquals(text, read("functional", text).get("document").getAsString());
  }

  @Test
  void anOboDocumentWithoutNameOrLastLineEndIsReadWithWarnings() throws Exception {
    JsonObject read = read("obo", "format-version: 1.2\n\n[Term]\nid: SW:1\nname: sugar");
    assertEquals(2, read.get("warnings").getAsJsonArray().size(), read.toString());
  }

  @Test
  void bytesThatAreNotUtf8AreRefused() {
    WorkerException error =
        assertThrows(
            WorkerException.class,
            () ->
                Worked.read(
                    folder,
                    "obo",
                    TERM.replace("sugar", "\u00e4").getBytes(StandardCharsets.ISO_8859_1)));
    assertTrue(error.getMessage().contains("UTF-8"));
  }

  @Test
  void anonymousIndividualsAndListsSurvive() throws Exception {
    JsonObject read =
        read(
            "turtle",
            PREFIXES
                + ":A a owl:Class ; rdfs:label \"x\"@en-GB . :p a owl:ObjectProperty .\n"
                + ":i a owl:NamedIndividual , :A ; :p [ a :A ] .\n"
                + "[ a owl:AllDisjointClasses ; owl:members ( :A :B :C ) ] . :B a owl:Class ."
                + " :C a owl:Class .");
    String text = read.get("document").getAsString();
    assertTrue(text.contains("ObjectPropertyAssertion(<urn:p> <urn:i> _:genid"), text);
    assertTrue(text.contains("DisjointClasses(<urn:A> <urn:B> <urn:C>)"), text);
    assertFalse(read.get("warnings").toString().contains("declared"), read.toString());
    assertEquals(List.of(), List.of(read.get("imports").getAsJsonArray().asList().toArray()));
  }

  private JsonObject read(String format, String document) throws Exception {
    return Worked.read(folder, format, document.getBytes(StandardCharsets.UTF_8));
  }

  private static String dense(String text) {
    return text.replaceAll("\\s", "");
  }

  private static String rdf(String content) {
    return "<r:RDF xmlns:r=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\""
        + " xmlns:o=\"http://www.w3.org/2002/07/owl#\""
        + " xmlns:s=\"http://www.w3.org/2000/01/rdf-schema#\">"
        + content
        + "</r:RDF>";
  }
}
