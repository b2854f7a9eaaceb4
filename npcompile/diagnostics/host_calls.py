"""Reasons why steps of a residual program are host calls: calls that are left to NumPy."""

from __future__ import annotations

from typing import Any

import torch
from torch import fx

from npcompile.diagnostics.reason import Cause, Reason
from npcompile.frontend.catalog import purity
from npcompile.frontend.catalog.python_operators import GETITEM
from npcompile.frontend.ops.table import Op
from npcompile.frontend.program.array_facts import with_items
from npcompile.lower.plan.attributes import attributes, value_of


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


def host_reason(node: fx.Node) -> Reason:
    """Return why a call is left to NumPy."""
    reason = attributes(node).reason
    if is_sized_by_data(node):
        if function_of(node) is with_items:
            return Cause.MASK_BY_NUMPY(reason or Cause.NO_INDEX_OP())
        form = attributes(node).mask_form
        return Cause.COMPACTED() if form is None else Cause.COMPACTED_AS(form[1])
    return Cause.NUMPYS_OWN() if reason is None else Cause.NO_OP(reason)
