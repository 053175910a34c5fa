"""Timings of this project beside its peers; nothing here is installed with the package."""
