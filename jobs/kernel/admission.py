"""Who may start: reservations taken before anything large is captured (W 7.2, 7.3).

A reservation counts against every quota until it is spent or freed. A retry of a bound key pays
no quota; only the number of captures in flight bounds it, counted apart from new work, so that
neither can shut the other out (W 5.6).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jobs.errors import (
    ActiveQuotaExceeded,
    AdmissionInvalid,
    BackendQuotaExceeded,
    CaptureCapacityExceeded,
    JobTypeDisabled,
    QueueFull,
    RetentionQuotaExceeded,
)

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime
    from types import TracebackType

    from jobs.digests import Digest
    from jobs.kernel.record import Record
    from jobs.values import JobType, Owner, QuotaSettings

from jobs.kernel.retention import is_evictable
from jobs.values import State


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """What already lies in the store, counted for one principal; retained includes active.

    `held` are the records that may not be evicted to make room.
    """

    active: int
    held_of_principal: int
    held_in_backend: int
    queued: int


def load_of(records: Iterable[Record], principal: Digest, at: datetime) -> Load:
    """Count the records for one principal."""
    active = own = held = queued = 0
    for record in records:
        mine = record.job.owner.principal_fingerprint == principal
        stays = not is_evictable(record, at)
        held += stays
        own += stays and mine
        active += mine and not record.job.state.is_terminal
        queued += record.job.state is State.QUEUED
    return Load(active=active, held_of_principal=own, held_in_backend=held, queued=queued)


class Reservation:
    """The right to capture and then to submit once. Leaving its block frees what is unspent, once.

    Attributes:
        is_retry: the key was bound at the time of asking; no quota is held.
        settings: the configuration fixed for the job.
    """

    __slots__ = ("_ledger", "is_retry", "key", "owner", "settings", "type")

    def __init__(
        self,
        ledger: Ledger,
        owner: Owner,
        job_type: JobType,
        key: str | None,
        settings: QuotaSettings,
        *,
        is_retry: bool,
    ) -> None:
        self._ledger: Ledger | None = ledger
        self.owner, self.type, self.key = owner, job_type, key
        self.settings, self.is_retry = settings, is_retry

    @property
    def is_open(self) -> bool:
        """Whether it can still be spent."""
        return self._ledger is not None

    def free(self) -> None:
        """Give everything back; the second time does nothing."""
        ledger, self._ledger = self._ledger, None
        if ledger is not None:
            ledger.give_back(self)

    def check(self, owner: Owner, job_type: JobType, key: str | None) -> None:
        """Refuse to be spent twice, or for anything but what it was taken for.

        Raises:
            AdmissionInvalid: a defect of ours (`job_admission_invalid`).
        """
        if not self.is_open or (owner, job_type, key) != (self.owner, self.type, self.key):
            raise AdmissionInvalid("This admission was used before, or was given for another request.")

    def __enter__(self) -> Reservation:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.free()


class Ledger:
    """All open reservations of one backend."""

    def __init__(self) -> None:
        self._new: Counter[Digest] = Counter()
        self._retries: Counter[Digest] = Counter()

    @property
    def open_count(self) -> int:
        """How many reservations are open, retries included."""
        return self._new.total() + self._retries.total()

    def admit(
        self,
        owner: Owner,
        job_type: JobType,
        key: str | None,
        settings: QuotaSettings,
        load: Load,
        *,
        is_retry: bool,
    ) -> Reservation:
        """Take a reservation, checking in the order of W 7.2.

        Raises:
            JobTypeDisabled, CaptureCapacityExceeded, ActiveQuotaExceeded, RetentionQuotaExceeded,
            BackendQuotaExceeded, QueueFull: the first bound that is full.
        """
        if job_type not in settings.allowed_types:
            raise JobTypeDisabled(f"The policy of this project does not allow {job_type} jobs.")
        principal = owner.principal_fingerprint
        captures = self._retries if is_retry else self._new
        if (
            captures[principal] >= settings.active_per_principal
            or captures.total() >= settings.retained_per_backend
        ):
            raise CaptureCapacityExceeded("Too many inputs are being captured at once. Try again shortly.")
        if not is_retry:
            self._check_quotas(principal, settings, load)
        captures[principal] += 1
        return Reservation(self, owner, job_type, key, settings, is_retry=is_retry)

    def give_back(self, reservation: Reservation) -> None:
        """Free one reservation; `Reservation.free` calls it once."""
        captures = self._retries if reservation.is_retry else self._new
        captures[reservation.owner.principal_fingerprint] -= 1
        captures += Counter()  # drops the zeros, so that the table does not grow with callers

    def _check_quotas(self, principal: Digest, settings: QuotaSettings, load: Load) -> None:
        own, everyone = self._new[principal], self._new.total()
        if load.active + own >= settings.active_per_principal:
            raise ActiveQuotaExceeded(
                f"You have {settings.active_per_principal} unfinished jobs, the most allowed. "
                "Wait for one or cancel one."
            )
        if load.held_of_principal + own >= settings.retained_per_principal:
            raise RetentionQuotaExceeded(
                f"{settings.retained_per_principal} jobs of yours are kept and none may go yet. "
                "Try again in some minutes."
            )
        if load.held_in_backend + everyone >= settings.retained_per_backend:
            raise BackendQuotaExceeded("This window keeps as many jobs as it may. Try again in some minutes.")
        if load.queued + everyone >= settings.queue_capacity:
            raise QueueFull("The queue of this window is full. Try again when a job has finished.")
