package org.protegejobs.elk;

import java.util.Map;
import org.protegejobs.worker.WorkerMain;

/** A worker with ELK 0.6.0. */
public final class Main {

  private Main() {}

  /** Serves one job; the arguments, which name the parent, are for other kinds of workers. */
  public static void main(String[] arguments) {
    WorkerMain.serve(Map.of("reason", new Reason()));
  }
}
