"""Tests of rewritten functions."""
