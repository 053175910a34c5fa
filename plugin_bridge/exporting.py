"""Export of one artifact into the project, with every guard in the order of W 9.3."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anyio import CapacityLimiter, from_thread, to_thread

from jobs.errors import ArtifactExportFailed, ReadOnly
from plugin_bridge.export import export_answer, prepare, publish
from plugin_bridge.files import ProjectRoot

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from jobs.artifacts import ArtifactHandle
    from jobs.service import JobService
    from jobs.values import Json, Owner
    from plugin_bridge.mcp_server.arguments import ExportArguments
    from plugin_bridge.policy import ResolvedPolicy


_THREADS = 2  # ours: they take turns under the project lock anyway


class Exporter:
    """Exports for one window, which asks nobody: interactive confirmation is off.

    Args:
        document: the window's own file, which no export may replace; None when it has none.
        is_read_only: the window's switch, read anew at each check.
    """

    def __init__(self, service: JobService, document: Path | None, is_read_only: Callable[[], bool]) -> None:
        self._service = service
        self._document = document
        self._is_read_only = is_read_only
        # Exports may wait for another process's project lock; no other work shares their threads.
        self._threads = CapacityLimiter(_THREADS)

    async def export(self, owner: Owner, arguments: ExportArguments, policy: ResolvedPolicy) -> Json:
        """Publish; the eight fields of W 3.7. The caller holds the owner's lease.

        Raises:
            UnknownJob, UnknownJobArtifact: not this owner's, or no longer retained.
            ReadOnly: the window's switch is on (`read_only`).
            Every code of W 9.6.
        """
        handle = await self._service.artifact(owner, arguments.job_id, arguments.artifact_id)
        data = await handle.read_all()

        def recheck() -> None:
            """Runs in the exporting thread, under the project lock."""
            self._check_writable()
            from_thread.run(self._service.artifact, owner, arguments.job_id, arguments.artifact_id)

        return await to_thread.run_sync(
            self._publish, arguments, policy, handle, data, recheck, limiter=self._threads
        )

    def _publish(
        self,
        arguments: ExportArguments,
        policy: ResolvedPolicy,
        handle: ArtifactHandle,
        data: bytes,
        recheck: Callable[[], None],
    ) -> Json:
        with (
            _opened(policy) as root,
            prepare(
                root,
                policy,
                arguments.destination,
                overwrite=arguments.overwrite,
                expected_target_digest=arguments.expected_target_digest,
                also_protected=self._own_files(policy),
            ) as plan,
        ):
            self._check_writable()  # who may not write at all does not wait for the project lock
            published = publish(
                plan,
                data,
                sha256=handle.reference.sha256,
                size_bytes=handle.reference.size_bytes,
                recheck=recheck,
            )
        return export_answer(
            published,
            job_id=arguments.job_id,
            artifact_id=arguments.artifact_id,
            interactive_write_confirmation=False,
        )

    def _check_writable(self) -> None:
        if self._is_read_only():
            raise ReadOnly("This window is read-only; nothing was written.")

    def _own_files(self, policy: ResolvedPolicy) -> tuple[str, ...]:
        if self._document is None or not self._document.is_relative_to(policy.project_root):
            return ()
        return (self._document.relative_to(policy.project_root).as_posix(),)


def _opened(policy: ResolvedPolicy) -> ProjectRoot:
    try:
        return ProjectRoot.open(policy.project_root)
    except OSError:
        raise ArtifactExportFailed("The project folder cannot be opened; nothing was written.") from None
