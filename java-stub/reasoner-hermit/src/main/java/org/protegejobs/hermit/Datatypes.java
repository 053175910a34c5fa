package org.protegejobs.hermit;

import java.util.Set;
import java.util.TreeSet;
import org.protegejobs.owlapi.Scope;
import org.semanticweb.HermiT.datatypes.DatatypeRegistry;
import org.semanticweb.HermiT.datatypes.UnsupportedDatatypeException;
import org.semanticweb.HermiT.model.DatatypeRestriction;
import org.semanticweb.owlapi.model.AxiomType;
import org.semanticweb.owlapi.model.OWLDatatype;
import org.semanticweb.owlapi.model.OWLDatatypeDefinitionAxiom;
import org.semanticweb.owlapi.model.OWLLogicalAxiom;
import org.semanticweb.owlapi.model.OWLOntology;

/** Which datatypes HermiT does not know. */
final class Datatypes {
  private Datatypes() {}

  /** The datatypes in logical axioms that are neither HermiT's nor defined by the ontology. */
  static Scope unsupported(OWLOntology ontology) {
    Set<OWLDatatype> defined = new TreeSet<>();
    for (OWLDatatypeDefinitionAxiom each : ontology.getAxioms(AxiomType.DATATYPE_DEFINITION)) {
      defined.add(each.getDatatype());
    }
    Set<String> names = new TreeSet<>();
    long axioms = 0;
    for (OWLLogicalAxiom axiom : ontology.getLogicalAxioms()) {
      boolean isOutside = false;
      for (OWLDatatype each : axiom.getDatatypesInSignature()) {
        if (!defined.contains(each) && !isKnown(each)) {
          names.add(each.getIRI().toString());
          isOutside = true;
        }
      }
      axioms += isOutside ? 1 : 0;
    }
    return Scope.partial(names, axioms);
  }

  private static boolean isKnown(OWLDatatype datatype) {
    if (datatype.isTopDatatype()) {
      return true;
    }
    try {
      DatatypeRegistry.validateDatatypeRestriction(
          DatatypeRestriction.create(
              datatype.getIRI().toString(),
              DatatypeRestriction.NO_FACET_URIs,
              DatatypeRestriction.NO_FACET_VALUES));
      return true;
    } catch (UnsupportedDatatypeException error) {
      return false;
    }
  }
}
