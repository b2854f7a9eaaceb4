"""Tests of loops as they are written."""
