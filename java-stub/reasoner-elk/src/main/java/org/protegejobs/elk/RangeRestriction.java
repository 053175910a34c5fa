package org.protegejobs.elk;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.semanticweb.elk.owl.interfaces.ElkAxiom;
import org.semanticweb.elk.owl.interfaces.ElkEquivalentObjectPropertiesAxiom;
import org.semanticweb.elk.owl.interfaces.ElkObjectProperty;
import org.semanticweb.elk.owl.interfaces.ElkObjectPropertyChain;
import org.semanticweb.elk.owl.interfaces.ElkObjectPropertyExpression;
import org.semanticweb.elk.owl.interfaces.ElkObjectPropertyRangeAxiom;
import org.semanticweb.elk.owl.interfaces.ElkSubObjectPropertyExpression;
import org.semanticweb.elk.owl.interfaces.ElkSubObjectPropertyOfAxiom;
import org.semanticweb.elk.owl.printers.OwlFunctionalStylePrinter;

/**
 * Whether the ontology keeps to what OWL 2 EL demands of ranges and chains together.
 *
 * <p>A range of the property above a chain must also be a range of the chain's last property. ELK
 * relies on it and does not look: where it is broken, ELK misses consequences without a word.
 *
 * <p>Source: OWL 2 Profiles, second edition, 2.2.6.
 */
final class RangeRestriction {

  private final Map<String, List<String>> supers = new HashMap<>();
  private final Map<String, Set<String>> ranges = new HashMap<>();
  private final List<String[]> chains = new ArrayList<>(); // the last property, and the one above

  /** Takes note of an axiom. */
  void add(ElkAxiom axiom) {
    if (axiom instanceof ElkObjectPropertyRangeAxiom) {
      ElkObjectPropertyRangeAxiom range = (ElkObjectPropertyRangeAxiom) axiom;
      String text = OwlFunctionalStylePrinter.toString(range.getRange());
      ranges.computeIfAbsent(name(range.getProperty()), key -> new HashSet<>()).add(text);
    } else if (axiom instanceof ElkSubObjectPropertyOfAxiom) {
      ElkSubObjectPropertyOfAxiom inclusion = (ElkSubObjectPropertyOfAxiom) axiom;
      ElkSubObjectPropertyExpression below = inclusion.getSubObjectPropertyExpression();
      String above = name(inclusion.getSuperObjectPropertyExpression());
      if (below instanceof ElkObjectPropertyChain) {
        List<? extends ElkObjectPropertyExpression> chain =
            ((ElkObjectPropertyChain) below).getObjectPropertyExpressions();
        chains.add(new String[] {name(chain.get(chain.size() - 1)), above});
      } else {
        addInclusion(name((ElkObjectPropertyExpression) below), above);
      }
    } else if (axiom instanceof ElkEquivalentObjectPropertiesAxiom) {
      List<? extends ElkObjectPropertyExpression> equals =
          ((ElkEquivalentObjectPropertiesAxiom) axiom).getObjectPropertyExpressions();
      String first = name(equals.get(0));
      for (ElkObjectPropertyExpression each : equals) {
        addInclusion(first, name(each));
        addInclusion(name(each), first);
      }
    }
  }

  /** How many chains break the restriction. */
  long broken() {
    if (ranges.isEmpty()) {
      return 0;
    }
    return chains.stream()
        .filter(chain -> !imposedOn(chain[0]).containsAll(imposedOn(chain[1])))
        .count();
  }

  private Set<String> imposedOn(String property) {
    Set<String> seen = new HashSet<>();
    Set<String> found = new HashSet<>();
    Deque<String> open = new ArrayDeque<>(List.of(property));
    while (!open.isEmpty()) {
      String each = open.pop();
      if (seen.add(each)) {
        found.addAll(ranges.getOrDefault(each, Set.of()));
        open.addAll(supers.getOrDefault(each, List.of()));
      }
    }
    return found;
  }

  private void addInclusion(String below, String above) {
    supers.computeIfAbsent(below, key -> new ArrayList<>()).add(above);
  }

  private static String name(ElkObjectPropertyExpression property) {
    return property instanceof ElkObjectProperty
        ? ((ElkObjectProperty) property).getIri().getFullIriAsString()
        : OwlFunctionalStylePrinter.toString(property); // an inverse, which is no part of OWL 2 EL
  }
}
