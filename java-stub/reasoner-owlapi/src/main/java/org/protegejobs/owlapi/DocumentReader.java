package org.protegejobs.owlapi;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.protegejobs.owlapi.logging.LogRecords;
import org.protegejobs.worker.WorkerException;
import org.semanticweb.owlapi.io.OWLOntologyDocumentSource;
import org.semanticweb.owlapi.io.OWLOntologyLoaderMetaData;
import org.semanticweb.owlapi.io.RDFParserMetaData;
import org.semanticweb.owlapi.io.StreamDocumentSource;
import org.semanticweb.owlapi.model.IRI;
import org.semanticweb.owlapi.model.OWLDocumentFormat;
import org.semanticweb.owlapi.model.OWLEntity;
import org.semanticweb.owlapi.model.OWLOntology;
import org.semanticweb.owlapi.rdf.turtle.parser.TokenMgrError;

/**
 * Reads one document whole or refuses it.
 *
 * <p>The parsers of the OWL API may leave something out and merely log it, or keep it aside, or put
 * an invented class in its place. Each of these ways is looked at here, and makes an error.
 */
final class DocumentReader {
  private static final Pattern EXTERNAL_ENTITY =
      Pattern.compile("<!ENTITY\\s+(?:%\\s+)?\\S+\\s+(?:SYSTEM|PUBLIC)\\b");
  private static final Pattern INVENTED =
      Pattern.compile("http://org\\.semanticweb\\.owlapi/error#Error\\d+");

  /** Log entries of the error level after which nothing is missing. */
  private static final Pattern HARMLESS =
      Pattern.compile("id contains space.*|.*converting anyway", Pattern.DOTALL);

  private static final String NO_IRI = "urn:protege-jobs:document";

  private final Set<String> warnings = new LinkedHashSet<>();
  private String loss;

  /** What the parser, or a look at the result, found odd; nothing is missing because of it. */
  Collection<String> warnings() {
    return warnings;
  }

  /**
   * Reads.
   *
   * @param documentIri base of relative IRIs; null when the document has none
   */
  OWLOntology read(byte[] bytes, DocumentFormat format, String documentIri) throws IOException {
    OWLOntology ontology = new SealedManager().newOntology();
    IRI base = IRI.create(documentIri == null ? NO_IRI : documentIri);
    OWLOntologyDocumentSource source = source(bytes, format, base);
    OWLDocumentFormat read;
    try (LogRecords.AutoCloseableListener listening = LogRecords.listen(this::hear)) {
      read = format.newParser().parse(source, ontology, SealedManager.configuration());
    } catch (RuntimeException | TokenMgrError error) {
      error.printStackTrace(); // standard error keeps what the caller is not told
      throw Faults.of(error);
    }
    if (loss != null) {
      throw WorkerException.invalidOntology("The document cannot be read whole: " + loss);
    }
    if (format == DocumentFormat.TURTLE || format == DocumentFormat.RDF_XML) {
      checkTriples(read, ontology);
    }
    checkInvented(ontology);
    return ontology;
  }

  private OWLOntologyDocumentSource source(byte[] bytes, DocumentFormat format, IRI base)
      throws IOException {
    if (format.isXml()) {
      checkEntities(new String(bytes, StandardCharsets.ISO_8859_1)); // ASCII is all it looks for
      return new StreamDocumentSource(new ByteArrayInputStream(bytes), base);
    }
    CharBuffer text = Capture.utf8(bytes);
    if (format == DocumentFormat.OBO) {
      OboGuard.check(text, warnings::add);
    }
    return new TextSource(text, base);
  }

  /** External entities are never opened, so what they stand for would be missing. */
  private static void checkEntities(String text) {
    Matcher found = EXTERNAL_ENTITY.matcher(text);
    if (found.find()) {
      int line = (int) text.substring(0, found.start()).chars().filter(c -> c == '\n').count() + 1;
      throw Faults.at(line, "the document uses an external entity, and no other file is opened.");
    }
  }

  private void hear(LogRecords.Entry entry) {
    String message = Messages.clean(entry.message());
    if (entry.isError() && !HARMLESS.matcher(entry.message()).matches()) {
      loss = loss == null ? message : loss;
    } else {
      warnings.add(message);
    }
  }

  private void checkTriples(OWLDocumentFormat format, OWLOntology ontology) {
    OWLOntologyLoaderMetaData metaData = format.getOntologyLoaderMetaData();
    if (!(metaData instanceof RDFParserMetaData)) {
      return;
    }
    RDFParserMetaData triples = (RDFParserMetaData) metaData;
    if (!triples.getUnparsedTriples().isEmpty()) {
      Set<String> sorted = new TreeSet<>();
      triples.getUnparsedTriples().forEach(each -> sorted.add(each.toString()));
      throw WorkerException.invalidOntology(
          sorted.size()
              + " triples say nothing in OWL 2; the first is "
              + Messages.clean(sorted.iterator().next()));
    }
    nameUndeclared(ontology);
    // Measured: a restriction that nothing uses, or half a list, is in no axiom and in no report.
    warnings.add("The OWL API does not tell whether it left triples out.");
  }

  /** Triples do not say what a name is; without a declaration its use decides. */
  private void nameUndeclared(OWLOntology ontology) {
    Set<String> names = new TreeSet<>();
    for (OWLEntity each : ontology.getSignature()) {
      if (!each.isBuiltIn() && !each.isOWLNamedIndividual() && !ontology.isDeclared(each)) {
        names.add(each.getIRI().toString());
      }
    }
    if (!names.isEmpty()) {
      warnings.add(
          "Names that are not declared, and whose kind was told by their use: "
              + names.size()
              + "; the first is "
              + names.iterator().next());
    }
  }

  private static void checkInvented(OWLOntology ontology) {
    for (OWLEntity each : ontology.getSignature()) {
      if (INVENTED.matcher(each.getIRI()).matches()) {
        throw WorkerException.invalidOntology(
            "An expression of the document is incomplete; the OWL API puts "
                + each.getIRI()
                + " in its place.");
      }
    }
  }
}
