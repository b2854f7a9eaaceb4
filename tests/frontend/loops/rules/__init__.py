"""Tests of the rules of constructs."""
