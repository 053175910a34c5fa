package org.protegejobs.headless;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.protegejobs.gateway.EventQueue;
import org.semanticweb.owlapi.model.AddAxiom;
import org.semanticweb.owlapi.model.OWLAxiom;

/** The model on the thread of the test, which plays the model thread. */
class HeadlessModelTest {
  @TempDir Path folder;
  private HeadlessModel model;

  @BeforeEach
  void load() throws Exception {
    Path document =
        Files.writeString(
            folder.resolve("d.ofn"), "Ontology(<urn:o>\nSubClassOf(<urn:a> <urn:b>)\n)");
    model =
        new HeadlessModel(
            Options.parse(new String[] {document.toString(), "--reasoner", "elk-0.4.3"}),
            new EventQueue());
    assertEquals(0, model.revision());
    model.load();
  }

  @Test
  void theRevisionCountsEditsUndosAndLoads() throws Exception {
    assertEquals(1, model.revision());
    Set<OWLAxiom> before = model.activeOntology().getAxioms();
    for (OWLAxiom each : Axioms.parse("SubClassOf(<urn:b> <urn:c>)")) {
      model.apply(java.util.List.of(new AddAxiom(model.activeOntology(), each)));
    }
    assertEquals(2, model.revision());
    assertEquals(2, model.activeOntology().getAxiomCount());
    model.undo();
    assertEquals(3, model.revision());
    assertEquals(before, model.activeOntology().getAxioms());
    assertTrue(model.isDirty(), "undo does not clear the mark");
    model.load();
    assertEquals(4, model.revision());
    assertFalse(model.isDirty());
  }

  @Test
  void theSelectedReasonerIsReadAndNotStarted() {
    assertTrue(model.selectedReasoner().isPresent());
    model.select("none");
    assertTrue(model.selectedReasoner().isEmpty());
    assertThrows(IllegalArgumentException.class, () -> model.select("unknown"));
  }

  @Test
  void optionsAreStrict() {
    assertThrows(IllegalArgumentException.class, () -> Options.parse(new String[] {}));
    assertThrows(IllegalArgumentException.class, () -> Options.parse(new String[] {"d", "--x"}));
    assertThrows(IllegalArgumentException.class, () -> Options.parse(new String[] {"d", "--root"}));
    Options options = Options.parse(new String[] {"d", "--spawn-backend", "python", "--root"});
    assertEquals(java.util.List.of("python", "--root"), options.backend);
  }
}
