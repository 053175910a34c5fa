package org.protegejobs.worker;

import com.google.gson.JsonObject;

/**
 * What the caller of an operation is told when there is no result.
 *
 * <p>The code is one of the error tree of {@code jobs/errors.py}. The message is fit for a
 * stranger: no path, no cause text, no stack trace.
 */
public final class WorkerException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final String code;
  private final boolean isRetryable;
  private final transient JsonObject details;

  /** An error with a code of the tree. */
  public WorkerException(String code, String message, boolean isRetryable, JsonObject details) {
    super(message);
    this.code = code;
    this.isRetryable = isRetryable;
    this.details = details;
  }

  /**
   * The reasoner cannot take this ontology; the input is at fault.
   *
   * @param construct the OWL construct or axiom type that it does not take
   */
  public static WorkerException refusedInput(String construct, String message) {
    return withDetail("reasoner_refused_input", message, "construct", construct);
  }

  /** The input is no ontology, or not one in its declared format. */
  public static WorkerException invalidOntology(String message) {
    return new WorkerException("invalid_ontology", message, false, new JsonObject());
  }

  /**
   * The operation broke down; the machine or our code is at fault.
   *
   * @param failureType a snake_case word, or the class of an exception
   */
  public static WorkerException executionFailed(String failureType, String message) {
    return withDetail("job_execution_failed", message, "failure_type", failureType);
  }

  /** The code of the error tree. */
  public String code() {
    return code;
  }

  /** Whether the same call may succeed later. */
  public boolean isRetryable() {
    return isRetryable;
  }

  /** What a program may look at. */
  public JsonObject details() {
    return details;
  }

  private static WorkerException withDetail(String code, String message, String key, String value) {
    JsonObject details = new JsonObject();
    details.addProperty(key, value);
    return new WorkerException(code, message, false, details);
  }
}
