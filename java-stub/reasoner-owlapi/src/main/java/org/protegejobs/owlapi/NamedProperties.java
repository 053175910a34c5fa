package org.protegejobs.owlapi;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.semanticweb.owlapi.model.OWLObjectProperty;
import org.semanticweb.owlapi.model.OWLObjectPropertyExpression;
import org.semanticweb.owlapi.reasoner.Node;
import org.semanticweb.owlapi.reasoner.OWLReasoner;

/**
 * The hierarchy of named object properties. Reasoners place inverses in it too; a node that has no
 * named member is passed through, upwards, to the nearest that have.
 */
final class NamedProperties implements Hierarchy.Source<OWLObjectProperty> {
  private final OWLReasoner reasoner;

  /** Over a reasoner that has the property hierarchy. */
  NamedProperties(OWLReasoner reasoner) {
    this.reasoner = reasoner;
  }

  @Override
  public Collection<OWLObjectProperty> equivalents(OWLObjectProperty entity) {
    return named(reasoner.getEquivalentObjectProperties(entity));
  }

  @Override
  public Collection<OWLObjectProperty> parents(OWLObjectProperty entity) {
    Set<OWLObjectProperty> found = new LinkedHashSet<>();
    collect(entity, found, new HashSet<>());
    return found.size() > 1 ? lowest(found) : found;
  }

  private void collect(
      OWLObjectPropertyExpression below,
      Set<OWLObjectProperty> found,
      Set<OWLObjectPropertyExpression> seen) {
    for (Node<OWLObjectPropertyExpression> node : reasoner.getSuperObjectProperties(below, true)) {
      List<OWLObjectProperty> members = named(node);
      if (!members.isEmpty()) {
        found.add(members.get(0));
      } else if (node.getSize() > 0 && seen.add(node.getRepresentativeElement())) {
        collect(node.getRepresentativeElement(), found, seen);
      }
    }
  }

  /** Of several, those that are above no other one. */
  private Collection<OWLObjectProperty> lowest(Set<OWLObjectProperty> several) {
    Set<OWLObjectProperty> lowest = new LinkedHashSet<>(several);
    for (OWLObjectProperty each : several) {
      for (Node<OWLObjectPropertyExpression> node :
          reasoner.getSuperObjectProperties(each, false)) {
        lowest.removeAll(named(node));
      }
    }
    return lowest;
  }

  private static List<OWLObjectProperty> named(Node<OWLObjectPropertyExpression> node) {
    List<OWLObjectProperty> named = new ArrayList<>();
    for (OWLObjectPropertyExpression each : node) {
      if (!each.isAnonymous()) {
        named.add(each.asOWLObjectProperty());
      }
    }
    return named;
  }
}
