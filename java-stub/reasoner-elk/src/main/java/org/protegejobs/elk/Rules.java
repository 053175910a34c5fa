package org.protegejobs.elk;

/**
 * Reads a rule for the names in it. ELK does not interpret rules, but the classes, properties and
 * individuals that occur in one belong to the ontology.
 */
final class Rules {

  private final Tokens tokens;
  private final Expressions expressions;

  Rules(Tokens tokens, Expressions expressions) {
    this.tokens = tokens;
    this.expressions = expressions;
  }

  /** Body and head, up to the bracket that closes the rule. */
  void read() {
    part("Body");
    part("Head");
  }

  private void part(String name) {
    if (!tokens.takesOpening(name)) {
      throw tokens.broken("'" + name + "('");
    }
    while (tokens.peek() != ')') {
      atom(tokens.opening());
      tokens.take(')');
    }
    tokens.take(')');
  }

  private void atom(String construct) {
    switch (construct) {
      case "ClassAtom":
        expressions.classExpression();
        individual();
        break;
      case "DataRangeAtom":
        expressions.dataRange();
        data();
        break;
      case "ObjectPropertyAtom":
        expressions.property();
        individual();
        individual();
        break;
      case "DataPropertyAtom":
        expressions.dataProperty();
        individual();
        data();
        break;
      case "BuiltInAtom":
        tokens.name();
        while (tokens.peek() != ')') {
          builtInOperand();
        }
        break;
      case "SameIndividualAtom":
      case "DifferentIndividualsAtom":
        individual();
        individual();
        break;
      default:
        throw Expressions.unknown(construct);
    }
  }

  private void individual() {
    if (!takesVariable()) {
      expressions.individual();
    }
  }

  private void data() {
    if (!takesVariable()) {
      expressions.literal();
    }
  }

  private void builtInOperand() {
    switch (tokens.peek()) {
      case '"':
        expressions.literal();
        break;
      case '<':
        tokens.name(); // which names no entity by itself
        break;
      case '_':
        tokens.nodeId();
        break;
      default:
        if (!takesVariable()) {
          throw tokens.broken("an operand of a built-in");
        }
    }
  }

  private boolean takesVariable() {
    boolean isThere = tokens.takesOpening("Variable");
    if (isThere) {
      tokens.name();
      tokens.take(')');
    }
    return isThere;
  }
}
