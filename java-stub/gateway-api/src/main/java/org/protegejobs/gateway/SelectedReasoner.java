package org.protegejobs.gateway;

import com.google.gson.JsonObject;
import java.util.List;

/**
 * The reasoner that the person selected, as far as it can be read without starting it.
 *
 * <p>{@code settings} are those that another process can reproduce; the names of the others are
 * kept, so that a result can say what was not carried over.
 */
public final class SelectedReasoner {
  private final JsonObject json;

  /** What is selected; {@code factoryClass} and {@code version} may be null when unknown. */
  public SelectedReasoner(
      String id,
      String name,
      String factoryClass,
      String version,
      boolean buffering,
      JsonObject settings,
      List<String> settingsNotCarried) {
    json = new JsonObject();
    json.addProperty("id", id);
    json.addProperty("name", name);
    json.add("factory_class", Answers.text(factoryClass));
    json.add("version", Answers.text(version));
    json.addProperty("buffering", buffering ? "buffering" : "non_buffering");
    json.add("settings", settings);
    json.add("settings_not_carried", Answers.texts(settingsNotCarried));
  }

  JsonObject toJson() {
    return json.deepCopy();
  }
}
