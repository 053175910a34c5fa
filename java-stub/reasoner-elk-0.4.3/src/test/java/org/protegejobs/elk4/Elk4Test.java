package org.protegejobs.elk4;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.protegejobs.owlapi.Worked;
import org.protegejobs.owlapi.logging.LogRecords;

final class Elk4Test {
  private static final String FACTORY = "org.semanticweb.elk.owlapi.ElkReasonerFactory";

  /** What ELK leaves out, or takes as something else, without a word in its log. */
  private static final Set<String> SILENT = Set.of("owl:topObjectProperty", "DLSafeRule");

  @TempDir private Path folder;

  @Test
  void classesAndTypesAreThereAndTheRestIsSaidToBeMissing() throws Exception {
    Worked.Answered answered =
        Worked.reason(
            folder,
            FACTORY,
            "Declaration(Class(:Lonely))",
            "SubClassOf(:A ObjectSomeValuesFrom(:p :B))",
            "EquivalentClasses(:C ObjectSomeValuesFrom(:q :B))",
            "SubObjectPropertyOf(:p :q)",
            "DisjointClasses(:A :B)",
            "SubClassOf(:D :A)",
            "SubClassOf(:D :B)",
            "ClassAssertion(:A :i)");
    assertEquals(
        List.of(
            ":A < :C",
            ":B < owl:Thing",
            ":C < owl:Thing",
            ":D=owl:Nothing",
            ":Lonely < owl:Thing",
            "owl:Thing"),
        answered.section("classes"));
    assertEquals(List.of(":i < :A"), answered.section("individuals"));
    assertEquals(
        List.of("object_properties", "data_properties"), answered.texts("unsupported_wants"));
    assertEquals(List.of(), answered.texts("incomplete_because"));
    assertEquals(0, answered.value.get("ignored_axioms").getAsInt());
  }

  @Test
  void aClassInIgnoredAxiomsOnlyHasItsPlace() throws Exception {
    Worked.Answered answered =
        Worked.reason(
            folder, FACTORY, "SubClassOf(:A :B)", "SubClassOf(:E ObjectAllValuesFrom(:p :F))");
    assertEquals(
        List.of(
            ":A < :B",
            ":B < owl:Thing",
            ":E < owl:Thing",
            ":F < owl:Thing",
            "owl:Nothing",
            "owl:Thing"),
        answered.section("classes"));
    assertEquals(List.of("ObjectAllValuesFrom"), answered.texts("incomplete_because"));
  }

  @Test
  void anInconsistentOntologyHasNoHierarchy() throws Exception {
    Worked.Answered answered =
        Worked.reason(folder, FACTORY, "SubClassOf(:A :B)", "SubClassOf(owl:Thing owl:Nothing)");
    assertFalse(answered.value.get("consistent").getAsBoolean());
    assertNull(answered.section("classes"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "SubClassOf(:A ObjectUnionOf(:B :C)) | ObjectUnionOf",
        "SubClassOf(ObjectUnionOf(:B :C) :A) |",
        "SubClassOf(:A ObjectComplementOf(:B)) |",
        "EquivalentClasses(:A ObjectComplementOf(:B)) | ObjectComplementOf",
        "SubClassOf(:A ObjectComplementOf(ObjectComplementOf(:B))) | ObjectComplementOf",
        "SubClassOf(:A ObjectSomeValuesFrom(ObjectInverseOf(:p) :B)) | ObjectInverseOf",
        "SubClassOf(:A ObjectHasValue(:p :i)) |",
        "SubClassOf(:A ObjectOneOf(:i)) | ObjectOneOf",
        "SubClassOf(:A ObjectHasSelf(:p)) | ObjectHasSelf",
        "SubClassOf(:A ObjectMinCardinality(1 :p :B)) | ObjectMinCardinality",
        "SubClassOf(:A DataHasValue(:d \"1\"^^xsd:integer)) | DataHasValue",
        "SubClassOf(:A DataSomeValuesFrom(:d xsd:integer)) | DataSomeValuesFrom",
        "SubClassOf(:A ObjectSomeValuesFrom(owl:topObjectProperty :B)) | owl:topObjectProperty",
        "ClassAssertion(:A _:x) | AnonymousIndividual",
        "ObjectPropertyRange(:p :A) | ObjectPropertyRange",
        "DisjointUnion(:A :B :C) | DisjointUnion",
        "IrreflexiveObjectProperty(:p) | IrreflexiveObjectProperty",
        "SubDataPropertyOf(:d :e) | SubDataPropertyOf",
        "HasKey(:A () (:d)) | HasKey",
        "DLSafeRule(Body(ClassAtom(:A Variable(<urn:x>))) "
            + "Head(ClassAtom(:B Variable(<urn:x>)))) | DLSafeRule",
        "SubObjectPropertyOf(ObjectPropertyChain(:p ObjectInverseOf(:q)) :p) | ObjectInverseOf"
      })
  void whatIsNotInterpretedIsNamedAndCounted(String axiom, String construct) throws Exception {
    Worked.Answered answered;
    List<String> log = new ArrayList<>();
    try (LogRecords.AutoCloseableListener listening =
        LogRecords.listen(entry -> log.add(entry.message()))) {
      answered = Worked.reason(folder, FACTORY, "SubClassOf(:X :Y)", axiom);
    }
    log.removeIf(each -> !each.startsWith("[reasoner.indexing."));
    assertEquals(construct != null && !SILENT.contains(construct), !log.isEmpty(), log.toString());
    List<String> expected = construct == null ? List.of() : List.of(construct);
    assertEquals(expected, answered.texts("incomplete_because"));
    assertEquals(expected.size(), answered.value.get("ignored_axioms").getAsInt());
    assertTrue(answered.section("classes").contains(":X < :Y"));
  }

  @Test
  void aSubsumptionIsExplained() throws Exception {
    Worked.Explained explained =
        Worked.explain(
            folder,
            FACTORY,
            Worked.goal("subsumption", "sub", "A", "super", "Z"),
            10,
            "SubClassOf(:A ObjectSomeValuesFrom(:p :B))",
            "SubObjectPropertyOf(:p :q)",
            "SubClassOf(ObjectSomeValuesFrom(:q :B) :Z)",
            "SubClassOf(:A :C)",
            "SubClassOf(:C :Z)",
            "SubClassOf(:Z :Top)");
    assertEquals(
        List.of(
            List.of("SubClassOf(:A :C)", "SubClassOf(:C :Z)"),
            List.of(
                "SubClassOf(:A ObjectSomeValuesFrom(:p :B))",
                "SubClassOf(ObjectSomeValuesFrom(:q :B) :Z)",
                "SubObjectPropertyOf(:p :q)")),
        explained.justifications);
    assertTrue(explained.value.get("is_exhausted").getAsBoolean());
  }
}
