"""Tests of npcompile.jit."""
