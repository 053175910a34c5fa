package org.protegejobs.worker;

import com.google.gson.JsonObject;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/** The frames of this process, both ways, on its standard streams, which nobody else uses then. */
final class Channel {

  private final DataInputStream input;
  private final OutputStream output;

  private Channel(DataInputStream input, OutputStream output) {
    this.input = input;
    this.output = output;
  }

  /** Takes the standard streams; from now on what a library prints goes to standard error. */
  static Channel take() {
    Channel channel =
        new Channel(
            new DataInputStream(new BufferedInputStream(new FileInputStream(FileDescriptor.in))),
            new FileOutputStream(FileDescriptor.out));
    System.setOut(System.err);
    System.setIn(InputStream.nullInputStream());
    return channel;
  }

  /** The next frame; null when the host is gone or not to be understood, which is the same. */
  JsonObject receive() {
    try {
      return Frames.read(input);
    } catch (IOException error) {
      System.err.println("worker: the host's frames broke: " + error.getMessage());
      return null;
    }
  }

  /** Writes one encoded frame whole; a host that is gone ends this process. */
  synchronized void send(byte[] frame) {
    try {
      output.write(frame);
    } catch (IOException error) {
      Runtime.getRuntime().halt(1);
    }
  }
}
