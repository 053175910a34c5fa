"""The job types, apart from the other values: a starting worker needs these alone, and waits for no other."""

from __future__ import annotations

from enum import StrEnum
from types import MappingProxyType
from typing import Final


class JobType(StrEnum):
    """What a job computes: the four types of W 2.1, then what ordinary calls add (decision 26)."""

    CLASSIFICATION = "classification"
    PROJECT_QC = "project_qc"
    SEMANTIC_DIFF = "semantic_diff"
    INFERENCE_MATERIALIZATION = "inference_materialization"
    REASONING_EXPLAIN = "reasoning_explain"


START_TYPES: Final = (
    JobType.CLASSIFICATION,
    JobType.PROJECT_QC,
    JobType.SEMANTIC_DIFF,
    JobType.INFERENCE_MATERIALIZATION,
)
"""What `start_job` takes and a policy's `jobs.allowed_types` may name (W 2.1, 4.6)."""
ALLOWED_WITH: Final = MappingProxyType({JobType.REASONING_EXPLAIN: JobType.CLASSIFICATION})
"""The types no policy names, each by the one that it is allowed with."""
