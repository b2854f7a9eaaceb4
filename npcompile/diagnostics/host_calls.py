"""Reasons why steps of a residual program are host calls: calls that are left to NumPy."""

from __future__ import annotations

from typing import Any

import torch
from torch import fx

from npcompile.frontend.catalog import purity
from npcompile.frontend.graph.graph_builder import GETITEM
from npcompile.frontend.ops.table import Op
from npcompile.frontend.program.array_facts import with_items
from npcompile.lower.plan.attributes import attributes, value_of

_BY_DATA = "how many there are depends on the data; the kernels behind it take any number"


def function_of(node: fx.Node) -> Any:
    """Return what a node calls: of an op, the NumPy function."""
    target: Any = node.target
    return target.function if isinstance(target, Op) else target


def has_mask(node: fx.Node) -> bool:
    """Tell whether there is a mask in the index that this node takes."""
    if len(node.args) < 2:
        return False
    index = node.args[1] if isinstance(node.args[1], tuple) else (node.args[1],)
    return any(isinstance(item, fx.Node) and value_of(item).dtype is torch.bool for item in index)


def is_sized_by_data(node: fx.Node) -> bool:
    """Tell whether NumPy compacts here: takes or stores the elements at a mask's places one by one."""
    function = function_of(node)
    if function in (GETITEM, with_items):
        return has_mask(node)
    try:
        return function in purity.SIZED_BY_DATA
    except TypeError:  # it has no hash
        return False


def host_reason(node: fx.Node) -> str:
    """Return why a call is left to NumPy."""
    reason = attributes(node).reason
    if is_sized_by_data(node):
        if function_of(node) is with_items:
            return f"the mask by NumPy ({reason or 'an index that no op takes'}): {_BY_DATA}"
        _, why = attributes(node).mask_form or (None, "")
        return f"compacted by NumPy{why and f' ({why})'}: {_BY_DATA}"
    if reason is not None:
        return f"no op takes this call: {reason}"
    return "not an op yet: NumPy's own function"
