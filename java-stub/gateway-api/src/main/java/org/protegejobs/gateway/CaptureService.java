package org.protegejobs.gateway;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.semanticweb.owlapi.model.OWLOntology;
import org.semanticweb.owlapi.model.OWLRuntimeException;

/**
 * Captures of the active ontology and its import closure, one at a time, in the background.
 *
 * <p>A capture copies references between two looks at the revision, on its own thread; only when
 * the model keeps moving does it copy on the model thread. What it writes lies in a folder of its
 * own, which is deleted when the capture fails or is given back. One thread does all of this, so at
 * most one ontology is being written at any time.
 */
public final class CaptureService implements AutoCloseable {
  /** Copies that were overtaken by an edit before the model thread is asked to do it. */
  static final int TRIES = 20;

  private static final int WAITING_MAX = 8;
  private static final int KEPT_MAX = 64;
  private static final long LOOK_MS = 15_000;
  private static final long COPY_MS = 60_000;

  private final OntologyModel model;
  private final EventQueue events;
  private final Path directory;
  private final Map<String, Capture> captures = new LinkedHashMap<>();
  private final ThreadPoolExecutor worker;

  /** Captures below {@code directory}, which is private and exists. */
  public CaptureService(OntologyModel model, EventQueue events, Path directory) {
    this.model = model;
    this.events = events;
    this.directory = directory;
    this.worker =
        new ThreadPoolExecutor(
            1, 1, 0, TimeUnit.SECONDS, new ArrayBlockingQueue<>(WAITING_MAX), this::thread);
  }

  private Thread thread(Runnable work) {
    Thread thread = new Thread(work, "protege-jobs capture");
    thread.setDaemon(true);
    return thread;
  }

  /**
   * Queues a capture.
   *
   * @return its id: the name of its folder, so that the backend can give it back without having
   *     heard this answer
   * @throws GatewayError {@code host_unavailable}: closing, or too many wait
   */
  public String start(CaptureRequest request) throws GatewayError {
    String id = request.folder();
    Capture capture = new Capture(id, directory.resolve(id), request.maxAxioms());
    synchronized (captures) {
      if (captures.containsKey(id)) {
        throw GatewayError.invalidRequest("There is a capture of that name already.");
      }
      if (captures.size() >= KEPT_MAX) {
        throw GatewayError.unavailable("Too many captures were never given back.");
      }
      try {
        worker.execute(() -> run(capture));
      } catch (RejectedExecutionException error) {
        throw model.isClosing()
            ? ModelHop.closing()
            : GatewayError.unavailable("Too many captures are waiting.");
      }
      captures.put(capture.id, capture);
    }
    return capture.id;
  }

  /**
   * How far a capture is.
   *
   * @throws GatewayError {@code invalid_request}: there is none of that id
   */
  public JsonObject status(String id) throws GatewayError {
    Capture capture;
    synchronized (captures) {
      capture = captures.get(id);
    }
    if (capture == null) {
      throw GatewayError.invalidRequest("There is no such capture.");
    }
    return capture.status();
  }

  /** Gives a capture back; its folder goes now, or as soon as the writing has stopped. */
  public void cancel(String id) {
    Capture capture;
    synchronized (captures) {
      capture = captures.remove(id);
    }
    if (capture != null) {
      giveBack(capture);
    }
  }

  private void giveBack(Capture capture) {
    boolean isIdle;
    synchronized (capture) { // against `finish`: exactly one of the two sees the other's mark
      capture.isCancelled = true;
      isIdle = capture.state() == Capture.State.READY;
    }
    if (isIdle) {
      PrivateFiles.deleteTree(capture.folder);
    }
  }

  /** Gives every capture back: their backend is gone, and another one will not know them. */
  public void giveBackAll() {
    synchronized (captures) {
      captures.values().forEach(this::giveBack);
      captures.clear();
    }
  }

  /** Gives every capture back and takes no more; does not wait for the one under way. */
  @Override
  public void close() {
    worker.shutdownNow();
    giveBackAll();
  }

  // --- On the capture thread ---------------------------------------------------------------------

  private void run(Capture capture) {
    JsonObject manifest = null;
    GatewayError failure = null;
    try {
      if (!capture.isCancelled) {
        manifest = capture(capture);
      }
    } catch (GatewayError error) {
      failure = error;
    } catch (InterruptedException error) {
      failure = ModelHop.closing();
    } catch (CharacterCodingException error) {
      failure = invalidOntology("The ontology holds text that is not Unicode.");
    } catch (MemberFile.OmittedException error) {
      failure =
          invalidOntology(
              "The ontology holds an axiom that cannot be written: " + error.getMessage() + ".");
    } catch (IOException error) {
      failure = GatewayError.unavailable("The capture cannot be written. Is the disk full?");
    } catch (RuntimeException | OutOfMemoryError | StackOverflowError error) {
      // The editor goes on; what failed is only this copy of its ontology.
      error.printStackTrace();
      failure = GatewayError.unavailable("The capture failed in the host; its log says why.");
    }
    finish(capture, manifest, failure);
  }

  private static GatewayError invalidOntology(String message) {
    return new GatewayError(GatewayError.INVALID_ONTOLOGY, message, false, new JsonObject());
  }

  private void finish(Capture capture, JsonObject manifest, GatewayError failure) {
    boolean isKept;
    synchronized (capture) {
      isKept = manifest != null && !capture.isCancelled;
      if (isKept) {
        capture.enter(Capture.State.READY, "Captured", manifest);
      } else if (failure != null) {
        capture.enter(Capture.State.FAILED, failure.getMessage(), failure.toJson());
      }
    }
    if (!isKept) {
      PrivateFiles.deleteTree(capture.folder);
    }
    if (!capture.isCancelled) {
      tell(capture);
    }
  }

  private JsonObject capture(Capture capture)
      throws GatewayError, InterruptedException, IOException {
    Capture.Fenced fenced = copyFenced(capture);
    capture.enter(Capture.State.WRITING, "Writing the copy", null);
    tell(capture);
    long begun = System.nanoTime();
    PrivateFiles.createFolder(capture.folder);
    JsonArray rows = new JsonArray();
    for (ClosureCopy.Member each : fenced.copy.members) {
      String file = rows.size() + ".ofn";
      MemberFile written =
          MemberFile.write(each, capture.folder.resolve(file), () -> capture.isCancelled);
      if (written == null) {
        return null;
      }
      rows.add(Capture.row(each, file, written));
    }
    JsonObject manifest = fenced.toJson();
    manifest.add("members", rows);
    manifest.addProperty("write_ms", (System.nanoTime() - begun) / 1_000_000);
    return manifest;
  }

  private void tell(Capture capture) {
    JsonObject event = new JsonObject();
    event.addProperty("capture_id", capture.id);
    event.addProperty("state", capture.state().wire());
    events.post("capture", event);
  }

  /** What one look at the model on its own thread finds. */
  private static final class Look {
    final long revision;
    final OWLOntology active;

    Look(long revision, OWLOntology active) {
      this.revision = revision;
      this.active = active;
    }
  }

  private Capture.Fenced copyFenced(Capture capture) throws GatewayError, InterruptedException {
    Capture.Fenced fenced = new Capture.Fenced();
    Look before = look(fenced);
    while (fenced.tries < TRIES) {
      fenced.tries++;
      long begun = System.nanoTime();
      OWLRuntimeException torn = null;
      try {
        fenced.copy = ClosureCopy.of(before.active, capture.maxAxioms);
      } catch (OWLRuntimeException error) {
        torn = error; // an ontology may have left the manager meanwhile; the look tells
      }
      fenced.copyNanos = System.nanoTime() - begun;
      Look after = look(fenced);
      if (after.revision == before.revision) {
        if (torn != null) {
          throw torn;
        }
        fenced.revision = after.revision;
        return fenced;
      }
      if (capture.isCancelled) {
        throw GatewayError.unavailable("The capture was given back.");
      }
      before = after;
    }
    copyOnModelThread(fenced, capture.maxAxioms);
    return fenced;
  }

  private Look look(Capture.Fenced fenced) throws GatewayError, InterruptedException {
    return ModelHop.call(
        model,
        LOOK_MS,
        () -> {
          long begun = System.nanoTime();
          Look look = new Look(readyRevision(), model.activeOntology());
          fenced.reasoner = model.selectedReasoner();
          fenced.title = model.title();
          fenced.modelThreadNanos += System.nanoTime() - begun;
          return look;
        });
  }

  private void copyOnModelThread(Capture.Fenced fenced, long maxAxioms)
      throws GatewayError, InterruptedException {
    ModelHop.call(
        model,
        COPY_MS,
        () -> {
          long begun = System.nanoTime();
          fenced.tries++;
          fenced.revision = readyRevision();
          fenced.reasoner = model.selectedReasoner();
          fenced.title = model.title();
          fenced.copy = ClosureCopy.of(model.activeOntology(), maxAxioms);
          fenced.copyNanos = System.nanoTime() - begun;
          fenced.modelThreadNanos += fenced.copyNanos;
          return null;
        });
  }

  private long readyRevision() throws GatewayError {
    long revision = model.revision();
    if (revision == 0) {
      throw GatewayError.unavailable("The window is still loading its ontology.");
    }
    return revision;
  }
}
