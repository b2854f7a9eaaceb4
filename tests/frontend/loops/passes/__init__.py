"""Tests of passes over loops' code."""
