package org.protegejobs.headless;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.semanticweb.owlapi.model.IRI;

class CatalogTest {
  @TempDir Path folder;

  private Catalog catalog(String entries) throws IOException {
    Files.writeString(
        folder.resolve(Catalog.NAME),
        "<catalog xmlns=\"urn:oasis:names:tc:entity:xmlns:xml:catalog\"><group>"
            + entries
            + "</group></catalog>");
    return Catalog.beside(folder, folder);
  }

  @Test
  void entriesAreDecodedAndConfined() throws Exception {
    Path file = Files.createFile(folder.resolve("a b.ofn"));
    Catalog catalog =
        catalog(
            "<uri name=\"urn:in\" uri=\"a%20b.ofn\"/>"
                + "<uri name=\"urn:gone\" uri=\"gone.ofn\"/>"
                + "<uri name=\"urn:out\" uri=\"../../../../../etc/passwd\"/>"
                + "<uri name=\"urn:scheme\" uri=\"file:///etc/passwd\"/>"
                + "<uri name=\"urn:none\"/>");
    assertEquals(Map.of("urn:in", Catalog.documentIri(file).toString()), catalog.documents());
  }

  @Test
  void whatIsNotInItLeadsNowhere() throws Exception {
    Catalog none = Catalog.beside(folder, folder);
    IRI found = none.getDocumentIRI(IRI.create("https://example.org/x"));
    assertEquals("file", found.getScheme());
    assertEquals(false, Files.exists(Path.of(found.toURI())));
  }

  @Test
  void aDocumentTypeIsRefused() throws Exception {
    Files.writeString(
        folder.resolve(Catalog.NAME),
        "<!DOCTYPE c [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><catalog>&x;</catalog>");
    assertThrows(IOException.class, () -> Catalog.beside(folder, folder));
  }

  @Test
  void documentIrisAreSpelledAsByPython() {
    assertEquals(
        "file:///a%20b/K%C3%A4se/100%25/~x-1.ofn",
        Catalog.documentIri(Path.of("/a b/Käse/100%/~x-1.ofn")).toString());
    assertNull(Catalog.documentIri(Path.of("/a#b?c")).toURI().getFragment());
  }
}
