package org.protegejobs.owlapi;

import java.io.InputStream;
import java.io.Reader;
import java.nio.CharBuffer;
import org.semanticweb.owlapi.io.OWLOntologyDocumentSource;
import org.semanticweb.owlapi.model.IRI;
import org.semanticweb.owlapi.model.OWLDocumentFormat;

/**
 * Decoded text as a document. The library's own source keeps a compressed copy of the text, for
 * parsers that are tried one after the other; that takes a third of the time of a parse.
 */
final class TextSource implements OWLOntologyDocumentSource {
  private final CharBuffer text;
  private final IRI iri;

  /** A document. */
  TextSource(CharBuffer text, IRI iri) {
    this.text = text;
    this.iri = iri;
  }

  @Override
  public boolean isReaderAvailable() {
    return true;
  }

  @Override
  public Reader getReader() {
    return new TextReader(text);
  }

  @Override
  public boolean isInputStreamAvailable() {
    return false;
  }

  @Override
  public InputStream getInputStream() {
    throw new IllegalStateException("a text has no bytes");
  }

  @Override
  public IRI getDocumentIRI() {
    return iri;
  }

  @Override
  public OWLDocumentFormat getFormat() {
    return null;
  }

  @Override
  public boolean isFormatKnown() {
    return false;
  }

  @Override
  public String getMIMEType() {
    return null;
  }

  @Override
  public boolean isMIMETypeKnown() {
    return false;
  }
}
