"""What a store keeps of a job: the snapshot and the little the engine must remember beside it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from jobs import limits

if TYPE_CHECKING:
    from datetime import datetime

    from jobs.values import Job, QuotaSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One job as it lies in a store: plain values only, so that a row of a database can hold it.

    Attributes:
        revision: 1 when inserted, one more with every change; what a compare-and-set compares.
        settings: the configuration the job was admitted under; it keeps it (W 4.6).
        binds_key: whether its idempotency key is bound; an ordinary call binds none (decision 26).
        keep_until: end of an announced task ttl, if a task was made of it (decision 3).
    """

    job: Job
    revision: int
    settings: QuotaSettings
    binds_key: bool = True
    keep_until: datetime | None = None

    @property
    def bound_until(self) -> datetime:
        """End of the idempotency window, exclusive (W 5.4)."""
        return self.job.created_at + timedelta(seconds=limits.IDEMPOTENCY_WINDOW_S)
