"""Tests of functions that are cut into blocks."""
