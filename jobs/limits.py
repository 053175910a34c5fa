"""Every number of the job engine, with its unit and where it comes from.

W n.n is a clause of the window jobs contract; "decision n" a later ruling that wins over it;
"ours" a choice of this project. Policy may lower some of them (`kernel.quotas`), never raise one.
"""

from __future__ import annotations

from typing import Final

KIB: Final = 1024
MIB: Final = 1024 * KIB
GIB: Final = 1024 * MIB

# Jobs and their keeping (W 7.1)
WORKERS: Final = 2
QUEUE_CAPACITY: Final = 32
ACTIVE_PER_PRINCIPAL: Final = 8
RETAINED_PER_PRINCIPAL: Final = 32
RETAINED_PER_BACKEND: Final = 128
RETENTION_S: Final = 3600
RETENTION_MIN_S: Final = 60
IDEMPOTENCY_WINDOW_S: Final = 900
IDEMPOTENCY_KEY_CHARACTERS: Final = 128
PURGE_INTERVAL_S: Final = 30  # W 7.5
REQUIRED_CAPABILITIES: Final = 16  # W 2.1
CHANGED_INPUTS: Final = 16  # W 2.2

# Listing (W 3.6)
LIST_LIMIT: Final = 100
LIST_LIMIT_DEFAULT: Final = 50
CURSOR_CHARACTERS: Final = 512

# Results and artifacts (W 2.2, 7.1)
RESULT_BYTES: Final = 1 * MIB
ARTIFACTS_PER_JOB: Final = 4
ARTIFACT_BYTES: Final = 64 * MIB
ARTIFACT_BYTES_PER_JOB: Final = 128 * MIB
STAGING_BYTES_PER_BACKEND: Final = 512 * MIB
ARTIFACT_MEMORY_BYTES: Final = 1 * MIB  # W 9.2: larger ones live in private files
ARTIFACT_READ_BYTES: Final = 64 * KIB  # decision 23

# Errors (W 2.3)
ERROR_MESSAGE_BYTES: Final = 2048
ERROR_DETAILS_KEYS: Final = 32
ERROR_DETAILS_ITEMS: Final = 128
ERROR_DETAILS_DEPTH: Final = 4
ERROR_DETAILS_STRING_BYTES: Final = 4096
ERROR_DETAILS_BYTES: Final = 64 * KIB

# Progress and audit (W 2.1, 10.3)
PROGRESS_MESSAGE_BYTES: Final = 1 * KIB
PROGRESS_AUDIT_EVENTS: Final = 64
PROGRESS_UPDATES_PER_S: Final = 20
AUDIT_DELIVERY_S: Final = 2.0  # ours: one delivery to a sink, and the wait of a publication for its events
AUDIT_PENDING_EVENTS: Final = 4096  # ours: beyond, an event is dropped and its job says `audit_incomplete`
AUDIT_RETENTION_DAYS: Final = 90  # W 4.6
AUDIT_FILE_BYTES: Final = 10 * MIB  # W 4.6
AUDIT_FILES: Final = 10  # W 4.6

# Cancellation (W 8, decisions 5 and 19)
CANCEL_POLITE_S: Final = 0.1
CANCEL_OUTER_S: Final = 5.0
PROBE_STOP_S: Final = 5.0
PROBE_START_S: Final = 30.0
PROBE_FAILURE_CACHE_S: Final = 60.0
CLOSE_WAIT_S: Final = 5.0  # W 7.6
JAVA_HEAP_BYTES: Final = 16 * GIB  # ours: or half of the machine's memory, if that is less
SPARE_IDLE_S: Final = 300.0  # decision 6: a warm reasoner that nobody asks is dropped
CURRENT_RECAPTURE_S: Final = 2.0  # decision 11

# Inputs (W 7.1, decision 8)
CLOSURE_AXIOMS: Final = 2_000_000
SECONDARY_FILE_BYTES: Final = 512 * MIB
MAPPING_FILE_BYTES: Final = 64 * MIB
LOCK_FILE_BYTES: Final = 64 * MIB
POLICY_FILE_BYTES: Final = 1 * MIB
POLICY_NODES: Final = 10_000
ASSET_ENTRIES: Final = 10_000
SECONDARY_INPUTS: Final = 32
PATH_CHARACTERS: Final = 4096

# Requests (W 4)
REQUEST_LIMIT_MAX: Final = 10_000
CLASSIFICATION_LIMIT_DEFAULT: Final = 100
DIFF_LIMIT_DEFAULT: Final = 50
QC_LIMIT_DEFAULT: Final = 25
JUSTIFICATIONS: Final = 50  # ours: beyond, nobody reads on
JUSTIFICATIONS_DEFAULT: Final = 3  # ours
TAXONOMY_NODES: Final = 100_000  # W 4.1
TAXONOMY_BYTES: Final = 32 * MIB
UNSATISFIABLE_COUNT_MAX: Final = 1_000_000

# Export (W 9)
EXPORT_TARGET_BYTES: Final = 64 * MIB
