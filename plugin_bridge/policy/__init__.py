"""The project policy: one YAML file, its closed model, and how a window finds it.

The model (`document`) and the reader (`loading`) are imported from their modules by who needs them:
a window without a policy file does not.
"""

from plugin_bridge.policy.essentials import AuditSettings
from plugin_bridge.policy.resolution import (
    ResolvedPolicy,
    built_in_policy,
    discover_policy,
    resolve_policy,
    select_policy,
)
from plugin_bridge.policy.template import init_project

__all__ = [
    "AuditSettings",
    "ResolvedPolicy",
    "built_in_policy",
    "discover_policy",
    "init_project",
    "resolve_policy",
    "select_policy",
]
