package org.protegejobs.gateway;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.util.Set;
import org.semanticweb.owlapi.functional.renderer.FunctionalSyntaxObjectRenderer;
import org.semanticweb.owlapi.model.OWLAxiom;
import org.semanticweb.owlapi.model.OWLDataIntersectionOf;
import org.semanticweb.owlapi.model.OWLDataUnionOf;
import org.semanticweb.owlapi.model.OWLDifferentIndividualsAxiom;
import org.semanticweb.owlapi.model.OWLDisjointClassesAxiom;
import org.semanticweb.owlapi.model.OWLDisjointDataPropertiesAxiom;
import org.semanticweb.owlapi.model.OWLDisjointObjectPropertiesAxiom;
import org.semanticweb.owlapi.model.OWLEquivalentClassesAxiom;
import org.semanticweb.owlapi.model.OWLEquivalentDataPropertiesAxiom;
import org.semanticweb.owlapi.model.OWLEquivalentObjectPropertiesAxiom;
import org.semanticweb.owlapi.model.OWLObject;
import org.semanticweb.owlapi.model.OWLObjectIntersectionOf;
import org.semanticweb.owlapi.model.OWLObjectUnionOf;
import org.semanticweb.owlapi.model.OWLOntology;
import org.semanticweb.owlapi.model.OWLSameIndividualAxiom;
import org.semanticweb.owlapi.util.DefaultPrefixManager;
import org.semanticweb.owlapi.vocab.OWLXMLVocabulary;

/**
 * The OWL API's renderer of functional syntax, with full IRIs and without its omissions.
 *
 * <p>Operands are sets there, so {@code EquivalentClasses(A A)} has one. The renderer of 4.5.29
 * leaves out axioms with fewer than two operands without a word, and writes an intersection of one
 * class as that class. Here the one operand is written twice, which is what the grammar asks for
 * and means the same.
 */
final class WholeRenderer extends FunctionalSyntaxObjectRenderer {
  private final Writer writer;

  /**
   * Renders to a writer.
   *
   * @param nothing an empty anonymous ontology: the renderer takes labels and prefixes from it
   */
  WholeRenderer(OWLOntology nothing, Writer writer) {
    super(nothing, writer);
    this.writer = writer;
    DefaultPrefixManager none = new DefaultPrefixManager();
    none.clear();
    setPrefixManager(none);
  }

  /** Writes an axiom whose one operand was given twice; false when it has another number. */
  private boolean isDoubled(OWLXMLVocabulary name, OWLAxiom axiom, Set<? extends OWLObject> all) {
    if (all.size() != 1) {
      return false;
    }
    writeAxiomStart(name, axiom);
    writeTwice(all.iterator().next());
    writeAxiomEnd();
    return true;
  }

  private boolean isDoubled(OWLXMLVocabulary name, Set<? extends OWLObject> all) {
    if (all.size() != 1) {
      return false;
    }
    try {
      writer.write(name.getShortForm());
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
    writeOpenBracket();
    writeTwice(all.iterator().next());
    writeCloseBracket();
    return true;
  }

  private void writeTwice(OWLObject operand) {
    operand.accept(this);
    writeSpace();
    operand.accept(this);
  }

  @Override
  public void visit(OWLEquivalentClassesAxiom axiom) {
    if (!isDoubled(OWLXMLVocabulary.EQUIVALENT_CLASSES, axiom, axiom.getClassExpressions())) {
      super.visit(axiom);
    }
  }

  @Override
  public void visit(OWLDisjointClassesAxiom axiom) {
    if (!isDoubled(OWLXMLVocabulary.DISJOINT_CLASSES, axiom, axiom.getClassExpressions())) {
      super.visit(axiom);
    }
  }

  @Override
  public void visit(OWLEquivalentObjectPropertiesAxiom axiom) {
    if (!isDoubled(OWLXMLVocabulary.EQUIVALENT_OBJECT_PROPERTIES, axiom, axiom.getProperties())) {
      super.visit(axiom);
    }
  }

  @Override
  public void visit(OWLDisjointObjectPropertiesAxiom axiom) {
    if (!isDoubled(OWLXMLVocabulary.DISJOINT_OBJECT_PROPERTIES, axiom, axiom.getProperties())) {
      super.visit(axiom);
    }
  }

  @Override
  public void visit(OWLEquivalentDataPropertiesAxiom axiom) {
    if (!isDoubled(OWLXMLVocabulary.EQUIVALENT_DATA_PROPERTIES, axiom, axiom.getProperties())) {
      super.visit(axiom);
    }
  }

  @Override
  public void visit(OWLDisjointDataPropertiesAxiom axiom) {
    if (!isDoubled(OWLXMLVocabulary.DISJOINT_DATA_PROPERTIES, axiom, axiom.getProperties())) {
      super.visit(axiom);
    }
  }

  @Override
  public void visit(OWLSameIndividualAxiom axiom) {
    if (!isDoubled(OWLXMLVocabulary.SAME_INDIVIDUAL, axiom, axiom.getIndividuals())) {
      super.visit(axiom);
    }
  }

  @Override
  public void visit(OWLDifferentIndividualsAxiom axiom) {
    if (!isDoubled(OWLXMLVocabulary.DIFFERENT_INDIVIDUALS, axiom, axiom.getIndividuals())) {
      super.visit(axiom);
    }
  }

  @Override
  public void visit(OWLObjectIntersectionOf expression) {
    if (!isDoubled(OWLXMLVocabulary.OBJECT_INTERSECTION_OF, expression.getOperands())) {
      super.visit(expression);
    }
  }

  @Override
  public void visit(OWLObjectUnionOf expression) {
    if (!isDoubled(OWLXMLVocabulary.OBJECT_UNION_OF, expression.getOperands())) {
      super.visit(expression);
    }
  }

  @Override
  public void visit(OWLDataIntersectionOf range) {
    if (!isDoubled(OWLXMLVocabulary.DATA_INTERSECTION_OF, range.getOperands())) {
      super.visit(range);
    }
  }

  @Override
  public void visit(OWLDataUnionOf range) {
    if (!isDoubled(OWLXMLVocabulary.DATA_UNION_OF, range.getOperands())) {
      super.visit(range);
    }
  }
}
