"""A JSON object that reaches a stage while it already works: one side writes the file, the stage awaits it.

The file is whole from the moment it is there.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Final

from jobs.errors import ExecutionFailed

if TYPE_CHECKING:
    from pathlib import Path

    from jobs.values import Json
    from jobs.workers.contract import Reporter

CAPTURED: Final = "root.json"
"""What a capture stage announces in its work folder once the document alone is kept: `left`, its file, and
`left_sha256`. Only the stage's own result says that the capture holds."""
TAKEN_SUFFIX: Final = ".taken"
LONGEST_S: Final = 24 * 3600.0
"""A reasoner may take a day; the job's own bound ends it sooner (ours)."""
_LOOK_SHORT_S, _LOOK_LONG_S = 0.002, 0.05
"""Between two looks: a hundredth of the wait so far, within these (ours)."""


def announce(path: Path, value: Json) -> None:
    """Put the file there at once. Blocks for one small write."""
    whole = path.with_suffix(".part")
    whole.write_text(json.dumps(value), encoding="utf-8")
    whole.replace(path)


def awaited(path: Path, reporter: Reporter) -> Json:
    """The object, once it is there; a worker has nothing else to do meanwhile.

    Raises:
        ExecutionFailed: it did not come within `LONGEST_S`, or a stop was asked for.
    """
    begun_at = time.monotonic()
    while True:
        try:
            data = path.read_bytes()
        except FileNotFoundError:  # looked for by reading it: a capture that is made anew takes its file away
            pass
        else:
            found: Json = json.loads(data)
            return found
        waited_s = time.monotonic() - begun_at
        if reporter.is_cancelled or waited_s > LONGEST_S:
            raise ExecutionFailed(
                "What this operation waited for did not come.", details={"failure_type": "input_missing"}
            )
        time.sleep(min(_LOOK_LONG_S, max(_LOOK_SHORT_S, waited_s / 100)))
