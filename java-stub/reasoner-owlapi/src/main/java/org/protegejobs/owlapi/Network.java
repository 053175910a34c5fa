package org.protegejobs.owlapi;

import java.io.IOException;
import java.net.Proxy;
import java.net.URL;
import java.net.URLConnection;
import java.net.URLStreamHandler;
import java.util.Set;

/** Makes sure that no library opens a connection, whatever a document asks for. */
final class Network {
  private static final Set<String> REMOTE = Set.of("http", "https", "ftp", "mailto");

  private Network() {}

  /** Shuts remote URLs and external XML entities for the whole process, for good. */
  static void shut() {
    System.setProperty("javax.xml.accessExternalDTD", "");
    System.setProperty("javax.xml.accessExternalSchema", "");
    System.setProperty("javax.xml.accessExternalStylesheet", "");
    URL.setURLStreamHandlerFactory(scheme -> REMOTE.contains(scheme) ? new Shut() : null);
  }

  private static final class Shut extends URLStreamHandler {
    @Override
    protected URLConnection openConnection(URL url) throws IOException {
      throw new IOException("this worker opens no connection");
    }

    @Override
    protected URLConnection openConnection(URL url, Proxy proxy) throws IOException {
      throw new IOException("this worker opens no connection");
    }
  }
}
