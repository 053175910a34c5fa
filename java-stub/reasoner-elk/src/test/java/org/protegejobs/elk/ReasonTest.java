package org.protegejobs.elk;

import static java.util.Map.entry;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.protegejobs.worker.Call;
import org.protegejobs.worker.Reporter;
import org.protegejobs.worker.Result;
import org.protegejobs.worker.WorkerException;

/** What ELK answers to small ontologies, read back from the answer's file. */
class ReasonTest {

  private static final String OWL = "http://www.w3.org/2002/07/owl#";

  @TempDir Path workDir;
  private JsonObject value;

  @Test
  void subsumptionsAreReducedAndEquivalentsShareANode() throws Exception {
    Map<String, List<String>> classes =
        section(
            "classes",
            "SubClassOf(<a> <b>)",
            "SubClassOf(<b> <c>)",
            "SubClassOf(<a> <c>)",
            "EquivalentClasses(<c> <d>)");
    assertEquals(
        Map.of(
            "<a>", List.of("<b>"),
            "<b>", List.of("<c> <d>"),
            "<c> <d>", List.of("<Thing>"),
            "<Thing>", List.of(),
            "<Nothing>", List.of()),
        classes);
    assertEquals("[]", value.get("incomplete_because").toString());
    assertEquals(0, value.get("ignored_axioms").getAsInt());
    assertEquals(4, value.get("loaded_axioms").getAsInt());
  }

  @Test
  void unsatisfiableClassesLieInBottom() throws Exception {
    Map<String, List<String>> classes =
        section(
            "classes", "DisjointClasses(<a> <b>)", "SubClassOf(<c> <a>)", "SubClassOf(<c> <b>)");
    assertTrue(classes.containsKey("<Nothing> <c>"), classes::toString);
  }

  @Test
  void inconsistencyHasNoAnswerFile() throws Exception {
    Result result = run("SubClassOf(<a> <" + OWL + "Nothing>)", "ClassAssertion(<a> <i>)");
    assertFalse(value.get("consistent").getAsBoolean());
    assertTrue(result.artifacts().isEmpty());
  }

  @Test
  void chainsAndTransitivityCarrySubsumption() throws Exception {
    Map<String, List<String>> classes =
        section(
            "classes",
            "SubObjectPropertyOf(ObjectPropertyChain(<r> <s>) <t>)",
            "SubClassOf(<a> ObjectSomeValuesFrom(<r> <b>))",
            "SubClassOf(<b> ObjectSomeValuesFrom(<s> <c>))",
            "SubClassOf(ObjectSomeValuesFrom(<t> <c>) <d>)");
    assertEquals(List.of("<d>"), classes.get("<a>"));
    assertEquals("[]", value.get("incomplete_because").toString());
  }

  @Test
  void propertiesHaveTheirHierarchy() throws Exception {
    Map<String, List<String>> properties =
        section(
            "object_properties",
            "SubObjectPropertyOf(<p> <q>)",
            "EquivalentObjectProperties(<q> <r>)",
            "Declaration(ObjectProperty(<alone>))");
    assertEquals(List.of("<q> <r>"), properties.get("<p>"));
    assertEquals(List.of("<topObjectProperty>"), properties.get("<alone>"));
    assertTrue(properties.containsKey("<bottomObjectProperty>"));
    assertEquals("[\"data_properties\"]", value.get("unsupported_wants").toString());
  }

  @Test
  void individualsHaveDirectTypesAndSameOnesShareANode() throws Exception {
    Map<String, List<String>> individuals =
        section(
            "individuals",
            "SubClassOf(<a> <b>)",
            "ClassAssertion(<a> <i>)",
            "ClassAssertion(<b> <i>)",
            "SameIndividual(<i> <j>)",
            "SameIndividual(<l> <m>)",
            "SameIndividual(<m> <j> <j>)",
            "Declaration(NamedIndividual(<k>))");
    assertEquals(Map.of("<i> <j> <l> <m>", List.of("<a>"), "<k>", List.of("<Thing>")), individuals);
  }

  @Test
  void constructsOutsideElAreNamedAndTheirNamesKeepAPlace() throws Exception {
    Map<String, List<String>> classes =
        section(
            "classes",
            "SubClassOf(<a> ObjectUnionOf(<b> <c>))",
            "SubClassOf(<a> ObjectAllValuesFrom(<p> <only>))",
            "InverseObjectProperties(<p> <q>)",
            "SubClassOf(ObjectUnionOf(<b> <c>) <inside>)",
            "SubClassOf(<d> ObjectMaxCardinality(3 <p> <counted>))");
    assertEquals(
        "[\"InverseObjectProperties\",\"ObjectAllValuesFrom\",\"ObjectMaxCardinality\","
            + "\"ObjectUnionOf\"]",
        value.get("incomplete_because").toString());
    assertEquals(4, value.get("ignored_axioms").getAsInt());
    assertEquals(List.of("<Thing>"), classes.get("<only>"));
    assertEquals(List.of("<Thing>"), classes.get("<counted>"));
    assertEquals(List.of("<inside>"), classes.get("<b>"));
  }

  @Test
  void everyConstructThatElkDoesNotInterpretIsNamed() throws Exception {
    Map<String, String> axioms =
        Map.ofEntries(
            entry("AnonymousIndividual", "ClassAssertion(<a> _:x)"),
            entry("AsymmetricObjectProperty", "AsymmetricObjectProperty(<p>)"),
            entry(
                "owl:bottomObjectProperty",
                "SubObjectPropertyOf(<p> <" + OWL + "bottomObjectProperty>)"),
            entry("DataAllValuesFrom", "SubClassOf(<a> DataAllValuesFrom(<d> <t>))"),
            entry("DataExactCardinality", "SubClassOf(<a> DataExactCardinality(1 <d>))"),
            entry("DataHasValue", "SubClassOf(<a> DataHasValue(<d> \"1\"))"),
            entry("DataMaxCardinality", "SubClassOf(<a> DataMaxCardinality(1 <d>))"),
            entry("DataMinCardinality", "SubClassOf(<a> DataMinCardinality(1 <d>))"),
            entry("DataPropertyAssertion", "DataPropertyAssertion(<d> <i> \"1\")"),
            entry("DataPropertyDomain", "DataPropertyDomain(<d> <a>)"),
            entry("DataPropertyRange", "DataPropertyRange(<d> <t>)"),
            entry("DataSomeValuesFrom", "SubClassOf(<a> DataSomeValuesFrom(<d> <t>))"),
            entry("DatatypeDefinition", "DatatypeDefinition(<t> DataOneOf(\"1\"))"),
            entry("DisjointDataProperties", "DisjointDataProperties(<d> <e>)"),
            entry("DisjointObjectProperties", "DisjointObjectProperties(<p> <q>)"),
            entry("DisjointUnion", "DisjointUnion(<a> <b> <c>)"),
            entry("DLSafeRule", "DLSafeRule(Body() Head(ClassAtom(<a> <i>)))"),
            entry("EquivalentDataProperties", "EquivalentDataProperties(<d> <e>)"),
            entry("FunctionalDataProperty", "FunctionalDataProperty(<d>)"),
            entry("FunctionalObjectProperty", "FunctionalObjectProperty(<p>)"),
            entry("HasKey", "HasKey(<a> (<p>) (<d>))"),
            entry("InverseFunctionalObjectProperty", "InverseFunctionalObjectProperty(<p>)"),
            entry("InverseObjectProperties", "InverseObjectProperties(<p> <q>)"),
            entry("IrreflexiveObjectProperty", "IrreflexiveObjectProperty(<p>)"),
            entry("NegativeDataPropertyAssertion", "NegativeDataPropertyAssertion(<d> <i> \"1\")"),
            entry(
                "NegativeObjectPropertyAssertion", "NegativeObjectPropertyAssertion(<p> <i> <j>)"),
            entry("ObjectAllValuesFrom", "SubClassOf(<a> ObjectAllValuesFrom(<p> <b>))"),
            entry("ObjectComplementOf", "SubClassOf(ObjectComplementOf(<a>) <b>)"),
            entry("ObjectExactCardinality", "SubClassOf(<a> ObjectExactCardinality(1 <p>))"),
            entry("ObjectHasSelf", "SubClassOf(ObjectHasSelf(<p>) <a>)"),
            entry("ObjectInverseOf", "ObjectPropertyDomain(ObjectInverseOf(<p>) <a>)"),
            entry("ObjectMaxCardinality", "SubClassOf(<a> ObjectMaxCardinality(1 <p>))"),
            entry("ObjectMinCardinality", "SubClassOf(<a> ObjectMinCardinality(1 <p>))"),
            entry("ObjectOneOf", "SubClassOf(<a> ObjectOneOf(<i> <j>))"),
            entry("ObjectUnionOf", "SubClassOf(<a> ObjectUnionOf(<b> <c>))"),
            entry("SubDataPropertyOf", "SubDataPropertyOf(<d> <e>)"),
            entry("SymmetricObjectProperty", "SymmetricObjectProperty(<p>)"),
            entry(
                "owl:topObjectProperty",
                "ObjectPropertyDomain(<" + OWL + "topObjectProperty> <a>)"));
    for (Map.Entry<String, String> each : axioms.entrySet()) {
      run(each.getValue(), "SubClassOf(<x> <y>)");
      assertEquals(
          "[\"" + each.getKey() + "\"]",
          value.get("incomplete_because").toString(),
          each::getValue);
      assertEquals(1, value.get("ignored_axioms").getAsInt(), each::getValue);
    }
    run(axioms.values().toArray(String[]::new)); // its log would tell five of them
    assertEquals(axioms.size(), value.getAsJsonArray("incomplete_because").size());
    assertEquals(axioms.size(), value.get("ignored_axioms").getAsInt());
  }

  @Test
  void rangesMatterOnlyTogetherWithAssertions() throws Exception {
    run("ObjectPropertyRange(<p> <a>)", "SubClassOf(<b> ObjectSomeValuesFrom(<p> <b>))");
    assertEquals("[]", value.get("incomplete_because").toString());
    run("ObjectPropertyRange(<p> <a>)", "ObjectPropertyAssertion(<p> <i> <j>)");
    assertEquals(
        "[\"ObjectPropertyAssertion\",\"ObjectPropertyRange\"]",
        value.get("incomplete_because").toString());
  }

  @Test
  void rangeOfAChainThatItsLastPropertyLacksIsAReason() throws Exception {
    String chain = "SubObjectPropertyOf(ObjectPropertyChain(<p> <q>) <r>)";
    run(chain, "SubObjectPropertyOf(<r> <s>)", "ObjectPropertyRange(<s> <a>)");
    assertEquals(
        "[\"ObjectPropertyChain\",\"ObjectPropertyRange\"]",
        value.get("incomplete_because").toString());
    assertEquals(1, value.get("ignored_axioms").getAsInt());
    run(
        chain,
        "ObjectPropertyRange(<r> <a>)",
        "EquivalentObjectProperties(<q> <t>)",
        "ObjectPropertyRange(<t> <a>)",
        "TransitiveObjectProperty(<r>)");
    assertEquals("[]", value.get("incomplete_because").toString());
  }

  @Test
  void rulesAreNamedAndTheirClassesKeepAPlace() throws Exception {
    Map<String, List<String>> classes =
        section(
            "classes",
            "DLSafeRule(Annotation(<n> \"(\") Body(BuiltInAtom(<u:gt> Variable(<u:x>) \"1\"^^<u:int>)"
                + " ClassAtom(<ruled> Variable(<u:x>)) DataPropertyAtom(<d> Variable(<u:x>) \"v\"@en)"
                + " ObjectPropertyAtom(<p> Variable(<u:x>) <i>))"
                + " Head(DifferentIndividualsAtom(Variable(<u:x>) <i>)))");
    assertEquals("[\"DLSafeRule\"]", value.get("incomplete_because").toString());
    assertEquals(1, value.get("ignored_axioms").getAsInt());
    assertEquals(List.of("<Thing>"), classes.get("<ruled>"));
    assertFalse(classes.containsKey("<u:x>"));
  }

  @Test
  void dataPropertiesThatAreOnlyDeclaredAreNoReasonToDoubt() throws Exception {
    run("Declaration(DataProperty(<d>))", "Declaration(Datatype(<t>))", "SubClassOf(<a> <b>)");
    assertEquals("[]", value.get("incomplete_because").toString());
  }

  @Test
  void annotationsAreNoHindranceWhateverTheyHold() throws Exception {
    run(
        "AnnotationAssertion(<n> <a> \"two\nlines \\\" ) SubClassOf(<x> <y>)\"@en)",
        "AnnotationAssertion(<n> _:b \"\\\\\")",
        "SubClassOf(Annotation(Annotation(<m> \"(\") <n> <v(>) <a> <b>)");
    assertEquals(3, value.get("loaded_axioms").getAsInt());
  }

  @Test
  void namesThatDifferInLoneSurrogatesStayDifferent() throws Exception {
    byte[] first = {(byte) 0xED, (byte) 0xA0, (byte) 0x80};
    byte[] second = {(byte) 0xED, (byte) 0xA0, (byte) 0x81};
    assertEquals("\uD800", Utf8.decode(first, 0, 3));
    assertEquals("\uD801", Utf8.decode(second, 0, 3));
    assertEquals("\uD7FF\u00fc", Utf8.decode("\uD7FF\u00fc".getBytes("UTF-8"), 0, 5));
  }

  @Test
  void damagedCaptureIsRefused() {
    for (String text :
        List.of("", "Ontology(", "Ontology(SubClassOf(<a>))", "Ontology() x", "Ontology(<a> <b>")) {
      WorkerException error = assertThrows(WorkerException.class, () -> answer(text), text);
      assertEquals("invalid_ontology", error.code());
    }
    String shortened = "# capture 1 {\"items\": 2}\nOntology(\nSubClassOf(<a> <b>)\n)\n";
    assertThrows(WorkerException.class, () -> answer(shortened));
  }

  @Test
  void unknownConstructIsNamed() {
    WorkerException error =
        assertThrows(WorkerException.class, () -> answer("Ontology(SubClassOf(<a> Some(<b>)))"));
    assertEquals("reasoner_refused_input", error.code());
    assertEquals("Some", error.details().get("construct").getAsString());
  }

  private Map<String, List<String>> section(String section, String... axioms) throws Exception {
    run(axioms);
    return sections().get(section);
  }

  private Result run(String... axioms) throws Exception {
    return answer("Ontology(\n" + String.join("\n", axioms) + "\n)\n");
  }

  private Result answer(String text) throws Exception {
    Files.deleteIfExists(workDir.resolve("answer.jsonl"));
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    Path capture = Files.write(workDir.resolve("capture.ofn"), bytes);
    StringBuilder digest = new StringBuilder();
    for (byte each : MessageDigest.getInstance("SHA-256").digest(bytes)) {
      digest.append(String.format("%02x", each));
    }
    JsonObject inputs = new JsonObject();
    inputs.addProperty("capture", capture.toString());
    inputs.addProperty("capture_sha256", digest.toString());
    JsonArray wants = new JsonArray();
    List.of("classes", "object_properties", "data_properties", "individuals").forEach(wants::add);
    inputs.add("wants", wants);
    Result result = new Reason().run(new Call("reason", 1, inputs, workDir), new Deaf());
    value = result.value().getAsJsonObject();
    return result;
  }

  /** Each section of the answer: members of a node to those of the nodes above it, as texts. */
  private Map<String, Map<String, List<String>>> sections() throws IOException {
    Map<String, Map<String, List<String>>> sections = new HashMap<>();
    List<JsonElement> lines = new ArrayList<>();
    for (String line : Files.readAllLines(workDir.resolve("answer.jsonl"))) {
      lines.add(JsonParser.parseString(line));
    }
    List<String> classNodes = List.of();
    int at = 0;
    while (lines.get(at).getAsJsonObject().has("nodes")) {
      JsonObject head = lines.get(at).getAsJsonObject();
      List<JsonElement> rows = lines.subList(at + 1, at + 1 + head.get("nodes").getAsInt());
      List<String> nodes = new ArrayList<>();
      rows.forEach(row -> nodes.add(members(row)));
      if ("classes".equals(head.get("section").getAsString())) {
        classNodes = nodes;
      }
      boolean isHierarchy = head.has("top");
      Map<String, List<String>> found = new HashMap<>();
      for (JsonElement row : rows) {
        TreeSet<String> above = new TreeSet<>();
        for (JsonElement number : row.getAsJsonArray().get(1).getAsJsonArray()) {
          above.add((isHierarchy ? nodes : classNodes).get(number.getAsInt()));
        }
        found.put(members(row), List.copyOf(above));
      }
      sections.put(head.get("section").getAsString(), found);
      at += rows.size() + 1;
    }
    assertEquals("{\"section\":\"end\"}", lines.get(at).toString());
    return sections;
  }

  private static String members(JsonElement row) {
    TreeSet<String> members = new TreeSet<>();
    for (JsonElement iri : row.getAsJsonArray().get(0).getAsJsonArray()) {
      members.add("<" + iri.getAsString().replace(OWL, "") + ">");
    }
    return String.join(" ", members);
  }

  private static final class Deaf implements Reporter {
    @Override
    public void progress(String phase, String message, Double fraction) {}

    @Override
    public boolean isCancelled() {
      return false;
    }

    @Override
    public void onCancel(Runnable action) {}
  }
}
