package org.protegejobs.worker;

import java.util.function.BooleanSupplier;

/**
 * One kind of job that this process can do. It is run once at most, since the process ends with it.
 */
public interface Operation {

  /**
   * Does the job.
   *
   * <p>It reads the files that its inputs name and writes only below the call's working folder. It
   * runs in a thread with a deep stack, so a deeply nested expression is no reason to fail.
   *
   * @throws WorkerException what the caller is to be told; anything else becomes {@code
   *     job_execution_failed} with the class of the exception as failure type
   */
  Result run(Call call, Reporter reporter) throws Exception;

  /**
   * Loads the classes that a job will need, and compiles what it can, while no job is there. What
   * fails here is that job's own finding.
   *
   * @param isAwaited whether a job has come, which waits; asked at least every half a second, and
   *     what loads classes is done whatever it says
   */
  default void warm(BooleanSupplier isAwaited) {}
}
