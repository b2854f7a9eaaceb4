"""Tests of values that native code is entered with."""
