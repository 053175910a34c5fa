"""The project policy: one YAML file, its closed model, and how a window finds it."""

from plugin_bridge.policy.document import PolicyDocument
from plugin_bridge.policy.loading import Problem, effective, find_problems, read_policy
from plugin_bridge.policy.resolution import (
    AuditSettings,
    ResolvedPolicy,
    built_in_policy,
    discover_policy,
    resolve_policy,
    select_policy,
)
from plugin_bridge.policy.template import init_project

__all__ = [
    "AuditSettings",
    "PolicyDocument",
    "Problem",
    "ResolvedPolicy",
    "built_in_policy",
    "discover_policy",
    "effective",
    "find_problems",
    "init_project",
    "read_policy",
    "resolve_policy",
    "select_policy",
]
