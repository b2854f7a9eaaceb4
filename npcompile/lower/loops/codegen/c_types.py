"""Gives the emitter the C++ types of values, and of the items of containers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from npcompile.lower.loops import ir
from npcompile.lower.loops.types import (
    FLOAT,
    Array,
    Character,
    Deque,
    Dict,
    DictView,
    Either,
    Generator,
    Known,
    List,
    Method,
    Scalar,
    Set,
    Text,
    Tuple,
    Type,
    Unsigned,
    Word,
)

_states: dict[type[Any], Callable[[Any], str]] = {}


def type_of_state(kind: type[ir.State]) -> Callable[[Any], Any]:
    """Register the rule that names the C++ type of a kind of iterator."""

    def register(rule: Any) -> Any:
        _states[kind] = rule
        return rule

    return register


def c_type(kind: Type) -> str:
    """Return the C++ type of a type."""
    match kind:
        case Scalar() | Unsigned():
            return kind.c_type
        case Array():
            packed = "true" if kind.packed or not kind.ndim else "false"
            return f"npl::array<{kind.item.c_type}, {kind.ndim}, {packed}>"
        case Tuple(items=items) | Either(items=items):
            return f"npl::tuple<{', '.join(map(c_type, items))}>"
        case Deque(item=item):
            return f"npl::py_deque<{item_kind(item)}>"
        case List(item=item):
            return f"npl::py_list<{item_kind(item)}>"
        case Dict(key=key, value=value):
            return f"npl::py_dict<{item_kind(key)}, {item_kind(value)}>"
        case Set(item=item):
            return f"npl::py_set<{item_kind(item)}>"
        case Method(owner=owner) | DictView(owner=owner):
            return c_type(owner)
        case ir.RangeState():
            return "npl::range"
        case ir.State():
            return _states[type(kind)](kind)
        case Text():
            return f"npl::text_{kind.name}"
        case Generator():
            return "npl::generator"
        case Character():
            return "npl::character"
        case Word():
            return "npl::py_word"
        case Known():
            return "npl::nothing"
    raise TypeError(f"a {type(kind).__name__} has no C++ type")


def held_as(kind: Type) -> Type:
    """Return the type by which a name's variable is known: a `float` and a `np.float64` have the same one.

    The C++ compiler then sees that blocks for either do the same, and joins them.
    """
    return Scalar(FLOAT.code) if kind == FLOAT else kind


def item_kind(kind: Type | None) -> str:
    """Return the C++ class that reads and makes items of a list."""
    match kind:
        case Scalar(python=python):
            return f"npl::{'python' if python else 'numpy'}<{kind.c_type}>"
        case Unsigned():
            return f"npl::python<{kind.c_type}>"
        case Tuple(items=items):
            return f"npl::tuple_of<{', '.join(map(item_kind, items))}>"
        case Either(kinds=kinds):
            return f"npl::either_of<{', '.join(map(item_kind, kinds))}>"
        case List(item=item):
            return f"npl::list_of<{item_kind(item)}>"
        case Dict(key=key, value=value):
            return f"npl::dict_of<{item_kind(key)}, {item_kind(value)}>"
        case Set(item=item):
            return f"npl::set_of<{item_kind(item)}>"
        case Character():
            return "npl::character_kind"
        case Word():
            return "npl::word_kind"
        case Known(value=None):
            return "npl::none_kind"
        case None:
            return "npl::unknown"
    raise TypeError(f"a list has no items of type {kind}")


def holds_memory(kind: Type) -> bool:
    """Tell if a value keeps memory of its own, or may."""
    return not isinstance(kind, Scalar | Unsigned | Known | ir.RangeState | Text | Character | Generator)
