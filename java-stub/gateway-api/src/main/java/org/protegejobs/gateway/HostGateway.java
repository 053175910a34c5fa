package org.protegejobs.gateway;

/**
 * What a backend may ask of the program that holds the ontology: contract version 1.
 *
 * <p>The backend always calls, the host never calls back. Every answer is one JSON object: {@code
 * {"ok": true, ...}} or {@code {"ok": false, "code", "message", "retryable", "details"}}. Nothing
 * is thrown across, no object reference leaves, and large data goes through private files with
 * digests. {@code docs/host-gateway.md} lists the members of each answer.
 *
 * <p>Methods are called on threads of the gateway, several at once. None of them waits for the
 * model thread longer than about a second, and {@link #revision()} never does: it is the backend's
 * heartbeat.
 */
public interface HostGateway {
  /** The version of this contract. */
  int CONTRACT = 1;

  /**
   * Shakes hands.
   *
   * @param contract the version that the backend speaks; another one is answered by {@code
   *     contract_mismatch} with both numbers, and nothing else will work then either
   */
  String hello(int contract);

  /** The session revision, without waiting; 0 means that no ontology is ready yet. */
  String revision();

  /** Title, IRIs, format, selected reasoner and size, read on the model thread within a bound. */
  String describe();

  /**
   * Begins a capture of the import closure and answers its id at once.
   *
   * @param request a JSON object, see {@link CaptureRequest}
   */
  String startCapture(String request);

  /** How far a capture is; {@code invalid_request} for an id that is not known (any more). */
  String captureStatus(String id);

  /**
   * Gives a capture back, whatever its state: stops writing and deletes what was written. Unknown
   * ids are fine, so that it can be repeated.
   */
  String cancelCapture(String id);

  /**
   * Waits for events after a cursor.
   *
   * @param cursor the sequence number of the last event that was seen; 0 at first
   * @param timeoutMs how long to wait at most; capped at {@link EventQueue#WAIT_MAX_MS}
   */
  String awaitEvents(long cursor, int timeoutMs);

  /** The backend is leaving. Always answers, never waits. */
  String close(String reason);
}
