package org.protegejobs.headless;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * The one thread on which the model changes: what the event dispatch thread is to an editor. Work
 * runs in the order in which it came, and nothing that it throws stops the thread.
 */
final class ModelThread implements Executor {
  private final LinkedBlockingQueue<Runnable> waiting = new LinkedBlockingQueue<>();

  ModelThread() {
    Thread thread = new Thread(this::run, "model");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void execute(Runnable work) {
    waiting.add(work);
  }

  private void run() {
    while (true) {
      try {
        waiting.take().run();
      } catch (InterruptedException error) {
        return;
      } catch (RuntimeException error) {
        error.printStackTrace();
      }
    }
  }
}
