"""Tests of `npcompile.explain`, and of programs as they print."""
