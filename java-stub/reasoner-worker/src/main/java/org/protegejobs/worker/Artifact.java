package org.protegejobs.worker;

import java.nio.file.Path;

/** A file that an operation wrote below its working folder; made by {@link ArtifactWriter}. */
public final class Artifact {

  private final String name;
  private final String mediaType;
  private final Path path;
  private final String sha256;
  private final long sizeBytes;

  Artifact(String name, String mediaType, Path path, String sha256, long sizeBytes) {
    this.name = name;
    this.mediaType = mediaType;
    this.path = path;
    this.sha256 = sha256;
    this.sizeBytes = sizeBytes;
  }

  /** The name by which the operation's contract knows it. */
  public String name() {
    return name;
  }

  /** Its media type. */
  public String mediaType() {
    return mediaType;
  }

  /** Where it lies, absolute. */
  public Path path() {
    return path;
  }

  /** The digest of its bytes, 64 hexadecimal digits. */
  public String sha256() {
    return sha256;
  }

  /** Its length. */
  public long sizeBytes() {
    return sizeBytes;
  }
}
