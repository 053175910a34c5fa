package org.protegejobs.worker;

import com.google.gson.JsonElement;
import java.util.List;

/** What an operation answers: one JSON value, 1 MiB at most, and its files. */
public final class Result {

  private final JsonElement value;
  private final List<Artifact> artifacts;

  /** Both are taken as they are; neither is changed afterwards. */
  public Result(JsonElement value, List<Artifact> artifacts) {
    this.value = value;
    this.artifacts = List.copyOf(artifacts);
  }

  /** The JSON value. */
  public JsonElement value() {
    return value;
  }

  /** The files, in the order of the operation's contract. */
  public List<Artifact> artifacts() {
    return artifacts;
  }
}
