package org.protegejobs.elk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.semanticweb.elk.owl.implementation.ElkObjectBaseFactory;
import org.semanticweb.elk.owl.interfaces.ElkAxiom;
import org.semanticweb.elk.owl.iris.ElkPrefix;
import org.semanticweb.elk.owl.parsing.Owl2ParseException;
import org.semanticweb.elk.owl.parsing.Owl2ParserAxiomProcessor;
import org.semanticweb.elk.owl.parsing.javacc.Owl2FunctionalStyleParserFactory;
import org.semanticweb.elk.owl.printers.OwlFunctionalStylePrinter;

/** Our reader and ELK's own parser give ELK the same axioms, for every construct. */
class CaptureReaderTest {

  @Test
  void everyConstructIsReadAsElksParserReadsIt() throws Exception {
    byte[] data = getClass().getResourceAsStream("constructs.ofn").readAllBytes();
    List<String> ours = ours(data);
    List<String> theirs = theirs(data);
    assertTrue(theirs.size() > 55, theirs::toString);
    assertEquals(String.join("\n", theirs), String.join("\n", ours));
  }

  @Test
  void everyNameIsDeclaredOnceAtTheEnd() throws Exception {
    List<String> axioms = new ArrayList<>();
    read(
        "Ontology(Declaration(Class(<u:a>)) SubClassOf(<u:a> ObjectHasValue(<u:p> <u:i>)))"
            .getBytes(StandardCharsets.US_ASCII),
        axioms);
    assertEquals(
        List.of(
            "SubClassOf(<u:a> ObjectHasValue(<u:p> <u:i>))",
            "Declaration(Class(<u:a>))",
            "Declaration(ObjectProperty(<u:p>))",
            "Declaration(NamedIndividual(<u:i>))"),
        axioms);
  }

  /** Without the declarations, which are a matter of their own. */
  private static List<String> ours(byte[] data) {
    List<String> axioms = new ArrayList<>();
    read(data, axioms);
    axioms.removeIf(each -> each.startsWith("Declaration("));
    axioms.replaceAll(each -> each.replace("_:x1", "_:")); // ELK's parser loses the label
    Collections.sort(axioms);
    return axioms;
  }

  private static void read(byte[] data, List<String> axioms) {
    CaptureReader reader = new CaptureReader(data, new ElkObjectBaseFactory());
    boolean isMore = true;
    while (isMore) {
      isMore = reader.read(axiom -> axioms.add(OwlFunctionalStylePrinter.toString(axiom)));
    }
  }

  private static List<String> theirs(byte[] data) throws Owl2ParseException, IOException {
    List<String> axioms = new ArrayList<>();
    new Owl2FunctionalStyleParserFactory()
        .getParser(new ByteArrayInputStream(data))
        .accept(
            new Owl2ParserAxiomProcessor() {
              @Override
              public void visit(ElkAxiom axiom) {
                String text = OwlFunctionalStylePrinter.toString(axiom);
                if (!text.startsWith("Declaration(") && !text.contains("Annotation")) {
                  axioms.add(text);
                }
              }

              @Override
              public void visit(ElkPrefix prefix) {}

              @Override
              public void finish() {}
            });
    Collections.sort(axioms);
    return axioms;
  }
}
