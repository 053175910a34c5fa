"""Principals, grants, tokens and leases of one window, and the audit of its tool calls."""

from plugin_bridge.access.audit import CallOutcome, NoAudit, RequestAudit, RequestRecord
from plugin_bridge.access.capabilities import Capability
from plugin_bridge.access.request_log import request_log
from plugin_bridge.access.sessions import GrantKey, Session
from plugin_bridge.access.table import AccessTable

__all__ = [
    "AccessTable",
    "CallOutcome",
    "Capability",
    "GrantKey",
    "NoAudit",
    "RequestAudit",
    "RequestRecord",
    "Session",
    "request_log",
]
