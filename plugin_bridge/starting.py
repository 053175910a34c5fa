"""From a checked request to a submitted job (W 3.3): policy, admission, capture, probe, identity, queue."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anyio import to_thread

from jobs.errors import (
    BackendRetentionBelowPrincipal,
    HostUnavailable,
    InputChanged,
    InvalidOntology,
    JobTypeUnavailable,
    PolicyInvalid,
    PolicyRequired,
    ProtegeJobsError,
    ReasonerNotCancellable,
    RetentionBelowActive,
    SecondaryInputInvalid,
    SnapshotTooLarge,
)
from jobs.operations.registry import find_operation
from jobs.values import JobType, Submission
from plugin_bridge import plans
from plugin_bridge.capture.inputs import RIGHT_DOCUMENT
from plugin_bridge.computation import StageComputation
from plugin_bridge.policy import resolve_policy
from plugin_bridge.stages import StageRunner

if TYPE_CHECKING:
    from pathlib import Path

    from jobs.operations.registry import Operation
    from jobs.reasoners.probe import CancellationProbe, ProbeReport
    from jobs.reasoners.profiles import ReasonerProfile
    from jobs.service import Accepted, JobService
    from jobs.values import Json, Owner
    from jobs.workers.contract import OnProgress, StageResult
    from jobs.workers.pool import WorkerPool
    from plugin_bridge.access import AccessTable
    from plugin_bridge.capture.ahead import StartAhead
    from plugin_bridge.capture.inputs import CapturedInputs, InputCapturer
    from plugin_bridge.choosing import ReasonerChoice
    from plugin_bridge.computation import Drift
    from plugin_bridge.files import PrivateRoot
    from plugin_bridge.policy import ResolvedPolicy


_POLICY_UNUSABLE = (PolicyInvalid, PolicyRequired, RetentionBelowActive, BackendRetentionBelowPrincipal)
"""A policy that held at the capture and now gives one of these is another policy."""


class JobStarter:
    """Starts jobs of one window.

    Args:
        discovery_folder: where policy discovery begins; None: this window has no local folder, so it
            starts no job (`job_policy_required`).
        choice: which reasoner profile is meant.
        start_ahead: starts a diff before its job exists (`capture.ahead`).
    """

    def __init__(
        self,
        *,
        service: JobService,
        pool: WorkerPool,
        probe: CancellationProbe,
        capturer: InputCapturer,
        access: AccessTable,
        private: PrivateRoot,
        discovery_folder: Path | None,
        choice: ReasonerChoice,
        start_ahead: StartAhead | None = None,
    ) -> None:
        self._service = service
        self._stages = StageRunner(pool)
        self._probe = probe
        self._capturer = capturer
        self._access = access
        self._private = private
        self._discovery_folder = discovery_folder
        self._choice = choice
        self._start_ahead = start_ahead

    async def start(self, owner: Owner, job_type: JobType, key: str | None, request: Json) -> Accepted:
        """Capture, admit and queue; the codes are those of W 3.3."""
        operation = _operation(job_type)
        policy = await self.policy(_text(request, "policy_path"))
        with await self._service.reserve(owner, job_type, key, policy.quotas) as reservation:
            selected = await self._choice.selected() if operation.needs_reasoner else None
            profile = await self._reasoner(operation, policy)
            if profile is not None:
                await self._require_classification(profile)  # before anything is captured for nothing
            captured = await self._capturer.capture(
                request, policy, None if profile is None else profile.profile_key, self._start_ahead
            )
            try:
                if (await self.policy(_text(request, "policy_path"))).digest != policy.digest:
                    raise InputChanged("The project policy changed during the capture. Try again.")
                if operation.needs_reasoner and await self._choice.selected() != selected:
                    raise InputChanged("Another reasoner was selected during the capture. Try again.")
                if profile is not None:
                    await self._probe.prove(profile)
                submission = Submission(
                    owner=owner,
                    type=job_type,
                    idempotency_key=key,
                    required_capabilities=operation.required_capabilities,
                    input_identity=captured.identity,
                    request=request,
                )
                computation = await self._computation(owner, operation, captured, profile, selected)
            except BaseException:
                captured.release()
                raise
            return await self._service.submit(reservation, submission, computation)

    async def _reasoner(self, operation: Operation, policy: ResolvedPolicy) -> ReasonerProfile | None:
        """The profile that an operation runs with; None for one that needs none."""
        if not operation.needs_reasoner:
            return None
        profile = await self.profile(policy)
        if operation.job_type is JobType.REASONING_EXPLAIN:
            from jobs.reasoners.explaining import explainer_of

            return await to_thread.run_sync(explainer_of, profile)
        return profile

    @staticmethod
    async def _require_classification(profile: ReasonerProfile) -> None:
        from jobs.reasoners.profiles import require_classification

        await to_thread.run_sync(require_classification, profile)

    async def policy(self, policy_path: str | None = None) -> ResolvedPolicy:
        """The policy in force now. Raises as `resolve_policy`."""
        return await to_thread.run_sync(resolve_policy, self._discovery_folder, policy_path)

    async def prove(self, policy: ResolvedPolicy, job_type: JobType = JobType.CLASSIFICATION) -> None:
        """Prove now that the reasoner of such a job can be cancelled, and have it ready (W 8.9).

        The answer of the probe is kept.

        Raises:
            ReasonerNotCancellable, ReasonerUnavailable, ClassificationNotSupported, JavaUnavailable: it
                may not run.
        """
        profile = await self._reasoner(_operation(job_type), policy)
        assert profile is not None
        await self._require_classification(profile)
        await self._probe.prove(profile)
        await self._stages.make_ready(profile)

    async def profile(self, policy: ResolvedPolicy) -> ReasonerProfile:
        """The profile that classifies here (decision 17)."""
        from jobs.reasoners.profiles import resolve  # here: a diff asks for no reasoner, and starts sooner

        return await to_thread.run_sync(resolve, await self.profile_name(policy))

    async def profile_name(self, policy: ResolvedPolicy) -> str:
        """How that profile was asked for."""
        return await self._choice.name(policy)

    async def find_profile(self, policy: ResolvedPolicy) -> ReasonerProfile | None:
        """The same profile; None when no profile has that name."""
        try:
            return await self.profile(policy)
        except ReasonerNotCancellable:
            return None

    def find_probe(self, profile: ReasonerProfile) -> ProbeReport | None:
        """How the profile's cancellation probe ended; None when no verdict is kept."""
        return self._probe.report(profile)

    async def _computation(
        self,
        owner: Owner,
        operation: Operation,
        captured: CapturedInputs,
        profile: ReasonerProfile | None,
        selected: str | None,
    ) -> StageComputation:
        folder = await to_thread.run_sync(self._private.new_dir, "job")

        async def execute(on_progress: OnProgress) -> StageResult:
            return await plans.run(self._stages, operation, captured, profile, folder, on_progress)

        async def drift() -> Drift:
            return await self._drift(captured, operation, selected)

        return StageComputation(
            execute,
            folder=folder,
            drift=drift,
            authority=lambda: self._access.lease_of(owner),
            on_release=captured.release,
        )

    async def _drift(self, captured: CapturedInputs, operation: Operation, selected: str | None) -> Drift:
        """What of the live inputs differs; an input that is gone or unreadable differs, too.

        Only what cannot be told is None: an input still moving, a host that does not answer.
        """
        try:
            policy = await self.policy(_text(captured.request, "policy_path"))
        except _POLICY_UNUSABLE:
            return False, ("policy_digest",)
        except ProtegeJobsError:
            return None, ()
        try:
            changed = await self._capturer.changed(captured, policy)
            if operation.needs_reasoner and await self._choice.selected() != selected:
                changed = (*changed, "reasoner_digest")
        except SecondaryInputInvalid:
            return False, (f"secondary_inputs.{RIGHT_DOCUMENT}",)
        except (InvalidOntology, SnapshotTooLarge):
            return False, ("closure_fingerprint",)  # of root and imports, so it differs in any case
        except HostUnavailable as error:
            return (False, ("closure_fingerprint",)) if "reason" in error.details else (None, ())
        except ProtegeJobsError:
            return None, ()
        return not changed, changed


def _operation(job_type: JobType) -> Operation:
    operation = find_operation(job_type)
    if operation is None:
        raise JobTypeUnavailable(
            f"This version does not run {job_type.value} yet. Available: classification, semantic_diff.",
            details={"type": job_type.value},
        )
    return operation


def _text(request: Json, key: str) -> str | None:
    value = request.get(key)
    return value if isinstance(value, str) else None
