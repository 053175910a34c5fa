package org.protegejobs.headless;

import com.google.gson.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import org.protegejobs.gateway.Answers;
import org.protegejobs.gateway.CaptureService;
import org.protegejobs.gateway.EventQueue;
import org.protegejobs.gateway.GatewayService;
import org.protegejobs.gateway.GuardedGateway;
import org.protegejobs.gateway.HostGateway;
import org.protegejobs.gateway.PrivateFiles;

/**
 * An editor window without an editor: the real gateway over a real OWL API model, for tests of the
 * contract.
 *
 * <p>Prints one line of JSON with the connection (or starts a backend with it), then obeys {@link
 * Controls} on standard input, and ends when that ends. The gateway answers before the document is
 * loaded, with revision 0, as an editor's does; a line with {@code loaded} says when it is.
 */
public final class Main {
  private static final int MESSAGE_MAX = 300;

  private Main() {}

  /** Runs one host; see {@link Options} for the arguments. */
  public static void main(String[] arguments) throws Exception {
    Options options = Options.parse(arguments);
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    System.setOut(System.err); // libraries print to it
    EventQueue events = new EventQueue();
    HeadlessModel model = new HeadlessModel(options, events);
    Path directory =
        options.directory == null
            ? PrivateFiles.createTemporaryFolder("protege-jobs-host-")
            : options.directory;
    CaptureService captures = new CaptureService(model, events, directory);
    GuardedGateway gateway =
        GuardedGateway.start(
            new GatewayService(model, captures, events, reason -> captures.giveBackAll()));
    AtomicBoolean isClosed = new AtomicBoolean();
    Runnable close =
        () -> {
          if (isClosed.compareAndSet(false, true)) {
            model.close();
            events.close();
            captures.close();
            gateway.close();
            PrivateFiles.deleteTree(directory);
          }
        };
    Runtime.getRuntime().addShutdownHook(new Thread(close));
    String connection = connection(gateway, model, directory);
    Backend backend = null;
    if (options.backend.isEmpty()) {
      out.println(connection);
    } else {
      backend = Backend.spawn(options.backend, connection);
    }
    try {
      load(model);
      JsonObject loaded = new JsonObject();
      loaded.addProperty("loaded", true);
      loaded.addProperty("revision", model.revision());
      out.println(Answers.line(loaded));
      new Controls(model, events, out)
          .obey(new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)));
    } finally {
      close.run();
      if (backend != null) {
        backend.close();
      }
      Thread.sleep(2 * GuardedGateway.LAST_WORDS_MS);
    }
    System.exit(0); // a hanging model thread is a daemon, but a library's thread may not be
  }

  private static void load(HeadlessModel model) throws Exception {
    FutureTask<Void> task =
        new FutureTask<>(
            () -> {
              model.load();
              return null;
            });
    model.modelThread().execute(task);
    try {
      task.get();
    } catch (ExecutionException error) {
      // The OWL API's message holds a trace of each of its parsers.
      String words = String.valueOf(error.getCause().getMessage());
      throw new IOException(words.substring(0, Math.min(words.length(), MESSAGE_MAX)));
    }
  }

  private static String connection(GuardedGateway gateway, HeadlessModel model, Path directory)
      throws IOException {
    JsonObject json = new JsonObject();
    json.addProperty("contract", HostGateway.CONTRACT);
    json.addProperty("address", gateway.address());
    json.addProperty("port", gateway.port());
    json.addProperty("token", gateway.token());
    json.addProperty("window_id", model.windowId());
    json.addProperty("directory", directory.toRealPath().toString());
    return Answers.line(json);
  }
}
