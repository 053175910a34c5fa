package org.protegejobs.owlapi;

import java.util.Map;
import org.protegejobs.worker.WorkerMain;

/** The entry point of a worker with the OWL API on its class path. */
public final class Main {
  private Main() {}

  /** Never returns; the arguments are the host's and of no use here. */
  public static void main(String[] arguments) {
    Network.shut();
    WorkerMain.serve(
        Map.of(
            "reason", new ReasonOperation(),
            "read_document", new ReadDocumentOperation(),
            "explain", new ExplainOperation()));
  }
}
