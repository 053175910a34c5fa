package org.protegejobs.gateway;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.Set;
import java.util.regex.Pattern;

/** What to capture, and where to: {@code {"folder": name, "max_axioms": N}}, and nothing else. */
public final class CaptureRequest {
  private static final Set<String> MEMBERS = Set.of("folder", "max_axioms");

  /** One plain name: no separator of any system, no dot in front, no name that Windows reserves. */
  private static final Pattern FOLDER = Pattern.compile("capture-[0-9a-z-]{1,100}");

  private final String folder;
  private final long maxAxioms;

  private CaptureRequest(String folder, long maxAxioms) {
    this.folder = folder;
    this.maxAxioms = maxAxioms;
  }

  /**
   * Reads a request.
   *
   * @throws GatewayError {@code invalid_request}: another shape
   */
  public static CaptureRequest parse(String text) throws GatewayError {
    JsonObject json = Answers.parseObject(text);
    if (!json.keySet().equals(MEMBERS)) {
      throw GatewayError.invalidRequest("A capture request has folder and max_axioms.");
    }
    JsonElement folder = json.get("folder");
    JsonElement maximum = json.get("max_axioms");
    if (!folder.isJsonPrimitive() || !FOLDER.matcher(folder.getAsString()).matches()) {
      throw GatewayError.invalidRequest("folder is capture- and at most 100 of a-z, 0-9 and -.");
    }
    if (!maximum.isJsonPrimitive() || !maximum.getAsString().matches("[1-9][0-9]{0,11}")) {
      throw GatewayError.invalidRequest("max_axioms is a positive number.");
    }
    return new CaptureRequest(folder.getAsString(), maximum.getAsLong());
  }

  /** The name of the folder to make below the host's directory. */
  public String folder() {
    return folder;
  }

  /** How many axioms all members together may have. */
  public long maxAxioms() {
    return maxAxioms;
  }
}
