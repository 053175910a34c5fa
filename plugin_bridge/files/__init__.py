"""Confined file access: what a window reads from a project, and where it keeps its private copies.

All of it is synchronous and ends by itself; callers on the event loop use a thread.
"""

from plugin_bridge.files.confined import (
    CapturedBytes,
    CapturedFile,
    ErrorChoice,
    copy_confined,
    digest_confined,
    read_confined,
)
from plugin_bridge.files.looks import SETTLE_S, Look, is_fresh, look, look_at
from plugin_bridge.files.private import PrivateRoot, private_base, sweep
from plugin_bridge.files.references import ReferenceKind, classify_reference
from plugin_bridge.files.roots import ProjectRoot

__all__ = [
    "SETTLE_S",
    "CapturedBytes",
    "CapturedFile",
    "ErrorChoice",
    "Look",
    "PrivateRoot",
    "ProjectRoot",
    "ReferenceKind",
    "classify_reference",
    "copy_confined",
    "digest_confined",
    "is_fresh",
    "look",
    "look_at",
    "private_base",
    "read_confined",
    "sweep",
]
