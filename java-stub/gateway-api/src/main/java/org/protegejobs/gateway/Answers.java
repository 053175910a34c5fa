package org.protegejobs.gateway;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import java.util.Collection;

/**
 * The text form of requests and answers; nulls are written, so that every member is always there.
 */
public final class Answers {
  private static final Gson GSON =
      new GsonBuilder().serializeNulls().disableHtmlEscaping().create();

  private Answers() {}

  /** A successful answer; {@code members} is completed by {@code "ok": true}. */
  public static String ok(JsonObject members) {
    members.addProperty("ok", true);
    return GSON.toJson(members);
  }

  /** A refusal. */
  public static String refused(GatewayError error) {
    JsonObject answer = error.toJson();
    answer.addProperty("ok", false);
    return GSON.toJson(answer);
  }

  /**
   * A JSON object from text.
   *
   * @throws GatewayError {@code invalid_request}: it is none
   */
  public static JsonObject parseObject(String text) throws GatewayError {
    try {
      JsonElement parsed = JsonParser.parseString(text);
      if (parsed.isJsonObject()) {
        return parsed.getAsJsonObject();
      }
    } catch (JsonParseException error) {
      // Said below, without the parser's words, which quote the text.
    }
    throw GatewayError.invalidRequest("A JSON object was expected.");
  }

  /** One line of JSON. */
  public static String line(JsonElement value) {
    return GSON.toJson(value);
  }

  static JsonElement text(String value) {
    return value == null ? JsonNull.INSTANCE : new JsonPrimitive(value);
  }

  static JsonArray texts(Collection<String> values) {
    JsonArray array = new JsonArray();
    values.forEach(array::add);
    return array;
  }
}
