package org.protegejobs.elk4;

import java.util.Set;
import org.semanticweb.owlapi.model.ClassExpressionType;
import org.semanticweb.owlapi.model.OWLClassExpression;
import org.semanticweb.owlapi.model.OWLIndividual;
import org.semanticweb.owlapi.model.OWLObjectComplementOf;
import org.semanticweb.owlapi.model.OWLObjectHasValue;
import org.semanticweb.owlapi.model.OWLObjectIntersectionOf;
import org.semanticweb.owlapi.model.OWLObjectPropertyExpression;
import org.semanticweb.owlapi.model.OWLObjectSomeValuesFrom;
import org.semanticweb.owlapi.model.OWLObjectUnionOf;
import org.semanticweb.owlapi.model.OWLProperty;

/**
 * Names what ELK 0.4.3 does not wholly interpret in expressions, by the side of an inclusion on
 * which they stand.
 */
final class Elk4Expressions {
  private final Set<String> found;

  /**
   * An inspector.
   *
   * @param found where names go
   */
  Elk4Expressions(Set<String> found) {
    this.found = found;
  }

  /** A class expression of which something follows. */
  void left(OWLClassExpression expression) {
    inspect(expression, true);
  }

  /** A class expression that follows from something. */
  void right(OWLClassExpression expression) {
    inspect(expression, false);
  }

  /** A property in an axiom or expression. */
  void property(OWLObjectPropertyExpression property) {
    if (property.isAnonymous()) {
      found.add("ObjectInverseOf");
    }
    OWLProperty named = property.getNamedProperty();
    if (named.isTopEntity()) {
      found.add("owl:topObjectProperty");
    } else if (named.isBottomEntity()) {
      found.add("owl:bottomObjectProperty");
    }
  }

  /** An individual in an axiom or expression. */
  void individual(OWLIndividual individual) {
    if (individual.isAnonymous()) {
      found.add("AnonymousIndividual");
    }
  }

  private void inspect(OWLClassExpression expression, boolean isLeft) {
    ClassExpressionType type = expression.getClassExpressionType();
    switch (type) {
      case OWL_CLASS:
        break;
      case OBJECT_INTERSECTION_OF:
        ((OWLObjectIntersectionOf) expression).getOperands().forEach(each -> inspect(each, isLeft));
        break;
      case OBJECT_UNION_OF:
        if (!isLeft) {
          found.add(type.getName());
        }
        ((OWLObjectUnionOf) expression).getOperands().forEach(each -> inspect(each, isLeft));
        break;
      case OBJECT_COMPLEMENT_OF:
        if (isLeft) {
          found.add(type.getName());
        }
        inspect(((OWLObjectComplementOf) expression).getOperand(), !isLeft);
        break;
      case OBJECT_SOME_VALUES_FROM:
        property(((OWLObjectSomeValuesFrom) expression).getProperty());
        inspect(((OWLObjectSomeValuesFrom) expression).getFiller(), isLeft);
        break;
      case OBJECT_HAS_VALUE:
        property(((OWLObjectHasValue) expression).getProperty());
        individual(((OWLObjectHasValue) expression).getFiller());
        break;
      default:
        found.add(type.getName());
        expression.getNestedClassExpressions().stream()
            .filter(each -> !each.equals(expression))
            .forEach(each -> inspectBoth(each));
        break;
    }
  }

  /** Inside of what is left out anyway: everything that would be named somewhere is named. */
  private void inspectBoth(OWLClassExpression expression) {
    ClassExpressionType type = expression.getClassExpressionType();
    if (type != ClassExpressionType.OWL_CLASS
        && type != ClassExpressionType.OBJECT_INTERSECTION_OF
        && type != ClassExpressionType.OBJECT_SOME_VALUES_FROM
        && type != ClassExpressionType.OBJECT_HAS_VALUE) {
      found.add(type.getName());
    }
  }
}
