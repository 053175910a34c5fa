package org.protegejobs.elk;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.semanticweb.elk.owl.interfaces.ElkClass;
import org.semanticweb.elk.owl.interfaces.ElkNamedIndividual;
import org.semanticweb.elk.owl.interfaces.ElkObject;
import org.semanticweb.elk.owl.interfaces.ElkObjectProperty;
import org.semanticweb.elk.owl.iris.ElkFullIri;

/**
 * The IRIs of a capture, each made an object once, found by its bytes: most tokens of an ontology
 * are names that were met before.
 */
final class Names {

  /** One IRI and what it names; one IRI may name entities of several kinds. */
  static final class Name {
    private final int hash;
    private final int start;
    private final int length;
    final ElkFullIri iri;
    private ElkClass asClass;
    private ElkObjectProperty asObjectProperty;
    private ElkNamedIndividual asIndividual;

    private Name(int hash, int start, int length, ElkFullIri iri) {
      this.hash = hash;
      this.start = start;
      this.length = length;
      this.iri = iri;
    }
  }

  private static final int SMALLEST = 1 << 12;

  private final byte[] data;
  private final ElkObject.Factory factory;
  private final List<ElkClass> classes = new ArrayList<>();
  private final List<ElkObjectProperty> objectProperties = new ArrayList<>();
  private final List<ElkNamedIndividual> individuals = new ArrayList<>();
  private Name[] table = new Name[SMALLEST]; // open addressing; its length is a power of two
  private int size;

  Names(byte[] data, ElkObject.Factory factory) {
    this.data = data;
    this.factory = factory;
  }

  /** The name written in these bytes, without its angle brackets. */
  Name at(int start, int length, int hash) {
    int mask = table.length - 1;
    int slot = spread(hash) & mask;
    for (Name found = table[slot]; found != null; found = table[slot]) {
      if (found.hash == hash && isAt(found, start, length)) {
        return found;
      }
      slot = (slot + 1) & mask;
    }
    Name made = new Name(hash, start, length, new ElkFullIri(Utf8.decode(data, start, length)));
    table[slot] = made;
    if (++size * 2 > table.length) {
      grow();
    }
    return made;
  }

  ElkClass asClass(Name name) {
    if (name.asClass == null) {
      name.asClass = factory.getClass(name.iri);
      classes.add(name.asClass);
    }
    return name.asClass;
  }

  ElkObjectProperty asObjectProperty(Name name) {
    if (name.asObjectProperty == null) {
      name.asObjectProperty = factory.getObjectProperty(name.iri);
      objectProperties.add(name.asObjectProperty);
    }
    return name.asObjectProperty;
  }

  ElkNamedIndividual asIndividual(Name name) {
    if (name.asIndividual == null) {
      name.asIndividual = factory.getNamedIndividual(name.iri);
      individuals.add(name.asIndividual);
    }
    return name.asIndividual;
  }

  /** Every class that was declared or used so far, each once. */
  List<ElkClass> classes() {
    return classes;
  }

  /** Every object property, as {@link #classes}. */
  List<ElkObjectProperty> objectProperties() {
    return objectProperties;
  }

  /** Every named individual, as {@link #classes}. */
  List<ElkNamedIndividual> individuals() {
    return individuals;
  }

  private boolean isAt(Name name, int start, int length) {
    return name.length == length
        && Arrays.equals(data, name.start, name.start + length, data, start, start + length);
  }

  private void grow() {
    Name[] old = table;
    table = new Name[old.length * 2];
    int mask = table.length - 1;
    for (Name name : old) {
      if (name != null) {
        int slot = spread(name.hash) & mask;
        while (table[slot] != null) {
          slot = (slot + 1) & mask;
        }
        table[slot] = name;
      }
    }
  }

  private static int spread(int hash) {
    return hash ^ hash >>> 15;
  }
}
