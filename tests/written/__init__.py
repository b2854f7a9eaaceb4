"""Writes what npcompile makes of every jitted function in the tests, to compare two versions of the code."""
