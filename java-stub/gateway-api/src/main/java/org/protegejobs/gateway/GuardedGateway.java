package org.protegejobs.gateway;

import java.io.IOException;
import java.net.InetAddress;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import py4j.GatewayServer;

/**
 * A Py4J server through which nothing but the methods of {@link HostGateway} can be called.
 *
 * <p>It listens on a loopback address and a random port, for whoever knows a random token. Py4J by
 * itself lets such a client reach every class of the virtual machine; {@link GuardedCommands} takes
 * all of that away. All its threads are daemons.
 */
public final class GuardedGateway implements AutoCloseable {
  private static final int TOKEN_BYTES = 32;
  private static final long START_MS = 10_000;

  /** How long a connection may still answer after {@link #close}. */
  public static final long LAST_WORDS_MS = 200;

  private final GatewayServer server;
  private final String token;
  private final AtomicBoolean isClosed = new AtomicBoolean();

  private GuardedGateway(GatewayServer server, String token) {
    this.server = server;
    this.token = token;
  }

  /**
   * Starts listening.
   *
   * @throws IOException no port could be had
   */
  public static GuardedGateway start(HostGateway entry) throws IOException {
    byte[] secret = new byte[TOKEN_BYTES];
    new SecureRandom().nextBytes(secret);
    String token = Base64.getUrlEncoder().withoutPadding().encodeToString(secret);
    GatewayServer server =
        new GatewayServer.GatewayServerBuilder(entry)
            .javaPort(0)
            .javaAddress(InetAddress.getLoopbackAddress())
            .authToken(token)
            .customCommands(List.copyOf(GuardedCommands.ALL))
            .build();
    startOnDaemon(server);
    return new GuardedGateway(server, token);
  }

  /** Py4J's threads inherit their kind from the thread that starts them. */
  private static void startOnDaemon(GatewayServer server) throws IOException {
    AtomicReference<RuntimeException> failure = new AtomicReference<>();
    Thread starter =
        new Thread(
            () -> {
              try {
                server.start(true);
              } catch (RuntimeException error) {
                failure.set(error);
              }
            },
            "protege-jobs gateway start");
    starter.setDaemon(true);
    starter.start();
    try {
      starter.join(START_MS);
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
    }
    if (failure.get() != null || server.getListeningPort() <= 0) {
      throw new IOException("the gateway does not listen", failure.get());
    }
  }

  /** Where it listens. */
  public String address() {
    return server.getAddress().getHostAddress();
  }

  /** Where it listens. */
  public int port() {
    return server.getListeningPort();
  }

  /** The secret; it crosses by a pipe and nothing else. */
  public String token() {
    return token;
  }

  /**
   * Ends all connections, a moment later: pollers that were just woken still get their last answer.
   * May be called any number of times, on any thread; does not wait.
   */
  @Override
  public void close() {
    if (isClosed.compareAndSet(false, true)) {
      Thread closer =
          new Thread(
              () -> {
                pause();
                server.shutdown();
              },
              "protege-jobs gateway end");
      closer.setDaemon(true);
      closer.start();
    }
  }

  private static void pause() {
    try {
      Thread.sleep(LAST_WORDS_MS);
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
    }
  }
}
