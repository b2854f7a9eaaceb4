"""Tests of the boundary at which npcompile's own faults end."""
