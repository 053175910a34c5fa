"""The commented minimal policy that `protege-jobs init` writes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from jobs.errors import InvalidRequest, Refused
from plugin_bridge.policy.resolution import MARKER_FOLDER, POLICY_NAME, discover_policy

if TYPE_CHECKING:
    from pathlib import Path

TEMPLATE: Final = """\
# The policy of this project. Only `version` is required; what you leave out keeps its default.
version: 1

# The folder whose files jobs may read and reports may be written to, from the folder above this one.
# project_root: .

# Jobs that may run here.
# jobs:
#   allowed_types: [classification, project_qc, semantic_diff, inference_materialization]
#   retention_seconds: 3600        # how long finished jobs stay readable, 60 to 3600

# The reasoner where the editor has selected none, and the OWL 2 profile you mean to keep to.
# reasoning: {profile: elk, owl_profile: DL, timeout_ms: 120000}

# Pin the documents that imports resolve to.
# imports: {mode: locked, lockfile: imports.lock.json}

# What project checks require, and from which severity on they fail.
# validation:
#   required_stages: [structural]
#   fail_on: error                 # error, warning or info
#   invariants: {paths: ["queries/*.rq"]}
"""


def init_project(folder: Path, *, force: bool = False) -> Path:
    """Write the minimal policy for a project in `folder`; the path of the new file.

    An existing policy file is never overwritten. `force` allows a project inside another one.

    Raises:
        InvalidRequest: there is a policy already (`details.reason` `exists`), or above this folder
            (`nested`), or the folder cannot be written (`not_writable`).
    """
    marker = folder / MARKER_FOLDER
    policy_path = marker / POLICY_NAME
    if os.path.lexists(policy_path):
        raise _refused("exists", f"{MARKER_FOLDER}/{POLICY_NAME} is there already; it was left as it is.")
    if not force and _lies_in_a_project(folder):
        raise _refused(
            "nested", "A folder above already has a policy. Use --force to start a project inside it."
        )
    try:
        marker.mkdir(exist_ok=True)
        if marker.is_symlink():
            raise _refused("not_writable", f"{MARKER_FOLDER} is a symbolic link.")
        with policy_path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(TEMPLATE)
    except FileExistsError:
        raise _refused("exists", f"{MARKER_FOLDER}/{POLICY_NAME} is there already.") from None
    except OSError:
        raise _refused("not_writable", f"{MARKER_FOLDER}/{POLICY_NAME} cannot be written here.") from None
    return policy_path


def _lies_in_a_project(folder: Path) -> bool:
    try:
        return discover_policy(folder).loaded
    except Refused:  # a policy that does not load is there all the same
        return True


def _refused(reason: str, message: str) -> InvalidRequest:
    return InvalidRequest(message, details={"reason": reason})
