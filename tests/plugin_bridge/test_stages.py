"""What a stage is told of the reasoner that is selected in an editor."""

from __future__ import annotations

import pytest

from jobs.reasoners import profiles
from plugin_bridge.host.values import SelectedReasoner
from plugin_bridge.stages import _settings_not_carried

SELECTED = SelectedReasoner(
    reasoner_id="org.semanticweb.elk.elk.reasoner.factory",
    name="ELK 0.4.3",
    factory_class="org.semanticweb.elk.owlapi.ElkReasonerFactory",
    version="0.4.3",
    buffering="buffering",
    settings={"workers": 4},
    settings_not_carried=("incremental",),
)


@pytest.mark.parametrize(
    ("selected", "profile", "names"),
    [
        (SELECTED, "elk-0.4.3", ["incremental", "workers"]),
        (SELECTED, "pyelk-0.2.1", []),
        (None, "elk-0.4.3", []),
    ],
)
def test_the_settings_of_the_selected_reasoner_are_named_when_it_is_the_one_that_runs(
    selected: SelectedReasoner | None, profile: str, names: list[str]
) -> None:
    assert _settings_not_carried(selected, profiles.resolve(profile)) == names
