/**
 * The OWL API side of the Java worker: reasoning with any OWL API reasoner, reading documents, and
 * explaining entailments.
 *
 * <p>It knows no reasoner by name. What is particular about one is in a {@link
 * org.protegejobs.owlapi.ReasonerAdapter} beside it, found as a service on the class path; so each
 * module {@code reasoner-…} is a class path, and at most one small class.
 */
package org.protegejobs.owlapi;
