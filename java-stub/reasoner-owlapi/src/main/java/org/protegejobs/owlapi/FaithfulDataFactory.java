package org.protegejobs.owlapi;

import org.semanticweb.owlapi.model.OWLDatatype;
import org.semanticweb.owlapi.model.OWLLiteral;
import uk.ac.manchester.cs.owl.owlapi.OWLDataFactoryImpl;
import uk.ac.manchester.cs.owl.owlapi.OWLLiteralImplNoCompression;

/**
 * Keeps every literal as it was written.
 *
 * <p>The OWL API's own factory turns {@code "1"^^xsd:boolean} into {@code "true"} and {@code
 * "1.50"^^xsd:float} into {@code "1.5"}. A reader that is compared with other readers, and an
 * explanation that is looked up in a capture, must not.
 */
final class FaithfulDataFactory extends OWLDataFactoryImpl {
  private static final long serialVersionUID = 1L;

  @Override
  public OWLLiteral getOWLLiteral(String lexicalValue, OWLDatatype datatype) {
    OWLLiteral literal = super.getOWLLiteral(lexicalValue, datatype);
    if (datatype.isRDFPlainLiteral() || literal.getLiteral().equals(lexicalValue)) {
      return literal;
    }
    return new OWLLiteralImplNoCompression(lexicalValue, null, datatype);
  }
}
