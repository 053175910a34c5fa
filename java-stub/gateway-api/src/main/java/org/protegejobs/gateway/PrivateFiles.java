package org.protegejobs.gateway;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Files and folders that only their owner can read, where the file system knows owners. */
public final class PrivateFiles {
  private static final boolean IS_POSIX =
      FileSystems.getDefault().supportedFileAttributeViews().contains("posix");

  private PrivateFiles() {}

  /** Makes a folder that must not exist yet. */
  public static void createFolder(Path path) throws IOException {
    Files.createDirectory(path, rights("rwx------"));
  }

  /** Makes a new temporary folder. */
  public static Path createTemporaryFolder(String prefix) throws IOException {
    return Files.createTempDirectory(prefix, rights("rwx------"));
  }

  /** A new file to write to; what is there already is never opened. */
  static OutputStream create(Path path) throws IOException {
    return Channels.newOutputStream(
        Files.newByteChannel(
            path,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            rights("rw-------")));
  }

  /** Deletes a folder with all it holds; what cannot be deleted stays for the next start. */
  public static void deleteTree(Path folder) {
    List<Path> found;
    try (Stream<Path> walk = Files.walk(folder)) {
      found = walk.sorted(Comparator.reverseOrder()).collect(Collectors.toList());
    } catch (IOException | UncheckedIOException error) {
      return; // it is not there
    }
    for (Path each : found) {
      try {
        Files.deleteIfExists(each);
      } catch (IOException error) {
        // Left for the next start, which deletes the folders of dead windows.
      }
    }
  }

  private static FileAttribute<?>[] rights(String posix) {
    if (!IS_POSIX) {
      return new FileAttribute<?>[0];
    }
    return new FileAttribute<?>[] {
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(posix))
    };
  }
}
