package org.protegejobs.owlapi.stuck;

import java.util.ArrayList;
import java.util.List;

/** Ways to misbehave. None of them returns in the ordinary way. */
enum Trouble {
  /** Keeps a core busy for ever, whoever interrupts. */
  HANG {
    @Override
    void happen() {
      while (true) {
        Thread.onSpinWait();
      }
    }
  },
  /** Recurses without end. */
  OVERFLOW {
    @Override
    void happen() {
      deeper(0);
    }

    private long deeper(long depth) {
      return deeper(depth + 1) + depth;
    }
  },
  /** Takes all memory. */
  EXHAUST {
    @Override
    void happen() {
      List<long[]> kept = new ArrayList<>();
      while (true) {
        kept.add(new long[1 << 17]);
      }
    }
  },
  /** Ends the process as a well-mannered program does. */
  EXIT {
    @Override
    void happen() {
      System.exit(3);
    }
  },
  /** Ends the process at once, as a crash does. */
  HALT {
    @Override
    void happen() {
      Runtime.getRuntime().halt(4);
    }
  },
  /** Meets a class file that is none. */
  BAD_CLASS {
    @Override
    void happen() {
      throw new ClassFormatError("Incompatible magic value");
    }
  },
  /** Floods standard output and standard error. */
  FLOOD {
    @Override
    void happen() {
      while (true) {
        System.out.println("noise on standard output that belongs to the frames");
        System.err.println("noise on standard error that nobody may have to wait for");
      }
    }
  };

  abstract void happen();
}
