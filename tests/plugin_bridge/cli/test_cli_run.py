"""`run` and `init` as a person or a pipeline uses them: exit codes, output, files, signals."""

from __future__ import annotations

import json
import os
import pty
import select
import shutil
import signal
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import anyio
import pytest

from jobs.descriptor_reading import parse_descriptor
from tests.support.live_window import (
    HARBOUR,
    ROOT,
    command,
    hard_for_el,
    interrupt,
    one_line,
    refused,
    run_command,
    served,
    small,
    workers_at,
)
from tests.support.process_table import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.live_window import Places

UNSATISFIABLE = ("DisjointClasses(:A :B)", "SubClassOf(:C :A)", "SubClassOf(:C :B)")


@pytest.fixture
def project(places: Places) -> Path:
    folder = places.project
    (folder / "left.ofn").write_text(small("SubClassOf(:A :B)"))
    (folder / "same.ofn").write_text(small("SubClassOf(:A :B)"))
    (folder / "more.ofn").write_text(small("SubClassOf(:A :B)", "SubClassOf(:C :B)"))
    label = 'AnnotationAssertion(rdfs:label :A "a")'
    (folder / "labelled.ofn").write_text(small("SubClassOf(:A :B)", label))
    (folder / "unsatisfiable.ofn").write_text(small(*UNSATISFIABLE))
    (folder / "inconsistent.ofn").write_text(small("SubClassOf(owl:Thing owl:Nothing)"))
    (folder / "hard.ofn").write_text(hard_for_el())
    return folder


# --- Exit codes -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("right", "level", "code"),
    [
        ("same.ofn", "never", 0),
        ("same.ofn", "difference", 0),
        ("same.ofn", "breaking", 0),
        ("more.ofn", "never", 0),
        ("more.ofn", "difference", 1),
        ("more.ofn", "breaking", 1),
        ("labelled.ofn", "difference", 1),
        ("labelled.ofn", "breaking", 0),
    ],
)
def test_fail_on_of_a_diff(project: Path, right: str, level: str, code: int) -> None:
    ran = run_command("run", "semantic_diff", "left.ofn", right, "--fail-on", level, cwd=project)
    assert (ran.code, ran.err) == (code, "")
    assert ran.out


@pytest.mark.parametrize(
    ("document", "level", "code"),
    [
        ("left.ofn", "unsatisfiable", 0),
        ("unsatisfiable.ofn", "never", 0),
        ("unsatisfiable.ofn", "unsatisfiable", 1),
        ("inconsistent.ofn", "unsatisfiable", 1),
    ],
)
def test_fail_on_of_a_classification(project: Path, document: str, level: str, code: int) -> None:
    ran = run_command(
        "run", "classification", document, "--fail-on", level, "--request", '{"limit": 0}', cwd=project
    )
    assert (ran.code, ran.err) == (code, "")


@pytest.mark.parametrize(
    ("document", "profile", "code", "said"),
    [
        ("left.ofn", "structural", 1, "needs a reasoner that decides"),
        ("outside_el.ofn", "elk", 0, "not every class was decided"),
    ],
)
def test_fail_on_never_passes_in_silence_what_was_not_decided(
    project: Path, document: str, profile: str, code: int, said: str
) -> None:
    (project / "outside_el.ofn").write_text(small("SubClassOf(:A ObjectAllValuesFrom(:p :B))"))
    ran = run_command(
        "run", "classification", document, "--profile", profile, "--fail-on", "unsatisfiable", cwd=project
    )
    assert ran.code == code
    assert said in ran.err
    assert "--artifacts DIR" in ran.out
    assert "export_job_artifact" not in ran.out


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("run",),
        ("run", "project_qc", "left.ofn"),
        ("run", "classification"),
        ("run", "classification", "absent.ofn"),
        ("run", "classification", "."),
        ("run", "classification", "left.ofn", "same.ofn"),
        ("run", "classification", "left.ofn", "--fail-on", "difference"),
        ("run", "classification", "left.ofn", "--profile", "hermit-9"),
        ("run", "classification", "left.ofn", "--timeout", "0"),
        ("run", "classification", "left.ofn", "--timeout", "soon"),
        ("run", "classification", "left.ofn", "--request", "[]"),
        ("run", "classification", "left.ofn", "--request", "@absent.json"),
        ("run", "classification", "left.ofn", "--request", '{"unknown": 1}'),
        ("run", "classification", "left.ofn", "--request", '{"limit": 10001}'),
        ("run", "classification", "left.ofn", "--catalog", "absent.xml"),
        ("run", "classification", "left.ofn", "--project", "absent"),
        ("run", "classification", "hard.ofn", "-o", "no/such"),
        ("run", "classification", "hard.ofn", "-o", "./hard.ofn"),
        ("run", "semantic_diff", "left.ofn", "same.ofn", "-o", "same.ofn"),
        ("run", "classification", "hard.ofn", "--artifacts", "left.ofn"),
        ("run", "semantic_diff", "left.ofn"),
        ("run", "semantic_diff", "left.ofn", "absent.ofn"),
        ("serve", "absent.ofn"),
        ("serve", "left.ofn", "--http", "nowhere"),
        ("serve", "left.ofn", "--http"),
    ],
    ids=" ".join,
)
def test_wrong_usage_exits_with_two_and_starts_nothing(
    project: Path, places: Places, arguments: tuple[str, ...]
) -> None:
    ran = run_command(*arguments, cwd=project)
    assert ran.code == 2, ran
    assert ran.out == ""
    assert ran.err
    assert "Traceback" not in ran.err
    assert places.left() == []


# --- Output ---------------------------------------------------------------------------------------


def test_json_is_exactly_the_descriptor_and_artifacts_have_plain_names(project: Path) -> None:
    ran = run_command(
        *("run", "semantic_diff", "left.ofn", "more.ofn", "--format", "json"),
        *("--artifacts", "out/of/here", "--request", '{"limit": 3}'),
        cwd=project,
    )
    assert (ran.code, ran.err) == (0, "")
    job = parse_descriptor(ran.descriptor)
    assert job.state == "succeeded"
    assert len(ran.descriptor) == 25
    report = json.loads((project / "out" / "of" / "here" / "report.json").read_text())
    assert report["asserted_axioms"]["added"]["count"] == 1
    assert [each.name for each in (project / "out" / "of" / "here").iterdir()] == ["report.json"]


def test_a_failed_job_is_one_line_and_its_descriptor_where_asked_for(project: Path) -> None:
    (project / "bad.ofn").write_text("nonsense")
    plain = run_command("run", "semantic_diff", "left.ofn", "bad.ofn", cwd=project)
    assert plain.code == 1
    assert one_line(plain).endswith("[invalid_ontology]")
    ran = run_command("run", "semantic_diff", "left.ofn", "bad.ofn", "--format", "json", cwd=project)
    assert ran.code == 1
    assert ran.descriptor["error"]["code"] == "invalid_ontology"
    assert len(ran.err.splitlines()) == 1


def test_output_goes_to_a_file_whole_and_replaces_what_was_there(project: Path) -> None:
    (project / "out.txt").write_text("old")
    (project / "out.txt").chmod(0o600)
    ran = run_command("run", "semantic_diff", "left.ofn", "same.ofn", "-o", "out.txt", cwd=project)
    assert (ran.code, ran.out, ran.err) == (0, "", "")
    assert "old" not in (project / "out.txt").read_text()
    assert (project / "out.txt").stat().st_mode & 0o777 == 0o600
    assert [each.name for each in project.iterdir() if each.name.startswith(".")] == []
    nowhere = run_command("run", "semantic_diff", "left.ofn", "same.ofn", "-o", "no/such", cwd=project)
    assert nowhere.code == 2
    assert one_line(nowhere).endswith("[invalid_request]")


def test_output_to_what_is_no_file_is_written_to_it_and_leaves_it_in_place(project: Path) -> None:
    for device in ("/dev/null", "/dev/stdout"):
        before = os.lstat(device)
        ran = run_command("run", "semantic_diff", "left.ofn", "same.ofn", "-o", device, cwd=project)
        assert (ran.code, ran.err) == (0, "")
        assert bool(ran.out) is (device == "/dev/stdout")
        assert (os.lstat(device).st_ino, os.lstat(device).st_mode) == (before.st_ino, before.st_mode)


def test_a_reader_that_leaves_early_hears_no_complaint(project: Path) -> None:
    shutil.copy(HARBOUR / "harbour-2.0.ofn", project)
    reader, writer = os.pipe()
    process = subprocess.Popen(
        command("run", "classification", "harbour-2.0.ofn", "--profile", "structural", "--format", "json"),
        cwd=project,
        stdin=subprocess.DEVNULL,
        stdout=writer,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    os.close(writer)
    os.close(reader)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, b"")


@pytest.mark.parametrize(
    ("closing", "code"), [(">&-", 0), ("2>&-", 0), ("<&-", 0), ("<&- >&- 2>&-", 0), (">/dev/full", 1)]
)
def test_standard_streams_may_be_closed_or_full(project: Path, closing: str, code: int) -> None:
    words = command("run", "semantic_diff", "left.ofn", "same.ofn")
    done = subprocess.run(
        ["sh", "-c", f'exec "$@" {closing}', "sh", *words],
        cwd=project,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == code
    assert done.stderr.count(b"\n") == code
    assert b"Traceback" not in done.stderr
    assert done.stdout == b"" or b"succeeded" in done.stdout


def test_a_terminal_that_cannot_show_a_character_gets_another(project: Path) -> None:
    label = 'AnnotationAssertion(rdfs:label :A "Größe ☃")'
    (project / "odd.ofn").write_text(small("SubClassOf(:A :B)", label), encoding="utf-8")
    done = subprocess.run(
        command("run", "semantic_diff", "left.ofn", "odd.ofn"),
        cwd=project,
        capture_output=True,
        timeout=60,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "ascii"},
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.isascii()


def test_progress_is_shown_on_a_terminal_and_nowhere_else(project: Path) -> None:
    main, terminal = pty.openpty()
    process = subprocess.Popen(
        command("run", "classification", "left.ofn", "--profile", "structural"),
        cwd=project,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=terminal,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm"},
    )
    os.close(terminal)
    shown = b"".join(_read_until_closed(main))
    assert process.stdout is not None
    out = process.stdout.read()
    process.stdout.close()
    assert process.wait(timeout=30) == 0
    assert b"capturing the ontology" in shown
    assert b"succeeded" in out
    assert b"\x1b" not in out


def test_serving_a_terminal_says_what_it_waits_for(project: Path) -> None:
    main, terminal = pty.openpty()
    process = subprocess.Popen(
        command("serve", "left.ofn"),
        cwd=project,
        stdin=terminal,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    try:
        assert process.stderr is not None
        assert select.select([process.stderr], [], [], 30)[0]
        assert b"MCP client on standard input" in process.stderr.readline()
        interrupt(process, signal.SIGINT)
        out, _ = process.communicate(timeout=30)
        assert (process.returncode, out) == (130, b"")
    finally:
        process.kill()
        process.communicate()
        os.close(terminal)
        os.close(main)


def _read_until_closed(terminal: int) -> Iterator[bytes]:
    try:
        while select.select([terminal], [], [], 60)[0]:
            yield os.read(terminal, 65_536)
    except OSError:  # Linux: the other side is closed
        pass
    finally:
        os.close(terminal)


def test_run_never_imports_the_mcp_sdk(project: Path) -> None:
    code = (
        "import sys; from plugin_bridge.cli import main; code = main(sys.argv[1:]);"
        "print([each for each in sys.modules if each.split('.')[0] in ('mcp', 'mcp_types', 'rich')]);"
        "sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "run", "semantic_diff", "left.ofn", "same.ofn", "-o", "/dev/null"],
        cwd=project,
        capture_output=True,
        timeout=60,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert (done.returncode, done.stdout) == (0, b"[]\n")


# --- Files outside the project --------------------------------------------------------------------


def test_a_right_file_elsewhere_is_read_when_the_person_names_it(project: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "right.ofn").write_text(small("SubClassOf(:A :B)"))
    (elsewhere / "link.ofn").symlink_to(elsewhere / "right.ofn")
    for named in (elsewhere / "right.ofn", "../elsewhere/right.ofn", elsewhere / "link.ofn"):
        ran = run_command("run", "semantic_diff", "left.ofn", named, "--format", "json", cwd=project)
        assert (ran.code, ran.err) == (0, "")
        assert ran.descriptor["result"]["structured"]["identical"] is True
        assert ran.descriptor["result"]["current"] is True
        assert str(elsewhere) not in ran.out


@pytest.mark.anyio
@pytest.mark.req("W-38")
async def test_a_right_file_elsewhere_is_refused_to_clients(project: Path, tmp_path: Path) -> None:
    outside = tmp_path / "right.ofn"
    outside.write_text(small("SubClassOf(:A :B)"))
    async with served(project / "left.ofn") as client:
        for named in (str(outside), outside.as_uri(), "../right.ofn"):
            request = {"right_document": named}
            arguments = {"type": "semantic_diff", "idempotency_key": "k", "request": request}
            assert (await refused(client, "start_job", arguments))["code"] == "invalid_request"


# --- Time and signals -----------------------------------------------------------------------------


def test_a_job_past_its_time_is_cancelled_and_exits_with_one(project: Path, places: Places) -> None:
    for seconds in ("0.05", "4"):  # during the capture; while it computes
        ran = run_command("run", "classification", "hard.ofn", "--timeout", seconds, cwd=project)
        assert ran.code == 1
        assert one_line(ran).endswith("[run_timed_out]")
        assert places.left() == []
        assert places.processes() == []


@contextmanager
def running(project: Path, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        command(*arguments),
        cwd=project,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.mark.req("W-08", "W-09")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("step", ["capture", "compute"])
def test_a_signal_cancels_the_job_properly(
    project: Path, places: Places, number: signal.Signals, step: str
) -> None:
    with running(project, "run", "classification", "hard.ofn") as process:
        if step == "capture":
            wait_until(lambda: any(workers_at(process, seen="jobs.workers.main")), 20)
        else:
            wait_until(lambda: any(root.glob("job-*") for root in places.left()), 40)
            wait_until(lambda: any(each for root in places.left() for each in root.glob("job-*")), 40)
        took_s = interrupt(process, number)
        out, err = process.communicate()
        assert process.returncode == 130, err
        assert (out, err) == (b"", b"protege-jobs: cancelled\n")
        assert took_s < 6
        assert places.left() == []
        assert places.processes() == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_at_any_moment_of_the_start_ends_quietly(
    project: Path, places: Places, number: signal.Signals
) -> None:
    """From before the interpreter has read a line of ours up to the first worker."""
    for _ in range(3):
        with running(project, "run", "classification", "left.ofn", "--profile", "structural") as process:
            wait_until(lambda: process.poll() is not None or places.private.exists(), 20)
            interrupt(process, number)
            _, err = process.communicate()
            assert b"Traceback" not in err
            assert process.returncode in (130, 0, -number)
        assert places.left() == []
        shutil.rmtree(places.private, ignore_errors=True)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_served_window(project: Path, places: Places, number: signal.Signals) -> None:
    process = subprocess.Popen(
        command("serve", "left.ofn"),
        cwd=project,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    try:
        wait_until(lambda: len(places.processes()) >= 4, 20)  # backend, guardian, two workers
        interrupt(process, number)
        _, err = process.communicate()
        assert process.returncode == 130
        assert b"Traceback" not in err
        assert places.left() == []
        assert places.processes() == []
    finally:
        process.kill()
        process.communicate()


# --- Places that cannot be written ----------------------------------------------------------------


def test_without_a_private_folder_nothing_runs(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROTEGE_JOBS_RUNTIME_DIR", str(project / "left.ofn"))
    ran = run_command("run", "semantic_diff", "left.ofn", "same.ofn", cwd=project)
    assert ran.code == 1
    assert one_line(ran).endswith("[job_storage_failed]")
    assert "PROTEGE_JOBS_RUNTIME_DIR" in ran.err


def test_without_a_place_for_the_audit_the_result_says_so(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(project / "left.ofn"))
    ran = run_command("run", "semantic_diff", "left.ofn", "same.ofn", "--format", "json", cwd=project)
    assert ran.code == 0
    assert ran.descriptor["result"]["audit_incomplete"] is True
    assert "Traceback" not in ran.err
    assert ran.err.count("audit.failed") == 1


# --- init -----------------------------------------------------------------------------------------


def test_init_writes_a_policy_that_loads_and_never_a_second_one(project: Path) -> None:
    first = run_command("init", cwd=project)
    assert (first.code, first.err) == (0, "")
    policy = project / ".protege-jobs" / "project.yaml"
    text = policy.read_text()
    assert str(policy.relative_to(project)) in first.out
    ran = run_command("run", "semantic_diff", "left.ofn", "same.ofn", "--format", "json", cwd=project)
    assert ran.code == 0
    second = run_command("init", cwd=project)
    assert second.code in (1, 2)
    assert one_line(second)
    assert policy.read_text() == text
    (project / "inner").mkdir()
    inner = run_command("init", "inner", cwd=project)
    assert inner.code in (1, 2)
    assert "--force" in one_line(inner)
    assert run_command("init", "inner", "--force", cwd=project).code == 0
    absent = run_command("init", "no/such/folder", cwd=project)
    assert absent.code in (1, 2)
    assert one_line(absent)


def test_a_policy_that_does_not_load_is_said_with_its_line(project: Path) -> None:
    (project / ".protege-jobs").mkdir()
    (project / ".protege-jobs" / "project.yaml").write_text("version: 1\nunknown: 1\n")
    ran = run_command("run", "classification", "left.ofn", cwd=project)
    assert ran.code == 1
    line = one_line(ran)
    assert "line 2" in line
    assert line.endswith("[job_policy_required]")


@pytest.mark.anyio
async def test_help_and_version_answer_at_once() -> None:
    for arguments in (["--help"], ["--version"], ["run", "--help"], ["serve", "--help"], ["init", "--help"]):
        done = await anyio.run_process(command(*arguments), cwd=ROOT, check=False)
        assert done.returncode == 0
        assert done.stdout
        assert done.stderr == b""


def test_the_command_line_and_the_table_of_operations_name_the_same() -> None:
    from jobs.operations.registry import OPERATIONS, STAGES
    from plugin_bridge.cli import run as command
    from plugin_bridge.cli.main import TYPES

    assert set(TYPES) == OPERATIONS.keys()
    assert command.FAIL_ON.keys() == OPERATIONS.keys()
    assert {stage for stages in command.WORKERS.values() for stage in stages} <= STAGES.keys()
