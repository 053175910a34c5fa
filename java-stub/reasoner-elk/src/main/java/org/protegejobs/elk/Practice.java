package org.protegejobs.elk;

import java.nio.charset.StandardCharsets;
import java.util.Random;

/**
 * Captures to practise on, so that the runtime has compiled what a real one needs.
 *
 * <p>A tiny one has every kind of axiom that loads classes; the larger one has the shape of the
 * large biomedical ontologies: several parents, existential restrictions, definitions, a transitive
 * property and a chain, labels.
 */
final class Practice {
  private static final int CLASSES = 1500;
  private static final long SEED = 7;

  private Practice() {}

  static byte[] tiny() {
    return bytes(
        "Ontology(SubClassOf(<u:a> ObjectSomeValuesFrom(<u:r> <u:b>))\n"
            + "SubClassOf(ObjectSomeValuesFrom(<u:r> ObjectIntersectionOf(<u:b> <u:c>)) <u:d>)\n"
            + "SubObjectPropertyOf(ObjectPropertyChain(<u:r> <u:r>) <u:r>)\n"
            + "EquivalentClasses(<u:c> <u:b>) ClassAssertion(<u:a> <u:i>))");
  }

  static byte[] usual() {
    Random chance = new Random(SEED);
    StringBuilder text = new StringBuilder("Ontology(\n");
    text.append("TransitiveObjectProperty(<u:part>)\n");
    text.append("SubObjectPropertyOf(ObjectPropertyChain(<u:part> <u:in>) <u:in>)\n");
    text.append("SubObjectPropertyOf(<u:inner> <u:part>)\n");
    for (int number = 1; number < CLASSES; number++) {
      String name = name(number);
      text.append("Declaration(Class(").append(name).append("))\n");
      text.append("AnnotationAssertion(<u:label> ").append(name).append(" \"term\")\n");
      String upper = name(chance.nextInt(number));
      text.append("SubClassOf(").append(name).append(' ').append(upper).append(")\n");
      if (number % 2 == 0) {
        text.append("SubClassOf(").append(name).append(' ');
        text.append(some(number % 3 == 0 ? "part" : "in", chance.nextInt(number))).append(")\n");
      }
      if (number % 5 == 0) {
        text.append("SubClassOf(").append(name).append(' ');
        text.append(name(chance.nextInt(number))).append(")\n");
      }
      if (number % 7 == 0) {
        text.append("EquivalentClasses(").append(name).append(" ObjectIntersectionOf(");
        text.append(name(chance.nextInt(number))).append(' ');
        text.append(some("part", chance.nextInt(number))).append("))\n");
      }
    }
    return bytes(text.append(")\n").toString());
  }

  private static String some(String property, int filler) {
    return "ObjectSomeValuesFrom(<u:" + property + "> " + name(filler) + ")";
  }

  private static String name(int number) {
    return "<urn:practice:class/C_" + number + ">";
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
