"""One export that kills itself at the n-th step: `export_victim.py JSON`.

Keys: root, base, destination, bytes, expected (digest or null), step (0: never).
Prints the steps passed, one a line, so that the test knows where it died.
"""

import json
import os
import signal
import sys
from itertools import count
from pathlib import Path

from jobs.digests import byte_digest
from plugin_bridge.export import prepare, publish
from plugin_bridge.files import ProjectRoot
from plugin_bridge.policy import resolve_policy

order = json.loads(sys.argv[1])
numbers = count(1)


def at_step(name: str) -> None:
    print(name, flush=True)
    if next(numbers) == order["step"]:
        os.kill(os.getpid(), signal.SIGKILL)


data = order["bytes"].encode()
folder = Path(order["root"])
with (
    ProjectRoot.open(folder) as root,
    prepare(
        root,
        resolve_policy(folder),
        order["destination"],
        overwrite=order["expected"] is not None,
        expected_target_digest=order["expected"],
    ) as plan,
):
    publish(
        plan,
        data,
        sha256=byte_digest(data),
        size_bytes=len(data),
        recheck=lambda: None,
        lock_base=Path(order["base"]),
        at_step=at_step,
    )
