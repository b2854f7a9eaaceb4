"""Writes the C++ of a typed region, in a file for each family of constructs."""
