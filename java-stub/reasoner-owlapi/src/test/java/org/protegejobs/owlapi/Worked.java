package org.protegejobs.owlapi;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.protegejobs.worker.Call;
import org.protegejobs.worker.Operation;
import org.protegejobs.worker.Reporter;
import org.protegejobs.worker.Result;

/** Runs operations as the worker would, in this process, and reads what they answer. */
public final class Worked {
  private static final String NAMES = "http://example.org/t#";

  private Worked() {}

  /** Classifies a capture. Names without a prefix, as in {@code :A}, are of one namespace. */
  public static Answered reason(Path folder, String factoryClass, String... axioms)
      throws Exception {
    return reason(folder, factoryClass, new JsonObject(), axioms);
  }

  /** Classifies a capture with settings of the reasoner. */
  public static Answered reason(
      Path folder, String factoryClass, JsonObject settings, String... axioms) throws Exception {
    JsonObject inputs = capture(folder, factoryClass, settings, axioms);
    JsonArray wants = new JsonArray();
    List.of("classes", "object_properties", "data_properties", "individuals").forEach(wants::add);
    inputs.add("wants", wants);
    Result result = run(new ReasonOperation(), "reason", inputs, folder);
    return new Answered(result.value().getAsJsonObject(), sections(result));
  }

  /** Explains a goal; each justification is a sorted list of axioms without the namespace. */
  public static Explained explain(
      Path folder, String factoryClass, JsonObject goal, int limit, String... axioms)
      throws Exception {
    JsonObject inputs = capture(folder, factoryClass, new JsonObject(), axioms);
    inputs.add("goal", goal);
    inputs.addProperty("limit", limit);
    Result result = run(new ExplainOperation(), "explain", inputs, folder);
    List<List<String>> rows = new ArrayList<>();
    for (String line : Files.readAllLines(result.artifacts().get(0).path())) {
      List<String> row = new ArrayList<>();
      for (JsonElement each : JsonParser.parseString(line).getAsJsonArray()) {
        row.add(shortened(each.getAsString()));
      }
      rows.add(row);
    }
    return new Explained(result.value().getAsJsonObject(), rows);
  }

  /** A goal of {@link #explain}: kind, then keys and names in turn. */
  public static JsonObject goal(String kind, String... keysAndNames) {
    JsonObject goal = new JsonObject();
    goal.addProperty("kind", kind);
    for (int index = 0; index < keysAndNames.length; index += 2) {
      goal.addProperty(keysAndNames[index], NAMES + keysAndNames[index + 1]);
    }
    return goal;
  }

  /** Reads a document; the value, and the text of the artifact as its member {@code document}. */
  public static JsonObject read(Path folder, String format, byte[] bytes) throws Exception {
    JsonObject inputs = new JsonObject();
    inputs.addProperty("path", file(folder, "document", bytes).toString());
    inputs.addProperty("sha256", sha256(bytes));
    inputs.addProperty("format", format);
    inputs.addProperty("document_iri", "http://example.org/document");
    inputs.addProperty("name", "document");
    Result result = run(new ReadDocumentOperation(), "read_document", inputs, folder);
    JsonObject value = result.value().getAsJsonObject();
    value.addProperty("document", Files.readString(result.artifacts().get(0).path()));
    return value;
  }

  /** Full names in a text of {@code :A}. */
  public static String expanded(String text) {
    return text.replaceAll("(?<![\\w_]):(\\w+)", "<" + NAMES + "$1>")
        .replaceAll("\\b(owl):(\\w+)", "<http://www.w3.org/2002/07/owl#$2>")
        .replaceAll("\\b(xsd):(\\w+)", "<http://www.w3.org/2001/XMLSchema#$2>")
        .replaceAll("\\b(rdfs):(\\w+)", "<http://www.w3.org/2000/01/rdf-schema#$2>");
  }

  private static JsonObject capture(
      Path folder, String factoryClass, JsonObject settings, String... axioms) throws IOException {
    String text = "Ontology(\n" + expanded(String.join("\n", axioms)) + "\n)\n";
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    JsonObject reasoner = new JsonObject();
    reasoner.addProperty("factory_class", factoryClass);
    reasoner.addProperty("buffering", "non_buffering");
    reasoner.add("settings", settings);
    JsonObject inputs = new JsonObject();
    inputs.addProperty("capture", file(folder, "capture.ofn", bytes).toString());
    inputs.addProperty("capture_sha256", sha256(bytes));
    inputs.add("reasoner", reasoner);
    return inputs;
  }

  private static Result run(Operation operation, String name, JsonObject inputs, Path folder)
      throws Exception {
    Path workDir = Files.createTempDirectory(folder, "work");
    return operation.run(new Call(name, 1, inputs, workDir), new Quiet());
  }

  private static Path file(Path folder, String name, byte[] bytes) throws IOException {
    return Files.write(Files.createTempDirectory(folder, "input").resolve(name), bytes);
  }

  private static String sha256(byte[] bytes) {
    try {
      StringBuilder text = new StringBuilder();
      for (byte each : MessageDigest.getInstance("SHA-256").digest(bytes)) {
        text.append(String.format("%02x", each));
      }
      return text.toString();
    } catch (NoSuchAlgorithmException error) {
      throw new IllegalStateException(error);
    }
  }

  private static String shortened(String text) {
    return text.replace("<" + NAMES, ":")
        .replace(NAMES, ":")
        .replace(">", "")
        .replace("<http://www.w3.org/2002/07/owl#", "owl:")
        .replace("http://www.w3.org/2002/07/owl#", "owl:");
  }

  /** Section by section, the text of each node: {@code A=B < C | D}. */
  private static Map<String, TreeSet<String>> sections(Result result) throws IOException {
    Map<String, TreeSet<String>> sections = new TreeMap<>();
    if (result.artifacts().isEmpty()) {
      return sections;
    }
    List<String> lines = Files.readAllLines(result.artifacts().get(0).path());
    List<String> classes = new ArrayList<>();
    int at = 0;
    while (true) {
      JsonObject head = JsonParser.parseString(lines.get(at++)).getAsJsonObject();
      String section = head.get("section").getAsString();
      if (section.equals("end")) {
        return sections;
      }
      List<String> members = new ArrayList<>();
      List<JsonArray> above = new ArrayList<>();
      for (int left = head.get("nodes").getAsInt(); left > 0; left--) {
        JsonArray row = JsonParser.parseString(lines.get(at++)).getAsJsonArray();
        members.add(joined(row.get(0).getAsJsonArray(), null));
        above.add(row.get(1).getAsJsonArray());
      }
      if (section.equals("classes")) {
        classes = members;
      }
      TreeSet<String> nodes = new TreeSet<>();
      for (int number = 0; number < members.size(); number++) {
        List<String> named = section.equals("individuals") ? classes : members;
        String parents = joined(above.get(number), named);
        nodes.add(members.get(number) + (parents.isEmpty() ? "" : " < " + parents));
      }
      sections.put(section, nodes);
    }
  }

  private static String joined(JsonArray row, List<String> names) {
    TreeSet<String> texts = new TreeSet<>();
    for (JsonElement each : row) {
      texts.add(names == null ? shortened(each.getAsString()) : names.get(each.getAsInt()));
    }
    return String.join(names == null ? "=" : " | ", texts);
  }

  /** What {@code reason} answered. */
  public static final class Answered {
    /** The value of the result. */
    public final JsonObject value;

    private final Map<String, TreeSet<String>> sections;

    Answered(JsonObject value, Map<String, TreeSet<String>> sections) {
      this.value = value;
      this.sections = sections;
    }

    /** The nodes of a section, sorted; null when it is not there. */
    public List<String> section(String name) {
      return sections.containsKey(name) ? List.copyOf(sections.get(name)) : null;
    }

    /** A list of texts in the value. */
    public List<String> texts(String name) {
      List<String> texts = new ArrayList<>();
      value.get(name).getAsJsonArray().forEach(each -> texts.add(each.getAsString()));
      return texts;
    }
  }

  /** What {@code explain} answered. */
  public static final class Explained {
    /** The value of the result. */
    public final JsonObject value;

    /** The justifications. */
    public final List<List<String>> justifications;

    Explained(JsonObject value, List<List<String>> justifications) {
      this.value = value;
      this.justifications = justifications;
    }
  }

  private static final class Quiet implements Reporter {
    @Override
    public void progress(String phase, String message, Double fraction) {
      // Nobody listens.
    }

    @Override
    public boolean isCancelled() {
      return false;
    }

    @Override
    public void onCancel(Runnable action) {
      // Nobody cancels.
    }
  }
}
