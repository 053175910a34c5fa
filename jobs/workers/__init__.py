"""Supervised worker processes: spawned, spoken to in frames, killed as a group, always reaped."""
