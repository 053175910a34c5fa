"""Guarded publication of one artifact as a project file.

`check_arguments`, then `prepare` (who may write where, with the folder pinned), then, after
whatever asking and leasing the window does, `publish`. All synchronous, for a thread.
"""

from plugin_bridge.export.destinations import check_arguments, prepare
from plugin_bridge.export.plan import ExportPlan
from plugin_bridge.export.publication import Published, export_answer, publish

__all__ = ["ExportPlan", "Published", "check_arguments", "export_answer", "prepare", "publish"]
