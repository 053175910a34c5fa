"""A backend's worth of private files: make a folder, say where, wait to be killed.

With `worker` it also starts a child that outlives it, as a hanging worker would.
"""

import subprocess
import sys
import time
from pathlib import Path

from plugin_bridge.files import PrivateRoot

root = PrivateRoot.create(Path(sys.argv[1]))
work = root.new_dir("work")
(work / "copy.ttl").write_bytes(b"private")
child_id = 0
if sys.argv[2:] == ["worker"]:
    child = subprocess.Popen(
        [sys.executable, "-c", "import time; time.sleep(60)"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        close_fds=False,
    )
    child_id = child.pid
print(root.path, child_id, flush=True)
time.sleep(60)
