"""Tests of the array type and of `npcompile.numpy`."""
