"""Rewriting: the user's source with every operation going through a hook, and functions that are cut into
blocks."""
