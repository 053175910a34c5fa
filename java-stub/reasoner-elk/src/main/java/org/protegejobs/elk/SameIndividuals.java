package org.protegejobs.elk;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.semanticweb.elk.owl.interfaces.ElkIndividual;
import org.semanticweb.elk.owl.interfaces.ElkNamedIndividual;
import org.semanticweb.elk.owl.interfaces.ElkSameIndividualAxiom;

/**
 * Which individuals are said to be the same. ELK gives each a node of its own, with the same types.
 *
 * <p>What is said is all there is, within what ELK interprets: what could imply more (nominals of
 * several, anonymous individuals) is a reason for incompleteness by itself.
 */
final class SameIndividuals {

  private final Map<String, List<String>> groups = new HashMap<>();

  /** Takes note of an axiom; one with an anonymous individual is passed over, as ELK does. */
  void add(ElkSameIndividualAxiom axiom) {
    List<String> merged = new ArrayList<>();
    for (ElkIndividual individual : axiom.getIndividuals()) {
      if (!(individual instanceof ElkNamedIndividual)) {
        return;
      }
      String iri = ((ElkNamedIndividual) individual).getIri().getFullIriAsString();
      if (!merged.contains(iri)) {
        merged.addAll(groups.getOrDefault(iri, List.of(iri)));
      }
    }
    for (String iri : merged) {
      groups.put(iri, merged);
    }
  }

  /** All that are the same as this one, itself among them. */
  List<String> of(String iri) {
    return groups.getOrDefault(iri, List.of(iri));
  }
}
