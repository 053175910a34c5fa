package org.protegejobs.gateway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(30)
class GuardedGatewayTest {
  @TempDir Path directory;
  private TestModel model;
  private CaptureService captures;
  private GuardedGateway gateway;
  private String left;

  @BeforeEach
  void open() throws Exception {
    model = new TestModel("SubClassOf(<urn:a> <urn:b>)");
    EventQueue events = new EventQueue();
    captures = new CaptureService(model, events, directory);
    gateway =
        GuardedGateway.start(new GatewayService(model, captures, events, reason -> left = reason));
  }

  @AfterEach
  void close() {
    gateway.close();
    gateway.close();
    captures.close();
    model.close();
  }

  /** A client that speaks Py4J's text protocol by hand. */
  private final class Client implements AutoCloseable {
    private final Socket socket;
    private final BufferedReader reader;

    Client(String token) throws IOException {
      socket = new Socket(InetAddress.getByName(gateway.address()), gateway.port());
      socket.setSoTimeout(10_000);
      reader =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
      send("A\n" + token + "\n");
    }

    private void send(String text) throws IOException {
      OutputStream out = socket.getOutputStream();
      out.write(text.getBytes(StandardCharsets.UTF_8));
      out.flush();
    }

    String ask(String command) throws IOException {
      send(command);
      return reader.readLine();
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  private Client client() throws IOException {
    Client client = new Client(gateway.token());
    assertEquals("!yv", client.reader.readLine());
    return client;
  }

  @Test
  void aWrongTokenOpensNothing() throws Exception {
    try (Client client = new Client("wrong")) {
      assertNotEquals("!yv", client.reader.readLine());
    }
  }

  @Test
  void theMethodsOfTheContractAnswer() throws Exception {
    try (Client client = client()) {
      assertTrue(client.ask("c\nt\nhello\ni1\ne\n").contains("\"ok\":true"));
      assertTrue(client.ask("c\nt\nhello\ni2\ne\n").contains("contract_mismatch"));
      assertTrue(client.ask("c\nt\nrevision\ne\n").contains("\"revision\":1"));
      assertTrue(client.ask("c\nt\ndescribe\ne\n").contains("\"title\":\"test\""));
      assertTrue(client.ask("c\nt\nawaitEvents\nL0\ni0\ne\n").contains("\"events\":[]"));
      assertTrue(client.ask("c\nt\nclose\nsbye\ne\n").contains("\"ok\":true"));
    }
    assertEquals("bye", left);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "c\nt\ngetClass\ne\n",
        "c\nt\nhashCode\ne\n",
        "c\nt\nnotify\ne\n",
        "c\nt\nhello\ne\n",
        "c\nt\nhello\nsone\ne\n",
        "c\nt\nhello\nL99999999999\ne\n",
        "c\nt\nstartCapture\nn\ne\n",
        "c\nt\nrevision\ni1\ne\n",
        "c\nz:java.lang.System\nexit\ni0\ne\n",
        "c\nGATEWAY_SERVER\nshutdown\ne\n",
      })
  void otherCallsAreInvalidRequests(String command) throws Exception {
    try (Client client = client()) {
      String answer = client.ask(command);
      assertTrue(answer.contains("invalid_request"), answer);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "i\njava.util.ArrayList\ne\n",
        "r\nu\njava\nrj\ne\n",
        "r\nm\njava.lang.System\nexit\ne\n",
        "j\nc\nx\ne\n",
        "f\ng\nt\nx\ne\n",
        "d\nf\nt\ne\n",
        "S\nt\nhello\ne\n",
        "h\no\nt\n\\n\nbtrue\ne\n",
        "s\ne\n",
        "a\nc\njava.lang.String\ni2\ne\n",
        "l\na\nt\ne\n",
      })
  void otherCommandsAreRefusedAndTheConnectionGoesOn(String command) throws Exception {
    try (Client client = client()) {
      String answer = client.ask(command);
      assertTrue(answer.startsWith("!x"), answer);
      assertTrue(client.ask("c\nt\nrevision\ne\n").contains("\"revision\":1"));
    }
  }
}
