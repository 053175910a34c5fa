package org.protegejobs.owlapi;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.semanticweb.owlapi.model.OWLAxiom;

/**
 * Finds the minimal sets of axioms from which a goal follows, one after the other.
 *
 * <p>The tree of hitting sets (Reiter): what is left when one axiom of each justification found so
 * far is taken away has the others. One justification is found by halving (QuickXplain, Junker),
 * which needs few questions where a justification is small and the axioms are many. The order of
 * the axioms decides the order of the answers, so equal inputs give equal answers.
 */
final class JustificationSearch {
  private final EntailmentTest test;
  private final List<Set<OWLAxiom>> found = new ArrayList<>();
  private boolean isExhausted;

  /** A search by the questions of a test. */
  JustificationSearch(EntailmentTest test) {
    this.test = test;
  }

  /** The justifications that were found, in the order of finding. */
  List<Set<OWLAxiom>> found() {
    return found;
  }

  /** Whether there are no others. */
  boolean isExhausted() {
    return isExhausted;
  }

  /**
   * Searches.
   *
   * @param axioms in the order that answers depend on
   * @param onFound hears the number found so far
   * @return whether the goal follows at all
   */
  boolean run(List<OWLAxiom> axioms, int limit, Consumer<Integer> onFound) {
    List<OWLAxiom> candidates = relevant(axioms);
    if (!test.follows(candidates)) {
      isExhausted = true;
      return false;
    }
    if (test.follows(List.of())) {
      found.add(Set.of()); // it follows from nothing, so nothing is needed
      onFound.accept(found.size());
      isExhausted = true;
      return true;
    }
    Deque<Set<OWLAxiom>> paths = new ArrayDeque<>(List.of(Set.of()));
    Set<Set<OWLAxiom>> seen = new HashSet<>();
    List<Set<OWLAxiom>> closed = new ArrayList<>();
    int visited = 0;
    while (!paths.isEmpty()) {
      Set<OWLAxiom> path = paths.remove();
      if (closed.stream().anyMatch(path::containsAll)) {
        continue; // nothing followed with even less taken away
      }
      if (visited++ == Limits.HITTING_SETS) {
        return true;
      }
      Set<OWLAxiom> justification = known(path);
      if (justification == null) {
        justification = find(candidates, path);
        if (justification == null) {
          closed.add(path);
          continue;
        }
        if (found.size() == limit) {
          return true; // it only tells that there are more
        }
        found.add(justification);
        onFound.accept(found.size());
      }
      for (OWLAxiom each : justification) {
        Set<OWLAxiom> longer = new HashSet<>(path);
        longer.add(each);
        if (seen.add(longer)) {
          paths.add(longer);
        }
      }
    }
    isExhausted = true;
    return true;
  }

  private Set<OWLAxiom> known(Set<OWLAxiom> path) {
    for (Set<OWLAxiom> each : found) {
      if (Collections.disjoint(each, path)) {
        return each;
      }
    }
    return null;
  }

  private Set<OWLAxiom> find(List<OWLAxiom> candidates, Set<OWLAxiom> path) {
    List<OWLAxiom> left = new ArrayList<>(candidates);
    left.removeAll(path);
    left = relevant(left);
    if (!test.follows(left)) {
      return null;
    }
    return new LinkedHashSet<>(minimal(List.of(), false, left));
  }

  /** The axioms that can matter, in their order. */
  private List<OWLAxiom> relevant(List<OWLAxiom> axioms) {
    Set<OWLAxiom> module = test.module(axioms);
    List<OWLAxiom> kept = new ArrayList<>(axioms);
    kept.removeIf(each -> !module.contains(each));
    return kept;
  }

  /**
   * The least part of {@code open} that the goal follows from together with {@code given}.
   *
   * @param isNews whether {@code given} grew, so that it may be enough already
   */
  private List<OWLAxiom> minimal(List<OWLAxiom> given, boolean isNews, List<OWLAxiom> open) {
    if (isNews && test.follows(given)) {
      return List.of();
    }
    if (open.size() == 1) {
      return open;
    }
    int half = open.size() / 2;
    List<OWLAxiom> first = open.subList(0, half);
    List<OWLAxiom> second = open.subList(half, open.size());
    List<OWLAxiom> ofSecond = minimal(joined(given, first), true, second);
    List<OWLAxiom> ofFirst = minimal(joined(given, ofSecond), !ofSecond.isEmpty(), first);
    return joined(ofFirst, ofSecond);
  }

  private static List<OWLAxiom> joined(Collection<OWLAxiom> one, Collection<OWLAxiom> other) {
    List<OWLAxiom> joined = new ArrayList<>(one);
    joined.addAll(other);
    return joined;
  }
}
