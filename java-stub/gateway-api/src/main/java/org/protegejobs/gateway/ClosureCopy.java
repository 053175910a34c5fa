package org.protegejobs.gateway;

import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.semanticweb.owlapi.model.IRI;
import org.semanticweb.owlapi.model.OWLAnnotation;
import org.semanticweb.owlapi.model.OWLAxiom;
import org.semanticweb.owlapi.model.OWLDocumentFormat;
import org.semanticweb.owlapi.model.OWLImportsDeclaration;
import org.semanticweb.owlapi.model.OWLOntology;
import org.semanticweb.owlapi.model.OWLOntologyID;
import org.semanticweb.owlapi.model.OWLOntologyManager;

/**
 * References to all that an import closure says at one moment. Axioms are immutable, so copying the
 * references is enough, and takes a thousandth of the time of writing them down.
 */
final class ClosureCopy {
  /** One import declaration, and which member it led to. */
  static final class Import {
    final String iri;

    /** Null: nothing is loaded for it. */
    final Integer member;

    Import(String iri, Integer member) {
      this.iri = iri;
      this.member = member;
    }
  }

  /** One ontology of the closure. */
  static final class Member {
    final OWLOntologyID id;
    final IRI documentIri;
    final String format;
    final Map<String, String> prefixes;
    final List<Import> imports;
    final Collection<OWLAnnotation> annotations;
    final Collection<OWLAxiom> axioms;

    Member(OWLOntology ontology, List<Import> imports) {
      OWLOntologyManager manager = ontology.getOWLOntologyManager();
      OWLDocumentFormat written = manager.getOntologyFormat(ontology);
      this.id = ontology.getOntologyID();
      this.documentIri = manager.getOntologyDocumentIRI(ontology);
      this.format = DocumentFormats.nameOf(written);
      this.prefixes = DocumentFormats.prefixesOf(written);
      this.imports = imports;
      this.annotations = new ArrayList<>(ontology.getAnnotations());
      this.axioms = ontology.getAxioms();
    }
  }

  /** The active ontology first. */
  final List<Member> members = new ArrayList<>();

  private ClosureCopy() {}

  /**
   * Copies the closure of an ontology.
   *
   * @throws GatewayError {@code job_snapshot_too_large}: it has more axioms than that
   */
  static ClosureCopy of(OWLOntology active, long maxAxioms) throws GatewayError {
    OWLOntologyManager manager = active.getOWLOntologyManager();
    Set<OWLOntology> closure = new LinkedHashSet<>();
    closure.add(active);
    closure.addAll(active.getImportsClosure());
    checkSize(closure, maxAxioms);
    Map<OWLOntology, Integer> places = new IdentityHashMap<>();
    closure.forEach(each -> places.put(each, places.size()));
    ClosureCopy copy = new ClosureCopy();
    for (OWLOntology each : closure) {
      TreeMap<String, Import> imports = new TreeMap<>();
      for (OWLImportsDeclaration declared : each.getImportsDeclarations()) {
        String iri = declared.getIRI().toString();
        OWLOntology target = manager.getImportedOntology(declared);
        imports.put(iri, new Import(iri, target == null ? null : places.get(target)));
      }
      copy.members.add(new Member(each, new ArrayList<>(imports.values())));
    }
    return copy;
  }

  /** Declared imports that nothing is loaded for, sorted. */
  Set<String> missing() {
    Set<String> missing = new TreeSet<>();
    for (Member member : members) {
      member.imports.stream().filter(each -> each.member == null).forEach(i -> missing.add(i.iri));
    }
    return missing;
  }

  private static void checkSize(Collection<OWLOntology> closure, long maxAxioms)
      throws GatewayError {
    long axioms = closure.stream().mapToLong(OWLOntology::getAxiomCount).sum();
    if (axioms > maxAxioms) {
      JsonObject details = new JsonObject();
      details.addProperty("axioms", axioms);
      details.addProperty("maximum", maxAxioms);
      throw new GatewayError(
          GatewayError.SNAPSHOT_TOO_LARGE,
          String.format(
              "The import closure has %,d axioms; at most %,d are taken.", axioms, maxAxioms),
          false,
          details);
    }
  }
}
