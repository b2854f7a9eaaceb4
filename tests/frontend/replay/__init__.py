"""Tests of generated replay functions."""
