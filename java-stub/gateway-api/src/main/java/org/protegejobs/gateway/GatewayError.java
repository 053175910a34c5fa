package org.protegejobs.gateway;

import com.google.gson.JsonObject;

/**
 * A refusal that crosses the gateway as data.
 *
 * <p>The message is for people at the other end: no path, no stack trace, no text of a cause.
 */
public final class GatewayError extends Exception {
  private static final long serialVersionUID = 1L;

  /** Loading, closing or too busy; the same call may succeed later. */
  public static final String HOST_UNAVAILABLE = "host_unavailable";

  /** The ontology moved while it was copied. */
  public static final String INPUT_CHANGED = "job_input_changed";

  /** The import closure has more axioms than was allowed. */
  public static final String SNAPSHOT_TOO_LARGE = "job_snapshot_too_large";

  /** The ontology holds something that cannot be written down. */
  public static final String INVALID_ONTOLOGY = "invalid_ontology";

  /** The call does not have its shape, or names what is not there. */
  public static final String INVALID_REQUEST = "invalid_request";

  /** The two sides speak different versions. */
  public static final String CONTRACT_MISMATCH = "contract_mismatch";

  private final String code;
  private final boolean retryable;
  private final transient JsonObject details;

  /** A refusal with details. */
  public GatewayError(String code, String message, boolean retryable, JsonObject details) {
    // No stack trace: it is an answer, and it is made on paths that must stay cheap.
    super(message, null, false, false);
    this.code = code;
    this.retryable = retryable;
    this.details = details;
  }

  /** The host cannot answer just now. */
  public static GatewayError unavailable(String message) {
    return new GatewayError(HOST_UNAVAILABLE, message, true, new JsonObject());
  }

  /** The caller is at fault. */
  public static GatewayError invalidRequest(String message) {
    return new GatewayError(INVALID_REQUEST, message, false, new JsonObject());
  }

  /** What happened, as one of the codes of the contract. */
  public String code() {
    return code;
  }

  /** The answer's four members. */
  JsonObject toJson() {
    JsonObject json = new JsonObject();
    json.addProperty("code", code);
    json.addProperty("message", getMessage());
    json.addProperty("retryable", retryable);
    json.add("details", details);
    return json;
  }
}
