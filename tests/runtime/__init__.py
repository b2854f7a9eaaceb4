"""Tests of one jitted function at run time, from whole programs."""
