package org.protegejobs.hermit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.protegejobs.owlapi.Worked;
import org.protegejobs.worker.WorkerException;

final class HermitTest {
  private static final String FACTORY = "org.semanticweb.HermiT.ReasonerFactory";

  @TempDir private Path folder;

  @Test
  void allSectionsAreThere() throws Exception {
    Worked.Answered answered =
        Worked.reason(
            folder,
            FACTORY,
            "Declaration(Class(:Lonely))",
            "SubClassOf(:A :B)",
            "EquivalentClasses(:B :C)",
            "SubClassOf(:D ObjectIntersectionOf(:A ObjectComplementOf(:B)))",
            "SubObjectPropertyOf(:p :q)",
            "SubObjectPropertyOf(:q ObjectInverseOf(:r))",
            "SubObjectPropertyOf(ObjectInverseOf(:r) :s)",
            "SubDataPropertyOf(:d :e)",
            "ClassAssertion(:A :i)",
            "SameIndividual(:i :j)",
            "ObjectPropertyAssertion(:p :i _:x)");
    assertEquals(
        List.of(
            ":A < :B=:C",
            ":B=:C < owl:Thing",
            ":D=owl:Nothing",
            ":Lonely < owl:Thing",
            "owl:Thing"),
        answered.section("classes"));
    assertEquals(
        List.of(
            ":p < :q",
            ":q < :s",
            ":r < owl:topObjectProperty",
            ":s < owl:topObjectProperty",
            "owl:bottomObjectProperty",
            "owl:topObjectProperty"),
        answered.section("object_properties"));
    assertEquals(
        List.of(
            ":d < :e", ":e < owl:topDataProperty", "owl:bottomDataProperty", "owl:topDataProperty"),
        answered.section("data_properties"));
    assertEquals(List.of(":i=:j < :A"), answered.section("individuals"));
    assertTrue(answered.value.get("consistent").getAsBoolean());
    assertEquals(0, answered.value.get("ignored_axioms").getAsInt());
    assertEquals(11, answered.value.get("loaded_axioms").getAsInt());
    assertEquals(List.of(), answered.texts("unsupported_wants"));
  }

  @Test
  void anInconsistentOntologyHasNoHierarchy() throws Exception {
    Worked.Answered answered =
        Worked.reason(folder, FACTORY, "SubClassOf(:A :B)", "SubClassOf(owl:Thing owl:Nothing)");
    assertFalse(answered.value.get("consistent").getAsBoolean());
    assertNull(answered.section("classes"));
  }

  @Test
  void aChainOfEqualIndividualsIsOneGroup() throws Exception {
    String[] axioms = new String[9];
    for (int number = 0; number < axioms.length; number++) {
      axioms[number] = "SameIndividual(:i" + number + " :i" + (number + 1) + ")";
    }
    assertEquals(
        List.of(":i0=:i1=:i2=:i3=:i4=:i5=:i6=:i7=:i8=:i9 < owl:Thing"),
        Worked.reason(folder, FACTORY, axioms).section("individuals"));
  }

  @Test
  void rulesCount() throws Exception {
    Worked.Answered answered =
        Worked.reason(
            folder,
            FACTORY,
            "ClassAssertion(:A :i)",
            "DLSafeRule(Body(ClassAtom(:A Variable(<urn:swrl#x>)))"
                + " Head(ClassAtom(:B Variable(<urn:swrl#x>))))");
    assertEquals(List.of(":i < :A | :B"), answered.section("individuals"));
    assertEquals(List.of(), answered.texts("incomplete_because"));
  }

  @Test
  void xmlLiteralsAreUnderstood() throws Exception {
    Worked.Answered answered =
        Worked.reason(
            folder,
            FACTORY,
            "DataPropertyAssertion(:d :i"
                + " \"<b>x</b>\"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#XMLLiteral>)");
    assertTrue(answered.value.get("consistent").getAsBoolean());
  }

  @Test
  void anUnsupportedDatatypeIsIgnoredOnlyByRequestAndNamed() throws Exception {
    JsonObject settings = new JsonObject();
    settings.addProperty("ignore_unsupported_datatypes", true);
    Worked.Answered answered =
        Worked.reason(
            folder,
            FACTORY,
            settings,
            "SubClassOf(:A :B)",
            "SubClassOf(:B DataSomeValuesFrom(:d xsd:date))");
    assertEquals(
        List.of("http://www.w3.org/2001/XMLSchema#date"), answered.texts("incomplete_because"));
    assertEquals(1, answered.value.get("ignored_axioms").getAsInt());
  }

  @Test
  void anUnknownSettingIsRefused() {
    JsonObject settings = new JsonObject();
    settings.addProperty("colour", "blue");
    WorkerException error =
        assertThrows(
            WorkerException.class,
            () -> Worked.reason(folder, FACTORY, settings, "SubClassOf(:A :B)"));
    assertTrue(error.getMessage().contains("colour"));
  }

  @ParameterizedTest
  @MethodSource("refusals")
  void whatIsNotInOwlDlIsRefusedByName(String construct, String named, String axioms) {
    WorkerException error =
        assertThrows(
            WorkerException.class, () -> Worked.reason(folder, FACTORY, axioms.split("; ")));
    assertEquals("reasoner_refused_input", error.code());
    assertEquals(construct, error.details().get("construct").getAsString());
    assertTrue(error.getMessage().contains(Worked.expanded(named)), error.getMessage());
  }

  private static Stream<Arguments> refusals() {
    String transitive = "TransitiveObjectProperty(:p); SubObjectPropertyOf(:p :q); ";
    return Stream.of(
        Arguments.of(
            "ObjectMinCardinality",
            ":q",
            transitive + "SubClassOf(:A ObjectMinCardinality(2 :q :B))"),
        Arguments.of(
            "ObjectMaxCardinality",
            ":q",
            transitive + "SubClassOf(:A ObjectMaxCardinality(2 :q :B))"),
        Arguments.of("ObjectHasSelf", ":q", transitive + "SubClassOf(:A ObjectHasSelf(:q))"),
        Arguments.of("AsymmetricObjectProperty", ":q", transitive + "AsymmetricObjectProperty(:q)"),
        Arguments.of(
            "IrreflexiveObjectProperty", ":q", transitive + "IrreflexiveObjectProperty(:q)"),
        Arguments.of(
            "DisjointObjectProperties", ":q", transitive + "DisjointObjectProperties(:q :r)"),
        Arguments.of(
            "ObjectPropertyChain",
            "regular",
            "SubObjectPropertyOf(ObjectPropertyChain(:p :q) :r);"
                + " SubObjectPropertyOf(ObjectPropertyChain(:r :p) :q);"
                + " SubObjectPropertyOf(ObjectPropertyChain(:q :r) :p)"),
        Arguments.of(
            "http://www.w3.org/2001/XMLSchema#date",
            "xsd:date",
            "DataPropertyRange(:d xsd:date); SubClassOf(:A :B)"),
        Arguments.of(
            "http://www.w3.org/2001/XMLSchema#integer",
            "xsd:integer",
            "DataPropertyAssertion(:d :i \"one\"^^xsd:integer)"),
        Arguments.of(
            "BuiltInAtom",
            "uilt-in",
            "DLSafeRule(Body(DataPropertyAtom(:d Variable(<urn:swrl#x>) Variable(<urn:swrl#y>))"
                + " BuiltInAtom(<http://www.w3.org/2003/11/swrlb#greaterThan>"
                + " Variable(<urn:swrl#y>) \"1\"^^xsd:integer))"
                + " Head(ClassAtom(:B Variable(<urn:swrl#x>))))"),
        Arguments.of("AnonymousIndividual", "anonymous", "SameIndividual(_:x :i)"));
  }

  @Test
  void anUnsatisfiableClassIsExplainedInEveryWay() throws Exception {
    Worked.Explained explained =
        Worked.explain(
            folder,
            FACTORY,
            Worked.goal("unsatisfiable", "class", "A"),
            10,
            "SubClassOf(Annotation(:note \"two\nlines\") :A :B)",
            "SubClassOf(:A ObjectComplementOf(:B))",
            "SubClassOf(:B ObjectAllValuesFrom(:p :C))",
            "SubClassOf(:A ObjectSomeValuesFrom(:p :D))",
            "DisjointClasses(:C :D)",
            "SubClassOf(:E :F)");
    assertTrue(explained.value.get("holds").getAsBoolean());
    assertTrue(explained.value.get("is_exhausted").getAsBoolean());
    assertEquals(
        List.of(
            List.of(
                "SubClassOf(:A ObjectComplementOf(:B))",
                "SubClassOf(Annotation(:note \"two\nlines\") :A :B)"),
            List.of(
                "DisjointClasses(:C :D)",
                "SubClassOf(:A ObjectSomeValuesFrom(:p :D))",
                "SubClassOf(:B ObjectAllValuesFrom(:p :C))",
                "SubClassOf(Annotation(:note \"two\nlines\") :A :B)")),
        explained.justifications);
  }

  @Test
  void theLimitOfJustificationsIsKeptAndSaid() throws Exception {
    Worked.Explained explained =
        Worked.explain(
            folder,
            FACTORY,
            Worked.goal("subsumption", "sub", "A", "super", "Z"),
            1,
            "SubClassOf(:A :B)",
            "SubClassOf(:B :Z)",
            "SubClassOf(:A :C)",
            "SubClassOf(:C :Z)");
    assertEquals(1, explained.justifications.size());
    assertFalse(explained.value.get("is_exhausted").getAsBoolean());
  }

  @Test
  void whatDoesNotFollowHasNoJustification() throws Exception {
    Worked.Explained explained =
        Worked.explain(
            folder,
            FACTORY,
            Worked.goal("subsumption", "sub", "B", "super", "A"),
            5,
            "SubClassOf(:A :B)");
    assertFalse(explained.value.get("holds").getAsBoolean());
    assertTrue(explained.value.get("is_exhausted").getAsBoolean());
    assertEquals(List.of(), explained.justifications);
  }

  @Test
  void whatFollowsFromNothingHasTheEmptyJustification() throws Exception {
    Worked.Explained explained =
        Worked.explain(
            folder,
            FACTORY,
            Worked.goal("subsumption", "sub", "A", "super", "A"),
            5,
            "SubClassOf(:A :B)");
    assertTrue(explained.value.get("holds").getAsBoolean());
    assertTrue(explained.value.get("is_exhausted").getAsBoolean());
    assertEquals(List.of(List.of()), explained.justifications);
  }

  @Test
  void anInconsistencyIsExplainedRulesIncluded() throws Exception {
    String rule =
        "DLSafeRule(Body(ClassAtom(:A Variable(<urn:swrl#x>)))"
            + "Head(ClassAtom(:B Variable(<urn:swrl#x>))))";
    Worked.Explained explained =
        Worked.explain(
            folder,
            FACTORY,
            Worked.goal("inconsistency"),
            5,
            "ClassAssertion(:A :i)",
            rule,
            "DisjointClasses(:A :B)",
            "ClassAssertion(:C :i)",
            "SubClassOf(owl:Thing :D)",
            "SubClassOf(:D owl:Nothing)");
    assertEquals(
        List.of(
            List.of("SubClassOf(:D owl:Nothing)", "SubClassOf(owl:Thing :D)"),
            List.of("ClassAssertion(:A :i)", "DLSafeRule", "DisjointClasses(:A :B)")),
        explained.justifications.stream()
            .map(
                row ->
                    row.stream()
                        .map(each -> each.startsWith("DLSafe") ? "DLSafeRule" : each)
                        .collect(Collectors.toList()))
            .collect(Collectors.toList()));
  }
}
