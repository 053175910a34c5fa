package org.protegejobs.owlapi;

import com.google.gson.JsonObject;
import java.util.Set;
import java.util.TreeSet;
import org.protegejobs.worker.Call;
import org.protegejobs.worker.WorkerException;
import org.semanticweb.owlapi.model.AxiomType;
import org.semanticweb.owlapi.model.IRI;
import org.semanticweb.owlapi.model.OWLClass;
import org.semanticweb.owlapi.model.OWLDataFactory;
import org.semanticweb.owlapi.reasoner.OWLReasoner;

/** What is to be explained: that a class lies below another one, or that all is inconsistent. */
final class Goal {
  private final OWLDataFactory names;
  private final OWLClass sub;
  private final OWLClass sup;

  private Goal(OWLDataFactory names, OWLClass sub, OWLClass sup) {
    this.names = names;
    this.sub = sub;
    this.sup = sup;
  }

  /** The input {@code goal} of a call. */
  static Goal of(Call call, OWLDataFactory names) {
    JsonObject goal = call.object("goal");
    Call shape = new Call(call.operation(), call.version(), goal, call.workDir());
    switch (shape.text("kind")) {
      case "unsatisfiable":
        return new Goal(names, named(names, shape.text("class")), names.getOWLNothing());
      case "subsumption":
        return new Goal(names, named(names, shape.text("sub")), named(names, shape.text("super")));
      case "inconsistency":
        return new Goal(names, names.getOWLThing(), names.getOWLNothing());
      default:
        throw WorkerException.executionFailed(
            "invalid_order", "The order names a goal that cannot be explained.");
    }
  }

  /** The classes that the goal speaks of, built-in ones left out. */
  Set<OWLClass> classes() {
    Set<OWLClass> classes = new TreeSet<>();
    classes.add(sub);
    classes.add(sup);
    classes.removeIf(OWLClass::isBuiltIn);
    return classes;
  }

  /** Whether it follows from what the reasoner was given. */
  boolean follows(OWLReasoner reasoner) {
    if (!reasoner.isConsistent()) {
      return true;
    }
    if (sub.isOWLThing() && sup.isOWLNothing()) {
      return false;
    }
    if (!reasoner.isSatisfiable(sub)) {
      return true;
    }
    if (sup.isOWLNothing()) {
      return false;
    }
    if (reasoner.isEntailmentCheckingSupported(AxiomType.SUBCLASS_OF)) {
      return reasoner.isEntailed(names.getOWLSubClassOfAxiom(sub, sup));
    }
    return sup.isOWLThing()
        || reasoner.getEquivalentClasses(sub).contains(sup)
        || reasoner.getSuperClasses(sub, false).containsEntity(sup);
  }

  private static OWLClass named(OWLDataFactory names, String iri) {
    return names.getOWLClass(IRI.create(iri));
  }
}
