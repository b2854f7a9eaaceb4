"""Tests of `npcompile.verify`."""
