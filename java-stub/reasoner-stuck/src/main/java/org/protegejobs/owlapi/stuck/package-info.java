/**
 * Reasoners that misbehave in one way each, for tests of what is around them. Never shipped.
 *
 * <p>Each announces itself to the progress monitor with a task named {@code stuck} just before, so
 * that a test knows that it is mid-flight.
 */
package org.protegejobs.owlapi.stuck;
