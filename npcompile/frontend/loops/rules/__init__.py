"""Holds the rules of the loop language, in a file for each family; importing the package registers them."""

from npcompile.frontend.loops.rules import calls, members, numbers, ranges, subscripts

__all__ = ["calls", "members", "numbers", "ranges", "subscripts"]
