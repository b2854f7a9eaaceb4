"""Tests of passes over residual programs."""
