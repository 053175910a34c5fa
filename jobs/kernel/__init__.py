"""Decisions about jobs, as plain functions: state, command and time in; new state and outcome out.

Nothing here waits, stores or owns anything, so nothing interleaves and tests can enumerate it.
"""
