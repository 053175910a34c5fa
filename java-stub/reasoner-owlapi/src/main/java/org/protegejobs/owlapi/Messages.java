package org.protegejobs.owlapi;

import java.util.regex.Pattern;

/** Messages of libraries, made fit for a stranger: one line, bounded, without files and traces. */
public final class Messages {
  private static final Pattern SPACE = Pattern.compile("\\s+");
  private static final Pattern FILE =
      Pattern.compile("file:\\S+|(?<![\\w<:/#.])/(?:[^/\\s<>\"']+/)+[^\\s<>\"']*");

  private Messages() {}

  /** The first line that says something, from the failure or what caused it. */
  public static String of(Throwable failure) {
    String text = null;
    for (Throwable each = failure; each != null && text == null; each = each.getCause()) {
      String own = each.getMessage();
      text = own == null || own.isBlank() ? null : own;
    }
    return clean(text == null ? failure.getClass().getSimpleName() : text);
  }

  /** One bounded line of a text. */
  public static String clean(String text) {
    String line = FILE.matcher(SPACE.matcher(text.strip()).replaceAll(" ")).replaceAll("(a file)");
    if (line.length() <= Limits.MESSAGE_CHARACTERS) {
      return line;
    }
    return line.substring(0, Limits.MESSAGE_CHARACTERS - 1) + "…";
  }
}
