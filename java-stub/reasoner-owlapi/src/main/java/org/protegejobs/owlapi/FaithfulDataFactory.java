package org.protegejobs.owlapi;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.semanticweb.owlapi.model.IRI;
import org.semanticweb.owlapi.model.OWLClass;
import org.semanticweb.owlapi.model.OWLDataProperty;
import org.semanticweb.owlapi.model.OWLDatatype;
import org.semanticweb.owlapi.model.OWLLiteral;
import org.semanticweb.owlapi.model.OWLNamedIndividual;
import org.semanticweb.owlapi.model.OWLObjectProperty;
import uk.ac.manchester.cs.owl.owlapi.OWLClassImpl;
import uk.ac.manchester.cs.owl.owlapi.OWLDataFactoryImpl;
import uk.ac.manchester.cs.owl.owlapi.OWLDataPropertyImpl;
import uk.ac.manchester.cs.owl.owlapi.OWLLiteralImplNoCompression;
import uk.ac.manchester.cs.owl.owlapi.OWLNamedIndividualImpl;
import uk.ac.manchester.cs.owl.owlapi.OWLObjectPropertyImpl;

/**
 * Keeps every literal as it was written.
 *
 * <p>The OWL API's own factory turns {@code "1"^^xsd:boolean} into {@code "true"} and {@code
 * "1.50"^^xsd:float} into {@code "1.5"}. A reader that is compared with other readers, and an
 * explanation that is looked up in a capture, must not.
 *
 * <p>Entities are kept in plain maps, because this factory lives as long as one job: the library's
 * bounded caches cost a sixth of the time of a parse.
 */
final class FaithfulDataFactory extends OWLDataFactoryImpl {
  private static final long serialVersionUID = 1L;

  private final Map<IRI, OWLClass> classes = new ConcurrentHashMap<>();
  private final Map<IRI, OWLObjectProperty> objectProperties = new ConcurrentHashMap<>();
  private final Map<IRI, OWLDataProperty> dataProperties = new ConcurrentHashMap<>();
  private final Map<IRI, OWLNamedIndividual> individuals = new ConcurrentHashMap<>();

  @Override
  public OWLClass getOWLClass(IRI iri) {
    return classes.computeIfAbsent(iri, OWLClassImpl::new);
  }

  @Override
  public OWLObjectProperty getOWLObjectProperty(IRI iri) {
    return objectProperties.computeIfAbsent(iri, OWLObjectPropertyImpl::new);
  }

  @Override
  public OWLDataProperty getOWLDataProperty(IRI iri) {
    return dataProperties.computeIfAbsent(iri, OWLDataPropertyImpl::new);
  }

  @Override
  public OWLNamedIndividual getOWLNamedIndividual(IRI iri) {
    return individuals.computeIfAbsent(iri, OWLNamedIndividualImpl::new);
  }

  @Override
  public OWLLiteral getOWLLiteral(String lexicalValue, OWLDatatype datatype) {
    OWLLiteral literal = super.getOWLLiteral(lexicalValue, datatype);
    if (datatype.isRDFPlainLiteral() || literal.getLiteral().equals(lexicalValue)) {
      return literal;
    }
    return new OWLLiteralImplNoCompression(lexicalValue, null, datatype);
  }
}
