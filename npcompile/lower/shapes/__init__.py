"""Sizes as parameters: one kernel for segments that differ in sizes alone."""
