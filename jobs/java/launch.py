"""The command line of a JVM worker: the flags, why each, and what its last words mean.

The class path stands on the command line itself. A file of arguments would have to lie somewhere
private and outlive the start; the longest class path here takes a third of what Windows allows.
"""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from jobs import limits
from jobs.digests import text_digest
from jobs.errors import JavaUnavailable
from jobs.java import archive, jars
from jobs.java.runtime import get_runtime
from jobs.workers.contract import Fault, Launch

if TYPE_CHECKING:
    from jobs.java.jars import ClassPath
    from jobs.java.runtime import JavaRuntime

_HEAP_MIN_BYTES: Final = 512 * limits.MIB
_CONTAINER_LIMITS: Final = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")

FLAGS: Final = (
    "-XX:+IgnoreUnrecognizedVMOptions",  # of a newer or another runtime: each below is a choice, no need
    "-XX:+UseParallelGC",  # as quick to start as the serial one, and it gives up on a heap that is full
    "-XX:+ExitOnOutOfMemoryError",  # a reasoner that catches it would go on with half a result
    "-XX:-UsePerfData",  # it would leave a file in the temporary folder when killed
    "-XX:+ErrorFileToStderr",  # a crash would write its report into the working folder
    "-XX:-CreateCoredumpOnCrash",
    "-XX:+DisableAttachMechanism",
    "-XX:+DisplayVMOutputToStderr",  # stdout carries frames
    "-Xlog:disable",
    "-Xlog:all=error:stderr",
    "-Xshare:auto",
    "-Dfile.encoding=UTF-8",
    "-Duser.language=en",  # the last words are known in English
    "-Djava.awt.headless=true",
    "-DsocksProxyHost=127.0.0.1",  # no network: what tries it all the same fails at once
    "-DsocksProxyPort=1",
)

FAULTS: Final = (
    Fault(
        sign="A fatal error has been detected by the Java Runtime Environment",
        failure_type="java_crashed",
        message="The Java runtime itself crashed.",
    ),
    Fault(
        sign="Could not reserve enough space",
        failure_type="memory_not_reserved",
        message="The system does not have the memory that a Java worker may use.",
    ),
    Fault(
        sign="insufficient memory for the Java Runtime Environment",
        failure_type="memory_not_reserved",
        message="The system does not have the memory that a Java worker needs.",
    ),
    Fault(
        sign="java.lang.OutOfMemoryError",
        failure_type="out_of_memory",
        message="The job needs more memory than a Java worker may have.",
    ),
    Fault(
        sign="java.lang.StackOverflowError",
        failure_type="stack_overflow",
        message="An expression of the ontology is nested too deeply for the reasoner.",
    ),
    Fault(
        sign="UnsupportedClassVersionError",
        failure_type="java_too_old",
        message="The Java runtime is too old for the reasoner. Version 11 or newer is needed.",
    ),
    Fault(
        sign="Could not find or load main class",
        failure_type="jars_incomplete",
        message="The jars of the reasoner are not installed whole. Install protege-jobs again.",
    ),
    Fault(
        sign="ClassFormatError",
        failure_type="jars_incomplete",
        message="The jars of the reasoner are damaged. Install protege-jobs again.",
    ),
    Fault(
        sign="NoClassDefFoundError",
        failure_type="jars_incomplete",
        message="The jars of the reasoner are not installed whole. Install protege-jobs again.",
    ),
)


def java_launch(class_path: str, *, heap_bytes: int | None = None, keeps_spare: bool = False) -> Launch:
    """How a JVM worker on a class path is started. May block: it looks for the runtime and reads jars.

    Args:
        class_path: the name of its module, as `jars.find_classpath` takes it.
        heap_bytes: bound of the heap; by default half of the machine's memory, 16 GiB at most.
        keeps_spare: whether one stays ready after its use, where the pool keeps any.
    Raises:
        JavaUnavailable: no runtime, or the jars are not installed whole.
    """
    runtime = get_runtime()
    found = jars.find_classpath(class_path)
    if found is None:
        raise JavaUnavailable(
            f"The jars of {class_path} are not installed. From a checkout: `make java` builds them"
            " (Maven and a JDK are needed).",
            details={"missing": "jars", "class_path": class_path},
        )
    return java_command(runtime, found, heap_bytes=heap_bytes, keeps_spare=keeps_spare)


def java_command(
    runtime: JavaRuntime, class_path: ClassPath, *, heap_bytes: int | None = None, keeps_spare: bool = False
) -> Launch:
    """`java_launch` for a runtime and a class path at hand."""
    heap = _default_heap_bytes() if heap_bytes is None else heap_bytes
    flags = (*FLAGS, f"-Xmx{max(heap, limits.MIB) // limits.KIB}k")
    start = ("-cp", os.pathsep.join(each.path for each in class_path.jars), class_path.main_class)
    kept = archive.archive_of(runtime, class_path, flags)
    shared = None if kept is None else kept.find()
    rehearsal = None
    if kept is not None and shared is None and keeps_spare:
        rehearsal = kept.rehearsal(lambda option: (runtime.executable, *flags, option, *start))
    use = () if shared is None else (f"-XX:SharedArchiveFile={shared}",)
    return Launch(
        name=class_path.name,
        kind=text_digest(runtime.executable, *flags, *start, *(each.sha256 for each in class_path.jars)),
        argv=(runtime.executable, *flags, *use, *start),
        environment=_ENVIRONMENT,
        keeps_spare=keeps_spare,
        faults=FAULTS,
        rehearsal=rehearsal,
    )


_ENVIRONMENT: Final = (("LC_ALL", "C.UTF-8"),) if sys.platform == "linux" else ()
"""There the runtime reads the names of files by the locale, and in the plain C locale only ASCII ones."""


def _default_heap_bytes() -> int:
    return max(_HEAP_MIN_BYTES, min(limits.JAVA_HEAP_BYTES, _memory_bytes() // 2))


def _memory_bytes() -> int:
    """The machine's memory, or the container's; where it does not tell, 4 GiB."""
    try:
        found = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    except (AttributeError, OSError, ValueError):
        found = [4 * limits.GIB]
    for path in _CONTAINER_LIMITS:
        with contextlib.suppress(OSError, ValueError):
            found.append(int(Path(path).read_text(encoding="ascii")))  # `max` is no number: no limit
    return min(found)
