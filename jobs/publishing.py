"""From what a computation returned to what its owner sees: staging, the permit, `succeeded`.

Everything up to the permit can be interrupted; everything behind it is shielded, and bounded except
for the irreversible step itself.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Final

import anyio

from jobs import limits
from jobs.audit import EventKind
from jobs.computation import Committing
from jobs.descriptor import check_result
from jobs.errors import (
    ArtifactBackendQuotaExceeded,
    AuditIntentFailed,
    CommitOutcomeUnknown,
    PublicationFailedAfterCommit,
)
from jobs.kernel import fence, lifecycle
from jobs.kernel.retention import eviction_order
from jobs.values import ArtifactReference, Computed, Job, JobId, Result

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jobs.artifacts import ArtifactVault
    from jobs.steps import LiveJob, Steps
    from jobs.values import Json, StagedFile

logger = logging.getLogger(__name__)

REPORT_NAME: Final = "report.json"
"""The file whose artifact a summary names as `report_artifact_id`."""


class Publisher:
    """Publishes what jobs computed. It keeps nothing between two of them."""

    def __init__(self, steps: Steps, artifacts: ArtifactVault) -> None:
        self._steps = steps
        self._artifacts = artifacts

    async def publish(self, live: LiveJob, computed: Computed) -> None:
        """Stage the artifacts, then publish or commit; return without a trace if a tombstone won.

        Raises:
            ProtegeJobsError: what the job fails with.
        """
        staged = await self._stage(live, computed)
        if isinstance(live.computation, Committing):
            await self._commit(live, live.computation, computed, staged)
        else:
            await self._publish(live, computed, staged)

    # --- staging ----------------------------------------------------------------------------------

    async def _stage(self, live: LiveJob, computed: Computed) -> tuple[ArtifactReference, ...]:
        await self._reserve(live.job_id, computed.files)
        now = self._steps.now()
        until = now + timedelta(seconds=limits.RETENTION_S)  # renewed at completion
        return await self._artifacts.stage(live.job_id, computed.files, now, until)

    async def _reserve(self, job_id: JobId, files: Sequence[StagedFile]) -> None:
        """Reserve room for a job's files; old jobs that may go make place first (decision 3)."""
        try:
            self._artifacts.reserve(job_id, files)
        except ArtifactBackendQuotaExceeded:
            for record in eviction_order(await self._steps.store.everything(), self._steps.now()):
                if self._artifacts.condemn(record.job.job_id):
                    await self._steps.store.remove([record.job.job_id])
                    self._steps.changed(record.job.job_id)
                    await self._artifacts.erase()
                    try:
                        return self._artifacts.reserve(job_id, files)
                    except ArtifactBackendQuotaExceeded:
                        continue
            raise

    # --- publication ------------------------------------------------------------------------------

    async def _publish(
        self, live: LiveJob, computed: Computed, staged: tuple[ArtifactReference, ...]
    ) -> None:
        """Publish a read-only result (W 8.5): lease, drift, permit, audit, `succeeded`."""
        async with live.computation.authority():
            result = await self._result(live, computed.structured, computed.files, staged)
            with anyio.CancelScope(shield=True):
                job = await self._steps.advance(live, fence.begin_publication)
                if job is None:
                    return
                live.fence = job.fence
                self._steps.emit(live, EventKind.PUBLICATION_STARTED, job)
                await self._succeed(live, job, result)

    async def _commit(
        self,
        live: LiveJob,
        computation: Committing,
        computed: Computed,
        staged: tuple[ArtifactReference, ...],
    ) -> None:
        """Commit and publish (W 8.5, 8.7): leases, intent, permit, the irreversible step, `succeeded`."""
        async with computation.authority(), computation.destination():
            result = await self._result(live, computed.structured, computed.files, staged)
            await self._record_intent(live)
            await computation.revalidate(computed)
            with anyio.CancelScope(shield=True):
                leases = fence.Leases(authority=True, destination=True)
                job = await self._steps.advance(live, lambda job: fence.begin_commit(job, leases))
                if job is None:
                    return
                live.fence = job.fence
                structured = await _irreversibly(computation, computed)
                try:
                    changed = replace(result, structured=_summary(structured, computed.files, staged))
                    check_result(job.type, changed)
                    await self._succeed(live, job, changed)
                except Exception as problem:
                    logger.error(
                        "job.unpublished",
                        extra={"job_id": live.job_id, "failure_type": type(problem).__name__},
                    )
                    raise PublicationFailedAfterCommit(
                        "The change was committed, but its result could not be published.",
                        details={"commit_started": True},
                    ) from problem

    async def _record_intent(self, live: LiveJob) -> None:
        record = await self._steps.store.find(live.job_id)
        assert record is not None
        delivery = self._steps.emit(live, EventKind.PUBLICATION_STARTED, record.job)
        if not await delivery.wait():
            raise AuditIntentFailed("The intent to commit could not be recorded, so nothing was committed.")

    async def _result(
        self,
        live: LiveJob,
        structured: Json,
        files: Sequence[StagedFile],
        staged: tuple[ArtifactReference, ...],
    ) -> Result:
        """The result as it will be shown, checked; only its times and `audit_incomplete` are open."""
        current, changed = await self._drift(live)
        result = Result(
            structured=_summary(structured, files, staged),
            artifacts=staged,
            audit_incomplete=False,
            current=current,
            changed_inputs=changed,
        )
        record = await self._steps.store.find(live.job_id)
        assert record is not None
        check_result(record.job.type, result)
        return result

    async def _drift(self, live: LiveJob) -> tuple[bool | None, tuple[str, ...]]:
        """What has moved since the capture; unknown when that cannot be told in time (decision 11)."""
        try:
            with anyio.move_on_after(limits.CURRENT_RECAPTURE_S):
                return await live.computation.drift()
        except Exception as problem:  # noqa: BLE001 - W 8.6: drift refuses nothing, nor does its failure
            extra = {"job_id": live.job_id, "failure_type": type(problem).__name__}
            logger.error("job.drift_unknown", extra=extra)
        return None, ()

    async def _succeed(self, live: LiveJob, job: Job, result: Result) -> None:
        """Deliver the prospective terminal event, then show `succeeded` (W 10.4)."""
        record = await self._steps.store.find(live.job_id)
        assert record is not None
        at = lifecycle.absorbed(job, self._steps.now())
        expires_at = at + timedelta(seconds=record.settings.retention_s)
        dated = tuple(replace(each, expires_at=expires_at) for each in result.artifacts)
        result = replace(result, artifacts=dated)
        delivery = self._steps.emit(live, EventKind.TERMINAL, lifecycle.succeed(job, result, at))
        delivered = await delivery.wait()
        final = replace(result, audit_incomplete=live.trail.failed or not delivered)
        self._artifacts.publish(live.job_id, expires_at)
        await self._steps.advance(live, lambda job: lifecycle.succeed(job, final, at))


async def _irreversibly(computation: Committing, computed: Computed) -> Json:
    """Take the irreversible step; whatever is raised leaves its outcome unknown (W 8.7)."""
    try:
        return await computation.commit(computed)
    except (Exception, anyio.get_cancelled_exc_class()) as problem:
        raise CommitOutcomeUnknown(
            "The change was begun and its end was not seen. Look at the target before trying again.",
            details={"commit_started": True, "failure_type": type(problem).__name__},
        ) from problem


def _summary(structured: Json, files: Sequence[StagedFile], staged: tuple[ArtifactReference, ...]) -> Json:
    """The summary with the id of its report (W 4)."""
    for file, reference in zip(files, staged, strict=True):
        if file.name == REPORT_NAME:
            return {**structured, "report_artifact_id": reference.artifact_id}
    return dict(structured)
