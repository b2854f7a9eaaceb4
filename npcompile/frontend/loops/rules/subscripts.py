"""Gives the loop language its rules for items and views of arrays and tuples, read and stored."""

from __future__ import annotations

import ast
from types import EllipsisType

from npcompile.frontend.loops import language
from npcompile.frontend.loops.entry.values import has_one_type
from npcompile.frontend.loops.inference import Inference
from npcompile.frontend.loops.language import Outside
from npcompile.frontend.loops.rules import elementwise, fancy
from npcompile.frontend.loops.rules.views import Index, view
from npcompile.frontend.loops.scalars import arithmetic, unsigned
from npcompile.lower.loops import ir
from npcompile.lower.loops.iterator_ir import TupleItem
from npcompile.lower.loops.types import INT, Array, Known, Scalar, Tuple
from npcompile.lower.loops.view_ir import WHOLE, Slice


@language.expressions(ast.Subscript)
def _subscript(inference: Inference, node: ast.Subscript) -> ir.Expression:
    name = inference.attribute_name(node)
    if name is not None:
        return inference.read(name)
    container = inference.value(node.value)
    return language.items.find(type(container.type), container.type)(inference, container, node.slice)


def index_of(inference: Inference, value: ir.Expression) -> ir.Expression:
    """Return a value as the int that it is as an index. Raises Outside for other values."""
    value = unsigned.signed(value)
    if not isinstance(value.type, Scalar) or value.type.kind not in "iu":
        raise Outside(f"an index of type {value.type}")
    if value.type == INT:
        return value
    operation = arithmetic.cast(value.type, INT)
    if operation is None:
        raise Outside(f"an index of type {value.type}")
    return ir.Apply(INT, operation, (value,))


@language.items(Tuple)
def _item_of_tuple(inference: Inference, container: ir.Expression, index: ast.expr) -> ir.Expression:
    made = inference.value(index)
    assert isinstance(container.type, Tuple)
    items = container.type.items
    if isinstance(made, ir.Constant) and made.type == INT and -len(items) <= made.value < len(items):
        return ir.part_of(container, made.value % len(items))
    parts = items[0].items if items and isinstance(items[0], Tuple) else items
    if not has_one_type(container.type) or not all(isinstance(part, Scalar) for part in parts):
        raise Outside(f"an item of {container.type} at a place that is not known")
    return TupleItem(items[0], container, index_of(inference, made))


def parts_of(inference: Inference, index: ast.expr, axes: int) -> list[Index]:
    """Return the parts of an index of an array with `ndim` axes; an array is a part, too."""
    parts = _parts(inference, index)
    if ... not in parts:
        return parts  # type: ignore[return-value]
    at = parts.index(...)
    missing = axes - sum(part is not None for part in parts) + 1
    whole = [WHOLE] * missing
    return [*parts[:at], *whole, *parts[at + 1 :]]  # type: ignore[list-item]


def _parts(inference: Inference, index: ast.expr) -> list[Index | EllipsisType]:
    if isinstance(index, ast.Tuple):
        return [_part(inference, node) for node in index.elts]
    if isinstance(index, ast.Slice | ast.List):
        return [_part(inference, index)]
    value = inference.value(index)
    if not isinstance(value.type, Tuple):
        return [_part_of(inference, value)]
    found = [_part_of(inference, item) for item in inference.items_of(value, len(value.type.items))]
    if ... in found:
        raise Outside("an index by a tuple with `...` in it")
    return found


def _part(inference: Inference, node: ast.expr) -> Index | EllipsisType:
    if isinstance(node, ast.Slice):
        bounds = [_bound(inference, one) for one in (node.lower, node.upper, node.step)]
        return Slice(*bounds)
    if isinstance(node, ast.List):
        return fancy.listed(inference, node)
    return _part_of(inference, inference.value(node))


def _part_of(inference: Inference, value: ir.Expression) -> Index | EllipsisType:
    if value.type in (Known(None), Known(...)):
        return None if value.type == Known(None) else ...
    if fancy.is_index(value):
        return value
    return index_of(inference, value)


def _bound(inference: Inference, node: ast.expr | None) -> ir.Expression | None:
    if node is None:
        return None
    value = inference.value(node)
    return None if value.type == Known(None) else index_of(inference, value)


def whole_index(parts: list[Index], ndim: int) -> tuple[ir.Expression, ...] | None:
    """Return the indices of one item; None where the index gives a view."""
    if len(parts) != ndim or not all(isinstance(part, ir.Expression) for part in parts):
        return None
    return tuple(part for part in parts if isinstance(part, ir.Expression))


@language.items(Array)
def _item_of_array(inference: Inference, container: ir.Expression, index: ast.expr) -> ir.Expression:
    assert isinstance(container.type, Array)
    parts = parts_of(inference, index, container.type.ndim)
    if any(map(fancy.is_index, parts)):
        if _has_ellipsis(index):
            raise Outside("an index by arrays and `...`")
        return fancy.read(container, parts)
    indices = whole_index(parts, container.type.ndim)
    if indices is None or _has_ellipsis(index):
        return view(container, parts)
    return ir.Item(container.type.item, container, indices)


def _has_ellipsis(index: ast.expr) -> bool:
    nodes = index.elts if isinstance(index, ast.Tuple) else [index]
    return any(isinstance(node, ast.Constant) and node.value is ... for node in nodes)


@language.stores(Array)
def _store(inference: Inference, container: ir.Expression, index: ast.expr, value: ir.Expression) -> None:
    assert isinstance(container.type, Array)
    parts = parts_of(inference, index, container.type.ndim)
    if any(map(fancy.is_index, parts)):
        if _has_ellipsis(index):
            raise Outside("an index by arrays and `...`")
        fancy.store(inference, container, parts, value)
        return
    indices = whole_index(parts, container.type.ndim)
    if indices is None:
        elementwise.store(inference, view(container, parts), value)
        return
    value = elementwise.scalar_or_array(unsigned.item(value, container.type.item))
    if not isinstance(value.type, Scalar):
        raise Outside(f"a store of {value.type} to an item")
    if not container.type.writeable:
        raise Outside("a store to a read-only array")
    inference.add(ir.StoreItem, container, indices, converted(value, container.type.item))


def converted(value: ir.Expression, to: Scalar) -> ir.Expression:
    """Return a scalar as a store converts it to an array's dtype."""
    assert isinstance(value.type, Scalar)
    if value.type.code == to.code:
        return value
    operation = arithmetic.cast(value.type, to)
    if operation is None:
        raise Outside(f"a store of {value.type} to an array of {to}")
    return ir.Apply(to, operation, (value,))
