/**
 * The core of a Java worker: one process, one job, frames on its standard streams.
 *
 * <p>It speaks {@code docs/worker-protocol.md} and knows no reasoner. An adapter registers {@link
 * org.protegejobs.worker.Operation operations} and hands over with {@link
 * org.protegejobs.worker.WorkerMain#serve}. Nothing in here owns anything that needs a goodbye: the
 * process may be killed at any moment.
 */
package org.protegejobs.worker;
