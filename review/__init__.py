"""The review of reasoner profiles: fixtures with known answers, run on what is installed (W 11.7)."""
