/**
 * ELK 0.6.0 behind the worker's frames, by its own interface and without the OWL API.
 *
 * <p>A capture is read by {@link org.protegejobs.elk.CaptureReader}, a strict reader of our
 * canonical texts that hands each axiom to ELK as soon as it is read. ELK's own parser is not used:
 * it knows no rules, it does not count what it reads, and it costs a multiple. That both give ELK
 * the same axioms is what a test holds.
 */
package org.protegejobs.elk;
