package org.protegejobs.jfact;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.protegejobs.owlapi.Worked;
import org.protegejobs.worker.WorkerException;

final class JFactTest {
  private static final String FACTORY = "uk.ac.manchester.cs.jfact.JFactFactory";

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
            "SubDataPropertyOf(:d :e)",
            "ClassAssertion(:A :i)",
            "SameIndividual(:i :j)");
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
            ":q < owl:topObjectProperty",
            "owl:bottomObjectProperty",
            "owl:topObjectProperty"),
        answered.section("object_properties"));
    assertEquals(
        List.of(
            ":d < :e", ":e < owl:topDataProperty", "owl:bottomDataProperty", "owl:topDataProperty"),
        answered.section("data_properties"));
    assertEquals(List.of(":i=:j < :A"), answered.section("individuals"));
  }

  @Test
  void anInconsistentOntologyHasNoHierarchy() throws Exception {
    Worked.Answered answered =
        Worked.reason(folder, FACTORY, "SubClassOf(:A :B)", "SubClassOf(owl:Thing owl:Nothing)");
    assertFalse(answered.value.get("consistent").getAsBoolean());
    assertNull(answered.section("classes"));
  }

  @Test
  void anUnsatisfiableClassIsExplained() throws Exception {
    Worked.Explained explained =
        Worked.explain(
            folder,
            FACTORY,
            Worked.goal("unsatisfiable", "class", "A"),
            5,
            "SubClassOf(:A ObjectSomeValuesFrom(:p :B))",
            "ObjectPropertyRange(:p ObjectComplementOf(:B))",
            "SubClassOf(:C :B)");
    assertEquals(
        List.of(
            List.of(
                "ObjectPropertyRange(:p ObjectComplementOf(:B))",
                "SubClassOf(:A ObjectSomeValuesFrom(:p :B))")),
        explained.justifications);
    assertTrue(explained.value.get("is_exhausted").getAsBoolean());
  }

  @Test
  void whatIsLeftOutIsNamed() throws Exception {
    Worked.Answered answered =
        Worked.reason(
            folder,
            FACTORY,
            "SubClassOf(:A :B)",
            "HasKey(:A () (:d))",
            "SubClassOf(:A DataMinCardinality(3 :d xsd:boolean))",
            "DLSafeRule(Body(ClassAtom(:A Variable(<urn:x>))) Head(ClassAtom(:B Variable(<urn:x>))))");
    assertEquals(
        List.of("DLSafeRule", "DataMinCardinality", "HasKey"),
        answered.texts("incomplete_because"));
    assertEquals(3, answered.value.get("ignored_axioms").getAsInt());
  }

  @Test
  void aPropertyThatIsNotSimpleIsRefusedByName() {
    WorkerException error =
        assertThrows(
            WorkerException.class,
            () ->
                Worked.reason(
                    folder,
                    FACTORY,
                    "TransitiveObjectProperty(:p)",
                    "SubClassOf(:A ObjectMinCardinality(2 :p :B))"));
    assertEquals("reasoner_refused_input", error.code());
    assertTrue(error.getMessage().contains("http://example.org/t#p"), error.getMessage());
  }
}
