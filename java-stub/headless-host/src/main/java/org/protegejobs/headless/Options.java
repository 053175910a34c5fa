package org.protegejobs.headless;

import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;

/**
 * The command line: {@code DOCUMENT [--root DIR] [--reasoner NAME] [--directory DIR]
 * [--spawn-backend COMMAND...]}.
 */
final class Options {
  final Path document;

  /** Imported files are read only below it; the document's folder unless given. */
  final Path root;

  final String reasoner;

  /** An existing private folder for captures; null: a temporary one. */
  final Path directory;

  /**
   * What to start with the connection on its standard input; empty: print the connection instead.
   */
  final List<String> backend;

  private Options(Path document, Path root, String reasoner, Path directory, List<String> backend) {
    this.document = document;
    this.root = root;
    this.reasoner = reasoner;
    this.directory = directory;
    this.backend = backend;
  }

  /**
   * Reads the command line.
   *
   * @throws IllegalArgumentException it has another shape
   */
  static Options parse(String[] arguments) {
    Deque<String> left = new ArrayDeque<>(Arrays.asList(arguments));
    if (left.isEmpty()) {
      throw new IllegalArgumentException("a document is needed");
    }
    Path document = Paths.get(left.pop()).toAbsolutePath().normalize();
    Path root = document.getParent();
    String reasoner = Reasoners.NONE;
    Path directory = null;
    List<String> backend = new ArrayList<>();
    while (!left.isEmpty()) {
      String option = left.pop();
      switch (option) {
        case "--root":
          root = Paths.get(value(option, left)).toAbsolutePath().normalize();
          break;
        case "--reasoner":
          reasoner = value(option, left);
          break;
        case "--directory":
          directory = Paths.get(value(option, left)).toAbsolutePath();
          break;
        case "--spawn-backend":
          backend.addAll(left);
          left.clear();
          break;
        default:
          throw new IllegalArgumentException("unknown option " + option);
      }
    }
    Reasoners.find(reasoner);
    return new Options(document, root, reasoner, directory, backend);
  }

  private static String value(String option, Deque<String> left) {
    if (left.isEmpty()) {
      throw new IllegalArgumentException(option + " needs a value");
    }
    return left.pop();
  }
}
