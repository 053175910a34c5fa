"""Frozen inputs: everything a job will read is copied here, once, before the job exists (W 6)."""
