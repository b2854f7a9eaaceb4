"""Tests of residual programs: signatures, guards, aliasing."""
