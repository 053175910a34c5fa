package org.protegejobs.headless;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A backend started by the host: told of the connection on its standard input, its lifeline. */
final class Backend implements AutoCloseable {
  private static final long GRACE_S = 2;

  private final Process process;

  private Backend(Process process) {
    this.process = process;
  }

  static Backend spawn(List<String> command, String connection) throws IOException {
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(ProcessBuilder.Redirect.INHERIT)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    OutputStream lifeline = process.getOutputStream();
    lifeline.write((connection + "\n").getBytes(StandardCharsets.UTF_8));
    lifeline.flush();
    return new Backend(process);
  }

  /** Ends the lifeline, then asks, then kills. */
  @Override
  public void close() {
    try {
      process.getOutputStream().close();
    } catch (IOException error) {
      // It has ended already.
    }
    try {
      if (!process.waitFor(GRACE_S, TimeUnit.SECONDS)) {
        process.destroy();
        if (!process.waitFor(GRACE_S, TimeUnit.SECONDS)) {
          process.destroyForcibly();
        }
      }
    } catch (InterruptedException error) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
