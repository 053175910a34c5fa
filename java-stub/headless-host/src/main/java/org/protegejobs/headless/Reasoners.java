package org.protegejobs.headless;

import com.google.gson.JsonObject;
import java.util.List;
import java.util.Optional;
import org.protegejobs.gateway.SelectedReasoner;

/**
 * What a person may have selected, in the words of Prot&eacute;g&eacute; 5.6. Nothing is started.
 */
final class Reasoners {
  static final String NONE = "none";

  private Reasoners() {}

  /**
   * The selection behind an option.
   *
   * @throws IllegalArgumentException there is none of that name
   */
  static Optional<SelectedReasoner> find(String name) {
    switch (name) {
      case NONE:
        return Optional.empty();
      case "elk-0.4.3":
        return Optional.of(
            new SelectedReasoner(
                "org.semanticweb.elk.elk.reasoner.factory",
                "ELK 0.4.3",
                "org.semanticweb.elk.owlapi.ElkReasonerFactory",
                "0.4.3",
                true,
                new JsonObject(),
                List.of()));
      case "hermit-1.4.3.456":
        return Optional.of(
            new SelectedReasoner(
                "org.semanticweb.hermit.HermiT.reasoner.factory",
                "HermiT 1.4.3.456",
                "org.semanticweb.HermiT.ReasonerFactory",
                "1.4.3.456",
                true,
                new JsonObject(),
                List.of()));
      default:
        throw new IllegalArgumentException("unknown reasoner " + name);
    }
  }
}
