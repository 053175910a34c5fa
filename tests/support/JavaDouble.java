import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A Java worker with stages that misbehave, for the tests of launching. Speaks frames by hand. */
public final class JavaDouble {

  private static OutputStream output;

  public static void main(String[] arguments) throws Exception {
    output = System.out;
    System.setOut(System.err);
    BlockingQueue<String> inbox = new LinkedBlockingQueue<>();
    Thread host = new Thread(() -> listen(new DataInputStream(System.in), inbox));
    host.setDaemon(true);
    host.start();
    send("{\"type\": \"hello\", \"protocol\": 1, \"pid\": " + ProcessHandle.current().pid() + ", \"operations\": []}");
    String frame = inbox.take();
    boolean isWarm = frame.contains("\"warm\"");
    if (isWarm) {
      Class.forName("java.util.concurrent.ForkJoinPool");
      frame = inbox.take();
    }
    answer(run(field(frame, "operation"), frame, isWarm));
    Thread.currentThread().join();
  }

  private static String run(String operation, String frame, boolean isWarm) throws Exception {
    switch (operation) {
      case "property":
        return String.valueOf(System.getProperty(field(frame, "name")));
      case "variable":
        return String.valueOf(System.getenv(field(frame, "name")));
      case "is_warm":
        return String.valueOf(isWarm);
      case "heap":
        return String.valueOf(Runtime.getRuntime().maxMemory());
      case "exists":
        return String.valueOf(Files.exists(Path.of(field(frame, "name"))));
      case "archive":
        for (String line : Files.readAllLines(Path.of("/proc/self/maps"))) {
          if (line.endsWith(".jsa") && line.contains("JavaDouble-")) {
            return "mapped";
          }
        }
        return "none";
      case "spins":
        send("{\"type\": \"progress\", \"phase\": \"reasoning\", \"message\": \"" + ProcessHandle.current().pid()
            + "\", \"fraction\": null}");
        for (long turn = 0; ; turn++) {
          if (turn == Long.MIN_VALUE) {
            return "never";
          }
        }
      case "fills_the_heap":
        List<long[]> kept = new ArrayList<>();
        try {
          while (true) {
            kept.add(new long[1 << 16]);
          }
        } catch (OutOfMemoryError error) {
          return "half a result from " + kept.size(); // as a reasoner that catches everything
        }
      case "recurses":
        return String.valueOf(deep(1));
      case "network":
        try (InputStream stream = new URL(field(frame, "name")).openStream()) {
          return "read " + stream.read();
        } catch (IOException error) {
          return error.getClass().getSimpleName();
        }
      default:
        return "unknown " + operation;
    }
  }

  private static long deep(long level) {
    return level + deep(level + 1);
  }

  private static void listen(DataInputStream input, BlockingQueue<String> inbox) {
    try {
      while (true) {
        byte[] body = new byte[input.readInt()];
        input.readFully(body);
        String frame = new String(body, StandardCharsets.UTF_8);
        if (!frame.contains("\"cancel\"")) {
          inbox.add(frame);
        }
      }
    } catch (IOException end) {
      Runtime.getRuntime().halt(0);
    }
  }

  private static void answer(String value) throws IOException {
    send("{\"type\": \"result\", \"value\": \"" + value + "\", \"artifacts\": []}");
  }

  private static synchronized void send(String frame) throws IOException {
    byte[] body = frame.getBytes(StandardCharsets.US_ASCII);
    output.write(new byte[] {
      (byte) (body.length >>> 24), (byte) (body.length >>> 16), (byte) (body.length >>> 8), (byte) body.length
    });
    output.write(body);
    output.flush();
  }

  private static String field(String frame, String name) {
    Matcher found = Pattern.compile("\"" + name + "\": ?\"((?:[^\"\\\\]|\\\\.)*)\"").matcher(frame);
    if (!found.find()) {
      throw new IllegalArgumentException("no " + name);
    }
    Matcher escape = Pattern.compile("\\\\u([0-9a-fA-F]{4})").matcher(found.group(1));
    return escape.replaceAll(each -> String.valueOf((char) Integer.parseInt(each.group(1), 16)));
  }
}
