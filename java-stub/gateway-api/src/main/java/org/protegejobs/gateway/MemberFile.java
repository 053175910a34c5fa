package org.protegejobs.gateway;

import java.io.BufferedWriter;
import java.io.FilterOutputStream;
import java.io.FilterWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.function.BooleanSupplier;
import org.semanticweb.owlapi.apibinding.OWLManager;
import org.semanticweb.owlapi.model.OWLAnnotation;
import org.semanticweb.owlapi.model.OWLAxiom;
import org.semanticweb.owlapi.model.OWLOntology;
import org.semanticweb.owlapi.model.OWLOntologyCreationException;

/**
 * One member of a closure as a file in functional syntax.
 *
 * <p>Axioms are rendered one after the other as they come, with full IRIs. There is no scratch
 * ontology and no sorting, which together take most of the time of the OWL API's own storer; who
 * reads the file sorts what it says anyway. Nothing is added: a whole-ontology writer would declare
 * entities that the ontology does not declare.
 */
final class MemberFile {
  private static final int CHECK_EVERY = 1_024;
  private static final int BUFFER_BYTES = 1 << 16;

  final String sha256;
  final long bytes;

  private MemberFile(String sha256, long bytes) {
    this.sha256 = sha256;
    this.bytes = bytes;
  }

  /**
   * Writes a new file, readable by its owner alone.
   *
   * @param shouldStop asked now and then; true ends the writing
   * @return null when it was told to stop; the file is then there in part
   * @throws CharacterCodingException text that is no Unicode
   * @throws OmittedException an axiom that the OWL API does not write
   * @throws IOException the disk
   */
  static MemberFile write(ClosureCopy.Member member, Path path, BooleanSupplier shouldStop)
      throws IOException {
    MessageDigest digest = sha256();
    try (Counter counter = new Counter(PrivateFiles.create(path));
        Watched writer = new Watched(writerTo(new DigestOutputStream(counter, digest)))) {
      WholeRenderer renderer = new WholeRenderer(emptyOntology(), writer);
      writeHead(member, writer);
      for (OWLAnnotation each : member.annotations) {
        each.accept(renderer);
        writer.write('\n');
      }
      int written = 0;
      for (OWLAxiom each : member.axioms) {
        if (written++ % CHECK_EVERY == 0 && shouldStop.getAsBoolean()) {
          return null;
        }
        writer.isMoved = false;
        each.accept(renderer);
        if (!writer.isMoved) {
          throw new OmittedException(each.getAxiomType().getName());
        }
        writer.write('\n');
      }
      writer.write(")\n");
      writer.flush();
      return new MemberFile(hex(digest.digest()), counter.bytes);
    }
  }

  private static void writeHead(ClosureCopy.Member member, Writer writer) throws IOException {
    writer.write("Ontology(");
    if (member.id.getOntologyIRI().isPresent()) {
      writer.write(member.id.getOntologyIRI().get().toQuotedString());
    }
    if (member.id.getVersionIRI().isPresent()) {
      writer.write(' ');
      writer.write(member.id.getVersionIRI().get().toQuotedString());
    }
    writer.write('\n');
  }

  /** The renderer wants an ontology to take labels and prefixes from; it gets one without any. */
  private static OWLOntology emptyOntology() {
    try {
      return OWLManager.createOWLOntologyManager().createOntology();
    } catch (OWLOntologyCreationException error) {
      throw new IllegalStateException(error);
    }
  }

  private static Writer writerTo(OutputStream out) {
    return new BufferedWriter(
        new OutputStreamWriter(
            out,
            StandardCharsets.UTF_8
                .newEncoder()
                .onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT)),
        BUFFER_BYTES);
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException error) {
      throw new IllegalStateException(error); // every Java platform has it
    }
  }

  private static String hex(byte[] digest) {
    StringBuilder text = new StringBuilder();
    for (byte each : digest) {
      text.append(String.format("%02x", each));
    }
    return text.toString();
  }

  /** An axiom that would have been left out without a word. */
  static final class OmittedException extends IOException {
    private static final long serialVersionUID = 1L;

    OmittedException(String axiomType) {
      super(axiomType);
    }
  }

  /** Knows whether anything was written. */
  private static final class Watched extends FilterWriter {
    private boolean isMoved;

    Watched(Writer out) {
      super(out);
    }

    @Override
    public void write(int character) throws IOException {
      isMoved = true;
      out.write(character);
    }

    @Override
    public void write(char[] text, int offset, int length) throws IOException {
      isMoved = true;
      out.write(text, offset, length);
    }

    @Override
    public void write(String text, int offset, int length) throws IOException {
      isMoved = true;
      out.write(text, offset, length);
    }
  }

  /** Counts what goes through, in blocks. */
  private static final class Counter extends FilterOutputStream {
    private long bytes;

    Counter(OutputStream out) {
      super(out);
    }

    @Override
    public void write(int value) throws IOException {
      out.write(value);
      bytes++;
    }

    @Override
    public void write(byte[] data, int offset, int length) throws IOException {
      out.write(data, offset, length);
      bytes += length;
    }
  }
}
