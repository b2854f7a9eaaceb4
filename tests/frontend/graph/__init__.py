"""Tests of the builder of residual programs."""
