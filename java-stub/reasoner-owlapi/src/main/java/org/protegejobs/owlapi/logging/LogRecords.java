package org.protegejobs.owlapi.logging;

import java.util.function.Consumer;
import org.slf4j.event.Level;

/**
 * Where log entries go.
 *
 * <p>Static, as logging is: this process has one job, and its libraries find their loggers without
 * being given any.
 */
public final class LogRecords {
  private static final int PRINTED = 200; // ours: the host keeps a bounded tail anyway

  private static volatile Consumer<Entry> listener;
  private static int printed;

  private LogRecords() {}

  /** One entry of the level warning or error. */
  public static final class Entry {
    private final Level level;
    private final String logger;
    private final String message;
    private final Throwable failure;

    Entry(Level level, String logger, String message, Throwable failure) {
      this.level = level;
      this.logger = logger;
      this.message = message;
      this.failure = failure;
    }

    /** Whether the library calls it an error. */
    public boolean isError() {
      return level == Level.ERROR;
    }

    /** The name of the class that said it. */
    public String logger() {
      return logger;
    }

    /** What it said, with the reason if there is one. */
    public String message() {
      return failure == null ? message : message + " (" + failure + ")";
    }
  }

  /** Hears every entry until it is closed; one listener at a time. */
  public static AutoCloseableListener listen(Consumer<Entry> consumer) {
    listener = consumer;
    return () -> listener = null;
  }

  /** Ends a listening. */
  public interface AutoCloseableListener extends AutoCloseable {
    @Override
    void close();
  }

  static void add(Entry entry) {
    Consumer<Entry> current = listener;
    if (current != null) {
      current.accept(entry);
    }
    print(entry);
  }

  private static synchronized void print(Entry entry) {
    if (printed++ < PRINTED) {
      System.err.println(entry.level + " " + entry.logger + ": " + entry.message());
    }
  }
}
