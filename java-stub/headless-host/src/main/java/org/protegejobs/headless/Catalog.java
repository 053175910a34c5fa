package org.protegejobs.headless;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import javax.xml.parsers.ParserConfigurationException;
import javax.xml.parsers.SAXParserFactory;
import org.semanticweb.owlapi.model.IRI;
import org.semanticweb.owlapi.model.OWLOntologyIRIMapper;
import org.xml.sax.Attributes;
import org.xml.sax.SAXException;
import org.xml.sax.helpers.DefaultHandler;

/**
 * Where imports are found: in the files that a {@code catalog-v001.xml} names, and nowhere else.
 *
 * <p>Every import that is not there gets an address that cannot be opened, since the OWL API would
 * otherwise ask the network for it.
 */
final class Catalog implements OWLOntologyIRIMapper {
  static final String NAME = "catalog-v001.xml";

  private static final long serialVersionUID = 1L;
  private static final IRI NOWHERE = IRI.create("file:///protege-jobs-does-not-load-this");

  private final HashMap<String, String> documents = new HashMap<>();

  /**
   * Reads the catalog in a folder; without one, no import is found.
   *
   * @param root entries that lead out of it are left out
   * @throws IOException the catalog cannot be read
   */
  static Catalog beside(Path folder, Path root) throws IOException {
    Catalog catalog = new Catalog();
    Path file = folder.resolve(NAME);
    if (!Files.isRegularFile(file)) {
      return catalog;
    }
    try (InputStream in = Files.newInputStream(file)) {
      SAXParserFactory factory = SAXParserFactory.newInstance();
      factory.setNamespaceAware(true);
      factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
      factory
          .newSAXParser()
          .parse(
              in,
              new DefaultHandler() {
                @Override
                public void startElement(String uri, String name, String raw, Attributes found) {
                  if (name.equals("uri")) {
                    catalog.add(found.getValue("name"), found.getValue("uri"), folder, root);
                  }
                }
              });
    } catch (ParserConfigurationException | SAXException error) {
      throw new IOException(NAME + " cannot be read", error);
    }
    return catalog;
  }

  private void add(String name, String reference, Path folder, Path root) {
    if (name == null || reference == null) {
      return;
    }
    try {
      URI relative = new URI(reference);
      if (relative.isAbsolute()) {
        return;
      }
      Path path = folder.resolve(relative.getPath()).normalize();
      if (Files.isRegularFile(path) && path.toRealPath().startsWith(root.toRealPath())) {
        documents.putIfAbsent(name, documentIri(path).toString());
      }
    } catch (URISyntaxException | InvalidPathException | IOException error) {
      // An entry that names no file below the root is as good as absent.
    }
  }

  /** The file IRI of a path, as Python spells it: three slashes, UTF-8, percent escapes. */
  static IRI documentIri(Path path) {
    StringBuilder text = new StringBuilder("file://");
    String plain = path.toString().replace(File.separatorChar, '/');
    if (!plain.startsWith("/")) {
      text.append('/'); // a drive letter
    }
    for (byte each : plain.getBytes(StandardCharsets.UTF_8)) {
      char character = (char) (each & 0xff);
      boolean isPlain =
          character < 0x80
              && (Character.isLetterOrDigit(character) || "/-._~:".indexOf(character) >= 0);
      text.append(isPlain ? String.valueOf(character) : String.format("%%%02X", (int) character));
    }
    return IRI.create(text.toString());
  }

  @Override
  public IRI getDocumentIRI(IRI ontologyIri) {
    String found = documents.get(ontologyIri.toString());
    return found == null ? NOWHERE : IRI.create(found);
  }

  /** For messages. */
  Map<String, String> documents() {
    return Map.copyOf(documents);
  }
}
