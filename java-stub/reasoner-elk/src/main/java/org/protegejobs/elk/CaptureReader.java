package org.protegejobs.elk;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.protegejobs.worker.WorkerException;
import org.semanticweb.elk.owl.interfaces.ElkAxiom;
import org.semanticweb.elk.owl.interfaces.ElkClassExpression;
import org.semanticweb.elk.owl.interfaces.ElkDataProperty;
import org.semanticweb.elk.owl.interfaces.ElkIndividual;
import org.semanticweb.elk.owl.interfaces.ElkObject;
import org.semanticweb.elk.owl.interfaces.ElkObjectPropertyExpression;
import org.semanticweb.elk.owl.interfaces.ElkSubObjectPropertyExpression;

/**
 * Reads a capture, axiom by axiom.
 *
 * <p>It is strict: what it does not know is an error, never left out, and the number of items is
 * held against the one in the capture's head. Annotations say nothing to a reasoner and are passed
 * over. Declarations are kept as names; the declarations of all names that were met, declared or
 * not, are given at the end, so that what stands only in an axiom that ELK ignores has its place
 * too. Data properties and datatypes are not declared: that alone would count as a reason to doubt
 * the answer.
 */
final class CaptureReader {

  private static final String HEAD = "# capture 1 ";

  private final Tokens tokens;
  private final Names names;
  private final ElkObject.Factory factory;
  private final Expressions expressions;
  private final Rules rules;
  private final long itemsDue;
  private long items;
  private long axioms;

  /**
   * A reader of a capture's bytes; raises {@code invalid_ontology} when they do not begin as one.
   */
  CaptureReader(byte[] data, ElkObject.Factory factory) {
    this.names = new Names(data, factory);
    this.tokens = new Tokens(data, names);
    this.factory = factory;
    this.expressions = new Expressions(tokens, names, factory);
    this.rules = new Rules(tokens, expressions);
    this.itemsDue = itemsOf(tokens.comment());
    if (!tokens.takesOpening("Ontology")) {
      throw tokens.broken("'Ontology('");
    }
    while (tokens.peek() == '<') {
      tokens.name();
    }
  }

  /** How many axioms were read, those about annotations included. */
  long axioms() {
    return axioms;
  }

  /** The names of the constructs that were read. */
  Set<String> constructs() {
    return tokens.constructs();
  }

  /** How many bytes were read. */
  int position() {
    return tokens.position();
  }

  /**
   * Reads the next item.
   *
   * @return false after the last
   */
  boolean read(Consumer<ElkAxiom> accept) {
    if (tokens.peek() == ')') {
      tokens.take(')');
      if (!tokens.isAtEnd()) {
        throw tokens.broken("the end");
      }
      if (itemsDue >= 0 && itemsDue != items) {
        throw WorkerException.invalidOntology("The captured ontology is not whole.");
      }
      declareAll(accept);
      return false;
    }
    String construct = tokens.opening();
    items++;
    switch (construct) {
      case "Import":
      case "Annotation": // of the ontology
        tokens.skipToClosing();
        return true;
      case "AnnotationAssertion":
      case "SubAnnotationPropertyOf":
      case "AnnotationPropertyDomain":
      case "AnnotationPropertyRange":
        tokens.skipToClosing();
        break;
      default:
        while (tokens.takesOpening("Annotation")) {
          tokens.skipToClosing();
        }
        if ("Declaration".equals(construct)) {
          noteDeclared(tokens.opening());
          tokens.take(')');
          tokens.take(')');
        } else {
          accept.accept(expressions.closed(axiom(construct)));
        }
    }
    axioms++;
    return true;
  }

  private void declareAll(Consumer<ElkAxiom> accept) {
    names.classes().forEach(each -> accept.accept(factory.getDeclarationAxiom(each)));
    names.objectProperties().forEach(each -> accept.accept(factory.getDeclarationAxiom(each)));
    names.individuals().forEach(each -> accept.accept(factory.getDeclarationAxiom(each)));
  }

  private void noteDeclared(String kind) {
    switch (kind) {
      case "Class":
        expressions.namedClass();
        break;
      case "ObjectProperty":
        expressions.objectProperty();
        break;
      case "NamedIndividual":
        expressions.namedIndividual();
        break;
      case "DataProperty":
      case "AnnotationProperty":
      case "Datatype":
        tokens.name();
        break;
      default:
        throw Expressions.unknown(kind);
    }
  }

  private ElkAxiom axiom(String construct) {
    switch (construct) {
      case "SubClassOf":
        ElkClassExpression subClass = expressions.classExpression();
        return factory.getSubClassOfAxiom(subClass, expressions.classExpression());
      case "EquivalentClasses":
        return factory.getEquivalentClassesAxiom(expressions.all(expressions::classExpression));
      case "DisjointClasses":
        return factory.getDisjointClassesAxiom(expressions.all(expressions::classExpression));
      case "DisjointUnion":
        var union = expressions.namedClass();
        return factory.getDisjointUnionAxiom(union, expressions.all(expressions::classExpression));
      case "HasKey":
        return hasKey();
      case "ClassAssertion":
        ElkClassExpression type = expressions.classExpression();
        return factory.getClassAssertionAxiom(type, expressions.individual());
      case "SameIndividual":
        return factory.getSameIndividualAxiom(expressions.all(expressions::individual));
      case "DifferentIndividuals":
        return factory.getDifferentIndividualsAxiom(expressions.all(expressions::individual));
      case "DatatypeDefinition":
        var datatype = expressions.datatype();
        return factory.getDatatypeDefinitionAxiom(datatype, expressions.dataRange());
      case "DLSafeRule":
        rules.read();
        return factory.getSWRLRule(); // ELK only takes note that there is one
      default:
        return construct.contains("Data") ? dataAxiom(construct) : objectAxiom(construct);
    }
  }

  private ElkAxiom objectAxiom(String construct) {
    switch (construct) {
      case "SubObjectPropertyOf":
        ElkSubObjectPropertyExpression sub = expressions.propertyOrChain();
        return factory.getSubObjectPropertyOfAxiom(sub, expressions.property());
      case "EquivalentObjectProperties":
        return factory.getEquivalentObjectPropertiesAxiom(expressions.all(expressions::property));
      case "DisjointObjectProperties":
        return factory.getDisjointObjectPropertiesAxiom(expressions.all(expressions::property));
      case "InverseObjectProperties":
        ElkObjectPropertyExpression first = expressions.property();
        return factory.getInverseObjectPropertiesAxiom(first, expressions.property());
      case "ObjectPropertyDomain":
        ElkObjectPropertyExpression ofDomain = expressions.property();
        return factory.getObjectPropertyDomainAxiom(ofDomain, expressions.classExpression());
      case "ObjectPropertyRange":
        ElkObjectPropertyExpression ofRange = expressions.property();
        return factory.getObjectPropertyRangeAxiom(ofRange, expressions.classExpression());
      case "FunctionalObjectProperty":
        return characteristic(factory::getFunctionalObjectPropertyAxiom);
      case "InverseFunctionalObjectProperty":
        return characteristic(factory::getInverseFunctionalObjectPropertyAxiom);
      case "ReflexiveObjectProperty":
        return characteristic(factory::getReflexiveObjectPropertyAxiom);
      case "IrreflexiveObjectProperty":
        return characteristic(factory::getIrreflexiveObjectPropertyAxiom);
      case "SymmetricObjectProperty":
        return characteristic(factory::getSymmetricObjectPropertyAxiom);
      case "AsymmetricObjectProperty":
        return characteristic(factory::getAsymmetricObjectPropertyAxiom);
      case "TransitiveObjectProperty":
        return characteristic(factory::getTransitiveObjectPropertyAxiom);
      case "ObjectPropertyAssertion":
        return assertion(factory::getObjectPropertyAssertionAxiom);
      case "NegativeObjectPropertyAssertion":
        return assertion(factory::getNegativeObjectPropertyAssertionAxiom);
      default:
        throw Expressions.unknown(construct);
    }
  }

  private ElkAxiom dataAxiom(String construct) {
    switch (construct) {
      case "EquivalentDataProperties":
        return factory.getEquivalentDataPropertiesAxiom(expressions.all(expressions::dataProperty));
      case "DisjointDataProperties":
        return factory.getDisjointDataPropertiesAxiom(expressions.all(expressions::dataProperty));
      default:
        break;
    }
    ElkDataProperty property = expressions.dataProperty(); // all others begin with one
    switch (construct) {
      case "SubDataPropertyOf":
        return factory.getSubDataPropertyOfAxiom(property, expressions.dataProperty());
      case "DataPropertyDomain":
        return factory.getDataPropertyDomainAxiom(property, expressions.classExpression());
      case "DataPropertyRange":
        return factory.getDataPropertyRangeAxiom(property, expressions.dataRange());
      case "FunctionalDataProperty":
        return factory.getFunctionalDataPropertyAxiom(property);
      case "DataPropertyAssertion":
        ElkIndividual subject = expressions.individual();
        return factory.getDataPropertyAssertionAxiom(property, subject, expressions.literal());
      case "NegativeDataPropertyAssertion":
        ElkIndividual denied = expressions.individual();
        return factory.getNegativeDataPropertyAssertionAxiom(
            property, denied, expressions.literal());
      default:
        throw Expressions.unknown(construct);
    }
  }

  private ElkAxiom hasKey() {
    ElkClassExpression keyed = expressions.classExpression();
    tokens.take('(');
    var objectKeys = expressions.closed(expressions.all(expressions::property));
    tokens.take('(');
    var dataKeys = expressions.closed(expressions.all(expressions::dataProperty));
    return factory.getHasKeyAxiom(keyed, objectKeys, dataKeys);
  }

  private ElkAxiom characteristic(Function<ElkObjectPropertyExpression, ElkAxiom> make) {
    return make.apply(expressions.property());
  }

  private ElkAxiom assertion(Assertion make) {
    ElkObjectPropertyExpression property = expressions.property();
    ElkIndividual subject = expressions.individual();
    return make.of(property, subject, expressions.individual());
  }

  /** The number of items that a capture's head promises; negative when there is no head. */
  private static long itemsOf(String comment) {
    if (!comment.startsWith(HEAD)) {
      return -1;
    }
    try {
      JsonObject head = JsonParser.parseString(comment.substring(HEAD.length())).getAsJsonObject();
      JsonElement items = head.get("items");
      return items == null ? -1 : items.getAsLong();
    } catch (JsonParseException | IllegalStateException | NumberFormatException error) {
      throw WorkerException.invalidOntology("The head of the captured ontology is damaged.");
    }
  }

  private interface Assertion {
    ElkAxiom of(ElkObjectPropertyExpression property, ElkIndividual subject, ElkIndividual object);
  }
}
