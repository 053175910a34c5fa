package org.protegejobs.gateway;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.util.List;
import py4j.Gateway;
import py4j.Protocol;
import py4j.Py4JServerConnection;
import py4j.ReturnObject;
import py4j.commands.AbstractCommand;
import py4j.commands.CallCommand;
import py4j.commands.Command;

/**
 * What replaces the commands of Py4J's protocol: calls go to the entry point by a fixed list, and
 * everything else is refused.
 *
 * <p>The classes are public because Py4J makes them by reflection. Release of references ({@code
 * m}) and exception text ({@code p}) are left as they are: there is nothing to release and no
 * exception leaves.
 */
public final class GuardedCommands {
  static final List<Class<? extends Command>> ALL =
      List.of(
          Call.class,
          NoConstructor.class,
          NoReflection.class,
          NoView.class,
          NoField.class,
          NoDir.class,
          NoStream.class,
          NoHelp.class,
          NoShutdown.class,
          NoArray.class,
          NoList.class);

  private static final String ENTRY_POINT = "t";

  private GuardedCommands() {}

  /** Calls of the contract's methods, found by name and never by reflection. */
  public static final class Call extends CallCommand {
    private HostGateway entry;

    @Override
    public void init(Gateway gateway, Py4JServerConnection connection) {
      super.init(gateway, connection);
      entry = (HostGateway) gateway.getEntryPoint();
    }

    @Override
    protected ReturnObject invokeMethod(String method, String target, List<Object> arguments) {
      return ReturnObject.getPrimitiveReturnObject(answer(method, target, arguments));
    }

    private String answer(String method, String target, List<Object> arguments) {
      try {
        if (target.equals(ENTRY_POINT)) {
          return dispatch(method, new Arguments(arguments));
        }
        return Answers.refused(GatewayError.invalidRequest("Only the entry point can be called."));
      } catch (GatewayError error) {
        return Answers.refused(error);
      }
    }

    private String dispatch(String method, Arguments arguments) throws GatewayError {
      switch (method) {
        case "hello":
          return entry.hello(arguments.count(1).integer(0));
        case "revision":
          arguments.count(0);
          return entry.revision();
        case "describe":
          arguments.count(0);
          return entry.describe();
        case "startCapture":
          return entry.startCapture(arguments.count(1).text(0));
        case "captureStatus":
          return entry.captureStatus(arguments.count(1).text(0));
        case "cancelCapture":
          return entry.cancelCapture(arguments.count(1).text(0));
        case "awaitEvents":
          return entry.awaitEvents(arguments.count(2).number(0), arguments.integer(1));
        case "close":
          return entry.close(arguments.count(1).text(0));
        default:
          throw GatewayError.invalidRequest("There is no such method.");
      }
    }
  }

  /** The arguments of one call, with the types that the contract gives them. */
  private static final class Arguments {
    private final List<Object> values;

    Arguments(List<Object> values) {
      this.values = values;
    }

    Arguments count(int expected) throws GatewayError {
      if (values.size() != expected) {
        throw GatewayError.invalidRequest("The method has another number of arguments.");
      }
      return this;
    }

    String text(int place) throws GatewayError {
      if (values.get(place) instanceof String) {
        return (String) values.get(place);
      }
      throw GatewayError.invalidRequest("An argument is not text.");
    }

    long number(int place) throws GatewayError {
      Object value = values.get(place);
      if (value instanceof Integer || value instanceof Long) {
        return ((Number) value).longValue();
      }
      throw GatewayError.invalidRequest("An argument is not a whole number.");
    }

    int integer(int place) throws GatewayError {
      long value = number(place);
      if (value == (int) value) {
        return (int) value;
      }
      throw GatewayError.invalidRequest("An argument is too large.");
    }
  }

  /** A command that is read to its end and refused. */
  private abstract static class Refused extends AbstractCommand {
    Refused(String name) {
      commandName = name;
    }

    @Override
    public void execute(String name, BufferedReader reader, BufferedWriter writer)
        throws IOException {
      String line = reader.readLine();
      while (line != null && !Protocol.isEnd(line)) {
        line = reader.readLine();
      }
      writer.write(Protocol.getOutputErrorCommand("This gateway refuses that."));
      writer.flush();
    }
  }

  /** Refuses {@code new}. */
  public static final class NoConstructor extends Refused {
    public NoConstructor() {
      super("i");
    }
  }

  /** Refuses looking classes up. */
  public static final class NoReflection extends Refused {
    public NoReflection() {
      super("r");
    }
  }

  /** Refuses the view of the virtual machine. */
  public static final class NoView extends Refused {
    public NoView() {
      super("j");
    }
  }

  /** Refuses fields. */
  public static final class NoField extends Refused {
    public NoField() {
      super("f");
    }
  }

  /** Refuses listing members. */
  public static final class NoDir extends Refused {
    public NoDir() {
      super("d");
    }
  }

  /** Refuses streams. */
  public static final class NoStream extends Refused {
    public NoStream() {
      super("S");
    }
  }

  /** Refuses help pages. */
  public static final class NoHelp extends Refused {
    public NoHelp() {
      super("h");
    }
  }

  /** Refuses stopping the gateway. */
  public static final class NoShutdown extends Refused {
    public NoShutdown() {
      super("s");
    }
  }

  /** Refuses arrays. */
  public static final class NoArray extends Refused {
    public NoArray() {
      super("a");
    }
  }

  /** Refuses list operations. */
  public static final class NoList extends Refused {
    public NoList() {
      super("l");
    }
  }
}
