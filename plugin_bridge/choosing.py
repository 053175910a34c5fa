"""Which reasoner profile a window's jobs run with (decision 17): asked for, else selected in the editor, else
the policy's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plugin_bridge.host.values import OntologyHost, SelectedReasoner
    from plugin_bridge.policy import ResolvedPolicy


class ReasonerChoice:
    """The choice of one window; the person at an editor may change it between two jobs.

    Args:
        asked: the profile that the window was opened with, which then wins for good.
    """

    def __init__(self, host: OntologyHost, asked: str | None) -> None:
        self._host = host
        self._asked = asked

    async def name(self, policy: ResolvedPolicy) -> str:
        """The name to resolve.

        Raises:
            HostUnavailable: the editor does not say what is selected (`host_unavailable`).
        """
        return self._asked or await self.selected() or policy.essentials.reasoner_profile

    async def selected(self) -> str | None:
        """The name that the editor's selection has here; None when it does not decide. Raises as `name`."""
        if self._asked is not None:
            return None
        reasoner = await self._host.selected_reasoner()
        return None if reasoner is None else profile_name_of(reasoner)


def profile_name_of(reasoner: SelectedReasoner) -> str:
    """The profile of exactly that reasoner; for one that has none its own name, which is then refused.

    Another version than the selected one would be another reasoner, so it is never taken instead.
    """
    from jobs.reasoners.java_profiles import find_for_plugin  # a window on a document never asks

    known = find_for_plugin(reasoner.reasoner_id)
    return known.profile_id if known is not None and known.version == reasoner.version else reasoner.name
