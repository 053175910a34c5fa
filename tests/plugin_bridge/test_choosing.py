"""Which profile a window's jobs run with: asked for, else selected, else the policy's."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jobs.reasoners.java_profiles import REASONERS
from plugin_bridge.choosing import ReasonerChoice, profile_name_of
from plugin_bridge.host.values import SelectedReasoner
from plugin_bridge.policy import built_in_policy
from tests.support.live_window import ROOT

pytestmark = pytest.mark.anyio
HERMIT = SelectedReasoner(
    reasoner_id="org.semanticweb.hermit.HermiT.reasoner.factory",
    name="HermiT 1.4.3.456",
    factory_class="org.semanticweb.HermiT.ReasonerFactory",
    version="1.4.3.456",
    buffering="buffering",
    settings={},
    settings_not_carried=(),
)
POLICY = built_in_policy(ROOT)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Selecting:
    """A host as far as a choice looks at it."""

    def __init__(self, reasoner: SelectedReasoner | None) -> None:
        self.reasoner = reasoner

    async def selected_reasoner(self) -> SelectedReasoner | None:
        return self.reasoner


async def test_who_asks_wins_over_the_selection_and_that_over_the_policy() -> None:
    assert await ReasonerChoice(Selecting(HERMIT), "structural").name(POLICY) == "structural"  # type: ignore[arg-type]
    assert await ReasonerChoice(Selecting(HERMIT), "structural").selected() is None  # type: ignore[arg-type]
    assert await ReasonerChoice(Selecting(HERMIT), None).name(POLICY) == "hermit-1.4.3.456"  # type: ignore[arg-type]
    assert await ReasonerChoice(Selecting(None), None).name(POLICY) == POLICY.essentials.reasoner_profile  # type: ignore[arg-type]


def test_another_version_or_an_unknown_plugin_is_never_replaced_by_a_known_one() -> None:
    assert profile_name_of(replace(HERMIT, version="1.5", name="HermiT 1.5")) == "HermiT 1.5"
    assert profile_name_of(replace(HERMIT, reasoner_id="x", name="Pellet")) == "Pellet"
    for each in REASONERS.values():
        for factory_id in each.factory_ids:
            selected = replace(HERMIT, reasoner_id=factory_id, version=each.version)
            assert profile_name_of(selected) == each.profile_id
