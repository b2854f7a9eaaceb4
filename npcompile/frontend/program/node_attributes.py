"""Typed reads of what recordings and passes noted of a node, with a meaning for what they did not note.

Recordings and passes read a node's `meta` through these wherever not every node that may come has the key.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from torch import fx

# Of a slice, for each item of the index, the ends that data decide: (0 for start or 1 for stop, the number).
# Of a size, the number.
Ends = tuple[Any, ...]


class Place(NamedTuple):
    """Where in the user's source a step comes from. Inputs come from no line, as does what passes add."""

    line: int | None
    top: int | None  # the line of the function itself that led there
    elsewhere: str | None  # a line of another file, as "file:line", where one is nearer


def source_place(node: fx.Node) -> Place:
    """Where in the user's source a step comes from."""
    meta = node.meta
    return Place(meta.get("line"), meta.get("top"), meta.get("elsewhere"))


def ends_of_data(node: fx.Node) -> Ends:
    """The numbers that data decide among the ends of a slice, or a size; () where none is."""
    found: Ends = node.meta.get("by_data", ())
    return found


def decided_by_data(node: fx.Node) -> Any:
    """Which ends data decide, whatever the numbers are: two recordings of one program agree on it."""
    return tuple(
        tuple(place for place, _ in item) if type(item) is tuple else int for item in ends_of_data(node)
    )


def size_noted(node: fx.Node) -> int | None:
    """What a number that sizes may be made of was while recording; None where it is none of those."""
    found: int | None = node.meta.get("size")
    return found


def items_noted(node: fx.Node) -> dict[Any, fx.Node]:
    """The steps that read what lies in a container, by place; {} where it has not been opened."""
    found: dict[Any, fx.Node] = node.meta.get("items", {})
    return found
