"""Holds the rules of the loop language, in a file for each family; importing the package registers them."""

from npcompile.frontend.loops.rules import (
    calls,
    creation,
    elementwise,
    extremes,
    fancy,
    iteration,
    members,
    numbers,
    ordering,
    outer,
    products,
    ranges,
    reductions,
    subscripts,
    texts,
    views,
)

__all__ = [
    "calls",
    "creation",
    "elementwise",
    "extremes",
    "fancy",
    "iteration",
    "members",
    "numbers",
    "ordering",
    "outer",
    "products",
    "ranges",
    "reductions",
    "subscripts",
    "texts",
    "views",
]
