"""The tools of a window as one service that knows nothing of the wire (W 3).

Owns the order of a call: arguments -> lease -> capabilities -> body -> audit record, the record
still under the lease (W 1.6, 3.1). A protocol generation, or the coming tasks adapter, is a codec
over `ToolCalls`; none of them repeats anything that is decided here.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from jobs import limits
from jobs.errors import InvalidRequest, ProtegeJobsError
from plugin_bridge.access.audit import CallOutcome, RequestRecord
from plugin_bridge.access.capabilities import EXPORT, READ, START, require
from plugin_bridge.mcp_server import arguments, text

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from jobs.clock import Clock
    from jobs.values import Job, JobId, Json
    from plugin_bridge.access import AccessTable, RequestAudit, Session
    from plugin_bridge.access.capabilities import Capability
    from plugin_bridge.mcp_server.port import WindowPort

A = TypeVar("A")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a tool answers: the object of its output schema, and words for people."""

    structured: Json
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool(Generic[A]):
    """One tool: how its arguments are read, what it needs, and its body."""

    name: str
    needs: frozenset[Capability]
    read: Callable[[Mapping[str, object]], A]
    run: Callable[[Session, A], Awaitable[Answer]]


class ToolCalls:
    """The seven tools over one window.

    Args:
        describe: the descriptor of a job (25 keys), from the engine.
        clock: tells when a call ended, for the audit records.
    """

    def __init__(
        self,
        window: WindowPort,
        access: AccessTable,
        audit: RequestAudit,
        clock: Clock,
        describe: Callable[[Job], Json],
    ) -> None:
        self._window = window
        self._access = access
        self._audit = audit
        self._clock = clock
        self._descriptors = _Descriptors(describe)
        self._reports = text.Reports(window)
        self.start_shape = arguments.StartShape(window.materialization_axioms_max)
        tools: list[Tool[object]] = [
            _erased("start_job", START, self.start_shape.read, self._start),
            _erased("get_job", READ, arguments.read_job, self._get),
            _erased("cancel_job", READ, arguments.read_job, self._cancel),
            _erased("list_jobs", READ, arguments.read_list, self._list),
            _erased("export_job_artifact", EXPORT, arguments.read_export, self._export),
            _erased("read_job_artifact", READ, arguments.read_read, self._read),
            _erased("describe_window", READ, arguments.read_nothing, self._describe_window),
        ]
        self._tools = {each.name: each for each in tools}

    @property
    def names(self) -> tuple[str, ...]:
        """The tools, in the order they are listed."""
        return tuple(self._tools)

    async def call(self, session: Session, name: str, raw: Mapping[str, object]) -> Answer:
        """Run one tool for an authenticated caller.

        Args:
            name: one of `names`.
            raw: the arguments as they came.
        Raises:
            ProtegeJobsError: whatever the tool's contract says.
        """
        tool = self._tools[name]
        is_recorded = False
        try:
            read = tool.read(raw)
            async with self._access.lease(session):
                is_recorded = True  # by _run, however it ends
                return await self._run(session, tool, read)
        except ProtegeJobsError as error:
            if not is_recorded:
                self._record(session, name, CallOutcome.FAILED, error.code)
            raise

    async def _run(self, session: Session, tool: Tool[object], read: object) -> Answer:
        """Run the body and record how it ended, under the lease the caller holds."""
        outcome, code = CallOutcome.CANCELLED, None
        try:
            require(session.capabilities, tool.needs)
            answer = await tool.run(session, read)
            outcome = CallOutcome.SUCCEEDED
        except ProtegeJobsError as error:
            outcome, code = CallOutcome.FAILED, error.code
            raise
        except Exception:
            outcome, code = CallOutcome.FAILED, "internal_error"
            raise
        finally:
            self._record(session, tool.name, outcome, code)
        return answer

    def _record(self, session: Session, name: str, outcome: CallOutcome, code: str | None) -> None:
        self._audit.record(
            RequestRecord(
                operation=name,
                outcome=outcome,
                code=code,
                owner=session.owner,
                occurred_at=self._clock.now(),
            )
        )

    # --- Bodies -----------------------------------------------------------------------------------

    async def _start(self, session: Session, asked: arguments.StartArguments) -> Answer:
        accepted = await self._window.start_job(session, asked)
        structured: Json = {"job": self._descriptors.of(accepted.job), "reused": accepted.reused}
        return Answer(structured=structured, words=text.of_start(accepted))

    async def _get(self, session: Session, asked: arguments.JobArguments) -> Answer:
        job = await self._window.get_job(session, asked.job_id)
        words = await self._reports.of_job(session, job)
        return Answer(structured={"job": self._descriptors.of(job)}, words=words)

    async def _cancel(self, session: Session, asked: arguments.JobArguments) -> Answer:
        cancelled = await self._window.cancel_job(session, asked.job_id)
        structured: Json = {"job": self._descriptors.of(cancelled.job), "outcome": cancelled.outcome.value}
        return Answer(structured=structured, words=text.of_cancel(cancelled))

    async def _list(self, session: Session, asked: arguments.ListArguments) -> Answer:
        page = await self._window.list_jobs(session, asked.limit, asked.cursor)
        structured: Json = {"jobs": [self._descriptors.of(each) for each in page.jobs]}
        if page.next_cursor is not None:
            structured["next_cursor"] = page.next_cursor
        return Answer(structured=structured, words=text.of_page(page))

    async def _export(self, session: Session, asked: arguments.ExportArguments) -> Answer:
        exported = await self._window.export_job_artifact(session, asked)
        return Answer(structured=exported, words=text.of_export(exported))

    async def _read(self, session: Session, asked: arguments.ReadArguments) -> Answer:
        chunk = await self._window.read_job_artifact(
            session, asked.job_id, asked.artifact_id, asked.offset, asked.length
        )
        part = text.decoded(chunk, asked.offset)
        if part is None:
            raise InvalidRequest(
                "offset points into the middle of a character; use 0 or the next_offset of a reply, "
                "and a length of at least 4.",
                details={"field": "offset"},
            )
        structured: Json = {
            "text": part.text,
            "next_offset": part.next_offset,
            "bytes": chunk.size_bytes,
        }
        return Answer(structured=structured, words=text.of_part(part, asked.offset, chunk.size_bytes))

    async def _describe_window(self, session: Session, asked: None) -> Answer:
        described = await self._window.describe_window(session)
        return Answer(structured=described, words=text.of_window(described))


class _Descriptors:
    """Descriptors by job, each kept until its job has changed: a snapshot never does."""

    def __init__(self, describe: Callable[[Job], Json]) -> None:
        self._describe = describe
        self._kept: OrderedDict[JobId, tuple[Job, Json]] = OrderedDict()

    def of(self, job: Job) -> Json:
        """The descriptor, to be read only."""
        kept = self._kept.get(job.job_id)
        if kept is None or kept[0] is not job:
            kept = self._kept[job.job_id] = (job, self._describe(job))
            while len(self._kept) > limits.RETAINED_PER_BACKEND:
                self._kept.popitem(last=False)
        return kept[1]


def _erased(
    name: str,
    needs: frozenset[Capability],
    read: Callable[[Mapping[str, object]], A],
    run: Callable[[Session, A], Awaitable[Answer]],
) -> Tool[object]:
    """Pair a reader with the body that takes what it reads, then forget the type they share."""
    tool = Tool(name=name, needs=needs, read=read, run=run)
    return tool  # type: ignore[return-value]  # read's result goes to this very run and nowhere else
