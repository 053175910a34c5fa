"""Words to a person: what a document brings along does not steer the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobs.errors import InvalidOntology
from plugin_bridge.cli.terminal import say_error

if TYPE_CHECKING:
    import pytest


def test_an_error_is_one_line_whatever_it_quotes(capsys: pytest.CaptureFixture[str]) -> None:
    say_error(InvalidOntology("No term 'a\x1b[2J\nb\u202e' here.", details={"line": 3}))
    assert capsys.readouterr().err == "protege-jobs: No term 'a [2J b ' here. (line 3) [invalid_ontology]\n"
