"""Writes the C++ of iterators over all items of an array, and over their places, by `array_iterators.h`."""

from __future__ import annotations

from npcompile.lower.loops.array_iterator_ir import FlatIterator, FlatState, GridIterator, GridState
from npcompile.lower.loops.codegen.c_types import c_type, type_of_state
from npcompile.lower.loops.codegen.emitter import Emitter, writes


@type_of_state(GridState)
def _grid_type(kind: GridState) -> str:
    return f"npl::grid<{kind.axes}>"


@type_of_state(FlatState)
def _flat_type(kind: FlatState) -> str:
    return f"npl::flat<{c_type(kind.source)}, {kind.source.ndim}>"


@writes(GridIterator)
def _grid(emitter: Emitter, node: GridIterator) -> str:
    lengths = [emitter.value(length) for length in node.shape]
    shape = f"{{{', '.join(lengths)}}}"
    emitter.leave_if(f"npl::unfit_shape<{len(lengths)}>({shape})")
    return emitter.hold(node.type, f"npl::begin_grid<{len(lengths)}>({shape})")


@writes(FlatIterator)
def _flat(emitter: Emitter, node: FlatIterator) -> str:
    return emitter.hold(node.type, f"npl::begin_flat({emitter.value(node.source)})")
