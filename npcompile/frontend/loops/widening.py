"""Widens the types of names where a block has had too many combinations of types: a name that is a float here
and a `np.float64` there becomes a value of either type, which tells at run time which one it is.

Inference asks for it beyond the versions that have one exact type for each name. A statement that reads the
name is split by its type then (`splitting.py`), so that answers have Python's types all the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from npcompile.lower.loops import ir
from npcompile.lower.loops.either_ir import either_of
from npcompile.lower.loops.list_ir import common
from npcompile.lower.loops.types import Either, Scalar, Type


def widened(types: Mapping[str, Type], versions: Iterable[Mapping[str, Type]]) -> dict[str, Type]:
    """Return the types of names with those of two scalar types, among the versions of a block, as either."""
    found = dict(types)
    for known in versions:
        for name, kind in known.items():
            one = found.get(name)
            if one is not None and one != kind and isinstance(kind, Scalar | Either):
                either = common(one, kind) if isinstance(one, Scalar | Either) else None
                found[name] = found[name] if either is None else either
    return found


def adapter(
    target: ir.Block, types: Mapping[str, Type], place: ir.Place, line: int, version: int
) -> ir.Block:
    """Return a block that goes on to a widened one from names of some types."""
    made = ir.Block(target.source, version, dict(types))
    for name, kind in target.types.items():
        if isinstance(kind, Either) and types[name] != kind:
            value = either_of(kind, ir.Read(types[name], name))
            made.steps.append(ir.Bind(place, line, name, value))
    made.end = ir.Jump(place, line, target)
    return made
