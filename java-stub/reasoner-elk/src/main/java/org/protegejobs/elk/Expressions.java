package org.protegejobs.elk;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.protegejobs.worker.WorkerException;
import org.semanticweb.elk.owl.interfaces.ElkClass;
import org.semanticweb.elk.owl.interfaces.ElkClassExpression;
import org.semanticweb.elk.owl.interfaces.ElkDataProperty;
import org.semanticweb.elk.owl.interfaces.ElkDataRange;
import org.semanticweb.elk.owl.interfaces.ElkDatatype;
import org.semanticweb.elk.owl.interfaces.ElkFacetRestriction;
import org.semanticweb.elk.owl.interfaces.ElkIndividual;
import org.semanticweb.elk.owl.interfaces.ElkLiteral;
import org.semanticweb.elk.owl.interfaces.ElkNamedIndividual;
import org.semanticweb.elk.owl.interfaces.ElkObject;
import org.semanticweb.elk.owl.interfaces.ElkObjectProperty;
import org.semanticweb.elk.owl.interfaces.ElkObjectPropertyExpression;
import org.semanticweb.elk.owl.interfaces.ElkSubObjectPropertyExpression;

/** Reads what stands inside axioms: entities, class expressions, data ranges, literals. */
final class Expressions {

  private final Tokens tokens;
  private final Names names;
  private final ElkObject.Factory factory;

  Expressions(Tokens tokens, Names names, ElkObject.Factory factory) {
    this.tokens = tokens;
    this.names = names;
    this.factory = factory;
  }

  ElkClass namedClass() {
    return names.asClass(tokens.name());
  }

  ElkObjectProperty objectProperty() {
    return names.asObjectProperty(tokens.name());
  }

  ElkNamedIndividual namedIndividual() {
    return names.asIndividual(tokens.name());
  }

  ElkDataProperty dataProperty() {
    return factory.getDataProperty(tokens.name().iri);
  }

  ElkDatatype datatype() {
    return factory.getDatatype(tokens.name().iri);
  }

  ElkIndividual individual() {
    return tokens.peek() == '<'
        ? namedIndividual()
        : factory.getAnonymousIndividual(tokens.nodeId());
  }

  ElkObjectPropertyExpression property() {
    if (tokens.peek() == '<') {
      return objectProperty();
    }
    if (!tokens.takesOpening("ObjectInverseOf")) {
      throw tokens.broken("an object property");
    }
    return closed(factory.getObjectInverseOf(objectProperty()));
  }

  ElkSubObjectPropertyExpression propertyOrChain() {
    return tokens.takesOpening("ObjectPropertyChain")
        ? closed(factory.getObjectPropertyChain(all(this::property)))
        : property();
  }

  ElkLiteral literal() {
    String text = tokens.quoted();
    if (tokens.takesTypeSign()) {
      return factory.getLiteral(text, datatype());
    }
    return factory.getLiteral(text + "@" + tokens.language(), factory.getDatatypeRdfPlainLiteral());
  }

  ElkClassExpression classExpression() {
    return tokens.peek() == '<' ? namedClass() : closed(complexClass(tokens.opening()));
  }

  ElkDataRange dataRange() {
    return tokens.peek() == '<' ? datatype() : closed(complexRange(tokens.opening()));
  }

  /** All operands up to the closing bracket, which stays. */
  <T> List<T> all(Supplier<T> operand) {
    List<T> found = new ArrayList<>(4);
    while (tokens.peek() != ')') {
      found.add(operand.get());
    }
    return found;
  }

  <T> T closed(T term) {
    tokens.take(')');
    return term;
  }

  private ElkClassExpression complexClass(String construct) {
    switch (construct) {
      case "ObjectSomeValuesFrom":
        return pair(this::property, this::classExpression, factory::getObjectSomeValuesFrom);
      case "ObjectIntersectionOf":
        return factory.getObjectIntersectionOf(all(this::classExpression));
      case "ObjectUnionOf":
        return factory.getObjectUnionOf(all(this::classExpression));
      case "ObjectComplementOf":
        return factory.getObjectComplementOf(classExpression());
      case "ObjectOneOf":
        return factory.getObjectOneOf(all(this::individual));
      case "ObjectAllValuesFrom":
        return pair(this::property, this::classExpression, factory::getObjectAllValuesFrom);
      case "ObjectHasValue":
        return pair(this::property, this::individual, factory::getObjectHasValue);
      case "ObjectHasSelf":
        return factory.getObjectHasSelf(property());
      case "ObjectMinCardinality":
        return objectCardinality(
            factory::getObjectMinCardinalityUnqualified, factory::getObjectMinCardinalityQualified);
      case "ObjectMaxCardinality":
        return objectCardinality(
            factory::getObjectMaxCardinalityUnqualified, factory::getObjectMaxCardinalityQualified);
      case "ObjectExactCardinality":
        return objectCardinality(
            factory::getObjectExactCardinalityUnqualified,
            factory::getObjectExactCardinalityQualified);
      case "DataSomeValuesFrom":
        return dataQuantifier(factory::getDataSomeValuesFrom);
      case "DataAllValuesFrom":
        return dataQuantifier(factory::getDataAllValuesFrom);
      case "DataHasValue":
        return pair(this::dataProperty, this::literal, factory::getDataHasValue);
      case "DataMinCardinality":
        return dataCardinality(
            factory::getDataMinCardinalityUnqualified, factory::getDataMinCardinalityQualified);
      case "DataMaxCardinality":
        return dataCardinality(
            factory::getDataMaxCardinalityUnqualified, factory::getDataMaxCardinalityQualified);
      case "DataExactCardinality":
        return dataCardinality(
            factory::getDataExactCardinalityUnqualified, factory::getDataExactCardinalityQualified);
      default:
        throw unknown(construct);
    }
  }

  private ElkDataRange complexRange(String construct) {
    switch (construct) {
      case "DataIntersectionOf":
        return factory.getDataIntersectionOf(all(this::dataRange));
      case "DataUnionOf":
        return factory.getDataUnionOf(all(this::dataRange));
      case "DataComplementOf":
        return factory.getDataComplementOf(dataRange());
      case "DataOneOf":
        return factory.getDataOneOf(all(this::literal));
      case "DatatypeRestriction":
        ElkDatatype datatype = datatype();
        return factory.getDatatypeRestriction(datatype, all(this::facet));
      default:
        throw unknown(construct);
    }
  }

  static WorkerException unknown(String construct) {
    return WorkerException.refusedInput(
        construct, "The adapter of ELK knows no construct " + construct + " in this place.");
  }

  private ElkFacetRestriction facet() {
    Names.Name facet = tokens.name();
    return factory.getFacetRestriction(facet.iri, literal());
  }

  private static <A, B, T> T pair(Supplier<A> first, Supplier<B> second, BiFunction<A, B, T> make) {
    A one = first.get(); // in this order
    return make.apply(one, second.get());
  }

  private ElkClassExpression dataQuantifier(
      BiFunction<List<ElkDataProperty>, ElkDataRange, ElkClassExpression> make) {
    List<ElkDataProperty> properties = new ArrayList<>(1);
    Names.Name last = tokens.name();
    // The range, too, may be a plain name: it is the one after which the bracket closes.
    while (tokens.peek() == '<') {
      properties.add(factory.getDataProperty(last.iri));
      last = tokens.name();
    }
    if (tokens.peek() == ')') {
      return make.apply(properties, factory.getDatatype(last.iri));
    }
    properties.add(factory.getDataProperty(last.iri));
    return make.apply(properties, dataRange());
  }

  private ElkClassExpression objectCardinality(
      Unqualified<ElkObjectPropertyExpression> unqualified,
      Qualified<ElkObjectPropertyExpression, ElkClassExpression> qualified) {
    int bound = tokens.number();
    ElkObjectPropertyExpression property = property();
    return tokens.peek() == ')'
        ? unqualified.make(property, bound)
        : qualified.make(property, bound, classExpression());
  }

  private ElkClassExpression dataCardinality(
      Unqualified<ElkDataProperty> unqualified,
      Qualified<ElkDataProperty, ElkDataRange> qualified) {
    int bound = tokens.number();
    ElkDataProperty property = dataProperty();
    return tokens.peek() == ')'
        ? unqualified.make(property, bound)
        : qualified.make(property, bound, dataRange());
  }

  private interface Unqualified<P> {
    ElkClassExpression make(P property, int bound);
  }

  private interface Qualified<P, F> {
    ElkClassExpression make(P property, int bound, F filler);
  }
}
