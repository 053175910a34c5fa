package org.protegejobs.jfact;

import com.google.gson.JsonObject;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.protegejobs.owlapi.Messages;
import org.protegejobs.owlapi.ReasonerAdapter;
import org.protegejobs.owlapi.Scope;
import org.protegejobs.worker.WorkerException;
import org.semanticweb.owlapi.model.AxiomType;
import org.semanticweb.owlapi.model.ClassExpressionType;
import org.semanticweb.owlapi.model.OWLClassExpression;
import org.semanticweb.owlapi.model.OWLLogicalAxiom;
import org.semanticweb.owlapi.model.OWLOntology;
import org.semanticweb.owlapi.reasoner.ReasonerInternalException;
import uk.ac.manchester.cs.jfact.JFactFactory;

/**
 * JFact leaves rules, keys and datatype definitions out, the first without a word.
 *
 * <p>Measured, not read: it also does not count the values of a finite datatype (three different
 * booleans are possible for it), so cardinalities of data are named too.
 */
public final class JFactAdapter implements ReasonerAdapter {
  private static final Map<AxiomType<?>, String> AXIOMS =
      Map.of(
          AxiomType.SWRL_RULE, "DLSafeRule",
          AxiomType.HAS_KEY, "HasKey",
          AxiomType.DATATYPE_DEFINITION, "DatatypeDefinition");
  private static final Set<ClassExpressionType> EXPRESSIONS =
      Set.of(
          ClassExpressionType.DATA_MIN_CARDINALITY,
          ClassExpressionType.DATA_MAX_CARDINALITY,
          ClassExpressionType.DATA_EXACT_CARDINALITY);
  private static final String NOT_SIMPLE = "Non simple role used as simple";
  private static final String CYCLE = "Cycle in RIA";

  @Override
  public String factoryClass() {
    return JFactFactory.class.getName();
  }

  @Override
  public Scope scope(OWLOntology ontology, JsonObject settings) {
    Set<String> all = new TreeSet<>();
    long axioms = 0;
    for (OWLLogicalAxiom axiom : ontology.getLogicalAxioms()) {
      Set<String> found = inspect(axiom);
      axioms += found.isEmpty() ? 0 : 1;
      all.addAll(found);
    }
    return Scope.partial(all, axioms);
  }

  @Override
  public WorkerException findRefusal(RuntimeException failure, OWLOntology ontology) {
    String message = String.valueOf(failure.getMessage());
    if (failure instanceof NumberFormatException) {
      return refused("Literal", "a literal is malformed: " + message);
    }
    if (!(failure instanceof ReasonerInternalException)) {
      return null;
    }
    if (message.startsWith(NOT_SIMPLE)) {
      return refused(
          "TransitiveObjectProperty",
          "a property that is not simple is used where only simple ones may be"
              + message.substring(NOT_SIMPLE.length()));
    }
    if (message.startsWith(CYCLE)) {
      return refused(
          "ObjectPropertyChain",
          "the property hierarchy is not regular:" + message.substring(CYCLE.length()));
    }
    return null;
  }

  private static Set<String> inspect(OWLLogicalAxiom axiom) {
    Set<String> found = new TreeSet<>();
    String name = AXIOMS.get(axiom.getAxiomType());
    if (name != null) {
      found.add(name);
      return found;
    }
    for (OWLClassExpression each : axiom.getNestedClassExpressions()) {
      if (EXPRESSIONS.contains(each.getClassExpressionType())) {
        found.add(each.getClassExpressionType().getName());
      }
    }
    return found;
  }

  private static WorkerException refused(String construct, String reason) {
    return WorkerException.refusedInput(
        construct, Messages.clean("JFact does not take this ontology: " + reason));
  }
}
