package org.protegejobs.elk4;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.protegejobs.owlapi.Scope;
import org.semanticweb.owlapi.model.AxiomType;
import org.semanticweb.owlapi.model.OWLAxiom;
import org.semanticweb.owlapi.model.OWLClassAssertionAxiom;
import org.semanticweb.owlapi.model.OWLClassExpression;
import org.semanticweb.owlapi.model.OWLDisjointClassesAxiom;
import org.semanticweb.owlapi.model.OWLEquivalentClassesAxiom;
import org.semanticweb.owlapi.model.OWLEquivalentObjectPropertiesAxiom;
import org.semanticweb.owlapi.model.OWLLogicalAxiom;
import org.semanticweb.owlapi.model.OWLObject;
import org.semanticweb.owlapi.model.OWLObjectPropertyAssertionAxiom;
import org.semanticweb.owlapi.model.OWLObjectPropertyDomainAxiom;
import org.semanticweb.owlapi.model.OWLObjectPropertyExpression;
import org.semanticweb.owlapi.model.OWLOntology;
import org.semanticweb.owlapi.model.OWLReflexiveObjectPropertyAxiom;
import org.semanticweb.owlapi.model.OWLSubClassOfAxiom;
import org.semanticweb.owlapi.model.OWLSubObjectPropertyOfAxiom;
import org.semanticweb.owlapi.model.OWLSubPropertyChainOfAxiom;
import org.semanticweb.owlapi.model.OWLTransitiveObjectPropertyAxiom;
import org.semanticweb.owlapi.util.OWLAxiomVisitorAdapter;

/**
 * Which constructs of an ontology ELK 0.4.3 does not wholly interpret.
 *
 * <p>Source: the indexer of ELK 0.4.3. It takes the types of axioms that are visited here; leaves
 * an axiom out whole for a construct that it does not know; takes a union only on the left and a
 * complement only on the right of an inclusion; compares literals as texts; and treats the top and
 * bottom properties as any other. Individuals in {@code ObjectHasValue} and in assertions it takes
 * as classes, which is complete as long as there are no other nominals, and those it leaves out.
 */
final class Elk4Scope {

  /** Names of functional syntax where the OWL API has another one. */
  private static final Map<AxiomType<?>, String> SPELLED =
      Map.of(
          AxiomType.SWRL_RULE, "DLSafeRule",
          AxiomType.IRREFLEXIVE_OBJECT_PROPERTY, "IrreflexiveObjectProperty");

  private Elk4Scope() {}

  /** The scope of an ontology. */
  static Scope of(OWLOntology ontology) {
    Set<String> all = new TreeSet<>();
    Set<String> found = new TreeSet<>();
    Axioms visitor = new Axioms(found);
    long axioms = 0;
    for (OWLLogicalAxiom axiom : ontology.getLogicalAxioms()) {
      axiom.accept(visitor);
      if (!found.isEmpty()) {
        axioms++;
        all.addAll(found);
        found.clear();
      }
    }
    return Scope.partial(all, axioms);
  }

  private static final class Axioms extends OWLAxiomVisitorAdapter {
    private final Set<String> found;
    private final Elk4Expressions expressions;

    Axioms(Set<String> found) {
      this.found = found;
      this.expressions = new Elk4Expressions(found);
    }

    @Override
    protected void handleDefault(OWLObject axiom) {
      AxiomType<?> type = ((OWLAxiom) axiom).getAxiomType();
      found.add(SPELLED.getOrDefault(type, type.getName()));
    }

    @Override
    public void visit(OWLSubClassOfAxiom axiom) {
      expressions.left(axiom.getSubClass());
      expressions.right(axiom.getSuperClass());
    }

    @Override
    public void visit(OWLEquivalentClassesAxiom axiom) {
      for (OWLClassExpression each : axiom.getClassExpressionsAsList()) {
        expressions.left(each);
        expressions.right(each);
      }
    }

    @Override
    public void visit(OWLDisjointClassesAxiom axiom) {
      axiom.getClassExpressionsAsList().forEach(expressions::left);
    }

    @Override
    public void visit(OWLClassAssertionAxiom axiom) {
      expressions.individual(axiom.getIndividual());
      expressions.right(axiom.getClassExpression());
    }

    @Override
    public void visit(OWLObjectPropertyAssertionAxiom axiom) {
      expressions.property(axiom.getProperty());
      expressions.individual(axiom.getSubject());
      expressions.individual(axiom.getObject());
    }

    @Override
    public void visit(OWLObjectPropertyDomainAxiom axiom) {
      expressions.property(axiom.getProperty());
      expressions.right(axiom.getDomain());
    }

    @Override
    public void visit(OWLSubObjectPropertyOfAxiom axiom) {
      expressions.property(axiom.getSubProperty());
      expressions.property(axiom.getSuperProperty());
    }

    @Override
    public void visit(OWLSubPropertyChainOfAxiom axiom) {
      axiom.getPropertyChain().forEach(expressions::property);
      expressions.property(axiom.getSuperProperty());
    }

    @Override
    public void visit(OWLEquivalentObjectPropertiesAxiom axiom) {
      for (OWLObjectPropertyExpression each : axiom.getProperties()) {
        expressions.property(each);
      }
    }

    @Override
    public void visit(OWLTransitiveObjectPropertyAxiom axiom) {
      expressions.property(axiom.getProperty());
    }

    @Override
    public void visit(OWLReflexiveObjectPropertyAxiom axiom) {
      expressions.property(axiom.getProperty());
    }
  }
}
