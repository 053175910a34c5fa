package org.protegejobs.elk;

import java.util.Set;
import org.protegejobs.worker.Reporter;
import org.protegejobs.worker.WorkerException;
import org.semanticweb.elk.loading.AxiomLoader;
import org.semanticweb.elk.loading.ElkLoadingException;
import org.semanticweb.elk.owl.implementation.ElkObjectBaseFactory;
import org.semanticweb.elk.owl.interfaces.ElkSameIndividualAxiom;
import org.semanticweb.elk.owl.visitors.ElkAxiomProcessor;
import org.semanticweb.elk.util.concurrent.computation.InterruptMonitor;

/** Gives ELK the axioms of one capture, once. */
final class CaptureLoader {

  private static final int REPORT_EVERY = 4096;

  private final CaptureReader reader;
  private final int sizeBytes;
  private final Evidence evidence;
  private final Reporter reporter;
  private final SameIndividuals same = new SameIndividuals();
  private boolean isFinished;

  CaptureLoader(byte[] data, Evidence evidence, Reporter reporter) {
    this.reader = new CaptureReader(data, new ElkObjectBaseFactory());
    this.sizeBytes = data.length;
    this.evidence = evidence;
    this.reporter = reporter;
  }

  /** How many axioms of the capture were read. */
  long axioms() {
    return reader.axioms();
  }

  /** The names of the constructs that were read. */
  Set<String> constructs() {
    return reader.constructs();
  }

  /** Which individuals the axioms that were read say to be the same. */
  SameIndividuals same() {
    return same;
  }

  AxiomLoader listeningTo(InterruptMonitor interrupter) {
    return new AxiomLoader() {
      @Override
      public void load(ElkAxiomProcessor inserter, ElkAxiomProcessor deleter)
          throws ElkLoadingException {
        try {
          loadInto(inserter, interrupter);
        } catch (WorkerException refused) {
          throw new ElkLoadingException(refused);
        }
      }

      @Override
      public boolean isLoadingFinished() {
        return isFinished;
      }

      @Override
      public void dispose() {}

      @Override
      public boolean isInterrupted() {
        return interrupter.isInterrupted();
      }
    };
  }

  private void loadInto(ElkAxiomProcessor inserter, InterruptMonitor interrupter) {
    long reportAt = reader.axioms() + REPORT_EVERY;
    while (!interrupter.isInterrupted()) {
      boolean isMore =
          reader.read(
              axiom -> {
                evidence.beginAxiom(axiom);
                inserter.visit(axiom);
                evidence.endAxiom();
                if (axiom instanceof ElkSameIndividualAxiom) {
                  same.add((ElkSameIndividualAxiom) axiom);
                }
              });
      if (!isMore) {
        isFinished = true;
        return;
      }
      if (reader.axioms() >= reportAt) {
        reportAt += REPORT_EVERY;
        reporter.progress(
            "loading", "Loading axioms", Share.LOADING.at(reader.position(), sizeBytes));
      }
    }
  }
}
