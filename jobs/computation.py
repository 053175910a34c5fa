"""What the engine asks of the work it runs. The window supplies it; the engine never looks inside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager

    from jobs.values import Computed, Json

    Report = Callable[[str, str], None]
    """Takes a phase and a message; raises ValueError for what no descriptor could show (W 10.3)."""


class Computation(Protocol):
    """One capture and the work on it. The engine owns it from `submit` on, accepted or not."""

    async def run(self, report: Report) -> Computed:
        """Do the work under the job's own cancel scope.

        When the scope is cancelled, whatever runs outside this process is dead before this returns:
        the job shows `cancelled` only then (W 8.3). Any `ProtegeJobsError` becomes the job's error.
        """
        ...

    async def drift(self) -> tuple[bool | None, tuple[str, ...]]:
        """Whether the inputs are still the captured ones, and the names of those that are not (W 8.6).

        Waited for at most `limits.CURRENT_RECAPTURE_S`; too late means unknown, as does None.
        """
        ...

    def authority(self) -> AbstractAsyncContextManager[object]:
        """Hold the caller's right to publish; revocation waits while it is held (W 8.5).

        Raises:
            AuthorizationRevoked: on entering, when the right is gone (`authorization_revoked`).
        """
        ...

    def release(self) -> None:
        """Give the capture up. Called exactly once, whatever became of the job (W 6.7); must not block."""
        ...


@runtime_checkable
class Committing(Computation, Protocol):
    """A computation whose result exists only by one irreversible step (W 8.5, second part)."""

    def destination(self) -> AbstractAsyncContextManager[object]:
        """Hold the right to the place that will be written."""
        ...

    async def revalidate(self, computed: Computed) -> None:
        """Check the prepared output once more under the permit; raise what forbids the commit."""
        ...

    async def commit(self, computed: Computed) -> Json:
        """Take the irreversible step; give back the summary that the result shall show.

        It runs shielded from cancellation and must end by itself. Anything raised here means that
        the outcome is not known (`job_commit_outcome_unknown`).
        """
        ...
