"""Tests of recordings, by the Python type or library area."""
