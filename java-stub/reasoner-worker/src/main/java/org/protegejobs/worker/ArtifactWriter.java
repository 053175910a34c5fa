package org.protegejobs.worker;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;

/**
 * Writes one artifact as a stream and computes its digest on the way, so that nothing is read twice
 * or held in memory. Not for several threads.
 */
public final class ArtifactWriter extends OutputStream {

  private static final int BUFFER_BYTES = 64 * 1024;

  private final String mediaType;
  private final Path path;
  private final OutputStream file;
  private final MessageDigest digest = Digests.sha256();
  private final byte[] buffer = new byte[BUFFER_BYTES];
  private int filled;
  private long sizeBytes;

  /**
   * Creates the file {@code name} in the call's working folder; it must not exist.
   *
   * @param name a plain file name, also the name of the artifact
   */
  public ArtifactWriter(Call call, String name, String mediaType) throws IOException {
    this.mediaType = mediaType;
    this.path = call.workDir().resolve(name);
    if (!path.normalize().getParent().equals(call.workDir().normalize())) {
      throw new IllegalArgumentException("an artifact is named by a plain file name");
    }
    this.file =
        Files.newOutputStream(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
  }

  /** For a rehearsal: writes nowhere. */
  ArtifactWriter() {
    this.mediaType = "";
    this.path = Path.of("nowhere");
    this.file = OutputStream.nullOutputStream();
  }

  @Override
  public void write(int value) throws IOException {
    if (filled == BUFFER_BYTES) {
      drain();
    }
    buffer[filled++] = (byte) value;
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    int from = offset;
    int left = length;
    while (left > 0) {
      if (filled == BUFFER_BYTES) {
        drain();
      }
      int step = Math.min(left, BUFFER_BYTES - filled);
      System.arraycopy(bytes, from, buffer, filled, step);
      filled += step;
      from += step;
      left -= step;
    }
  }

  /** Closes the file and describes it. Nothing can be written afterwards. */
  public Artifact finish() throws IOException {
    drain();
    file.close();
    String name = path.getFileName().toString();
    return new Artifact(name, mediaType, path, Digests.hex(digest.digest()), sizeBytes);
  }

  /** Closes the file without describing it: for a way out by an exception. */
  @Override
  public void close() throws IOException {
    file.close();
  }

  private void drain() throws IOException {
    digest.update(buffer, 0, filled);
    file.write(buffer, 0, filled);
    sizeBytes += filled;
    filled = 0;
  }
}
