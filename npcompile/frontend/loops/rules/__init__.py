"""Holds the rules of the loop language, in a file for each family; importing the package registers them."""

from npcompile.frontend.loops.rules import calls, elementwise, members, numbers, ranges, subscripts, views

__all__ = ["calls", "elementwise", "members", "numbers", "ranges", "subscripts", "views"]
