"""Every op traced on fake tensors: no body looks at values, and the graph it leaves gives the body's own
answer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch.fx.experimental.proxy_tensor import make_fx

import npcompile.frontend.ops  # noqa: F401
from npcompile.frontend.ops.square_root import square_root
from npcompile.frontend.ops.table import TORCH
from tests.cases import CASES, Case, expand
from tests.cases.eager import Call, Lane, to_tensor

# Ops that are no graph of their own, and why.
NOT_TRACED = {
    "numpy.bincount": "the size of the result depends on the data",
    "numpy.linalg.eig": "the dtype of the result depends on the data",
    "numpy.linalg.eigvals": "the dtype of the result depends on the data",
    "numpy.linalg.lstsq": "the shape of a result depends on the data",
    "numpy.linalg.eigh": "eager bodies ask another LAPACK: see test_linalg_traced.py",
    "numpy.linalg.eigvalsh": "traced, torch has vectors computed too: see test_linalg_traced.py",
    "numpy.linalg.svd": "eager bodies ask another LAPACK: see test_linalg_traced.py",
    "numpy.linalg.svdvals": "traced, torch has vectors computed too: see test_linalg_traced.py",
    "numpy.ndarray.__setitem__": "writes into its operand: the recorder makes a write of it",
    "numpy.put_along_axis": "writes into its operand: the recorder makes a write of it",
    "numpy.place": "writes into its operand: its cases copy that, which tensors do otherwise",
    "numpy.put": "writes into its operand: its cases copy that, which tensors do otherwise",
    "numpy.putmask": "writes into its operand: its cases copy that, which tensors do otherwise",
    "numpy.lexsort": "its cases turn keys round, which tensors do not",
    "where-unsigned": "its condition is made by comparing outside of any op",
}


class TensorCall(Call):
    """An op called on the tensors themselves, by bodies of several steps too."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        assert self.op is not None
        if kwargs.pop("out", None) is not None:
            kwargs.pop("where", None)
        result = self.op(*map(to_tensor, args), **{key: to_tensor(item) for key, item in kwargs.items()})
        return result[0] if self.op.checked else result


class TensorLane(Lane):
    call = TensorCall


def traceable(case: Case, body: Any, args: tuple[Any, ...]) -> bool:
    """Are these operands that the op takes? At least one an array of a native dtype with something in it."""
    if case.refused or not any(isinstance(item, np.ndarray) and item.size for item in args):
        return False
    if any(item.dtype not in TORCH for item in args if isinstance(item, np.ndarray)):
        return False
    try:
        with np.errstate(all="ignore"):
            body(Lane(), *args)
    except Exception:
        return False  # judged by the eager lane
    return True


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "case", [case for case in CASES if not {case.op, case.id} & NOT_TRACED.keys()], ids=lambda case: case.id
)
def test_bodies_trace(case: Case) -> None:
    runs = ((body, args) for _, body, args in expand(case) if traceable(case, body, args))
    body, args = next(runs, (None, ()))  # more operands would trace the same graph again
    if body is None:
        return
    ready = [to_tensor(item) for item in args]
    at = [place for place, item in enumerate(ready) if isinstance(item, torch.Tensor)]

    def run(*tensors: torch.Tensor) -> Any:
        operands = list(ready)
        for place, item in zip(at, tensors, strict=True):
            operands[place] = item
        return body(TensorLane(), *operands)

    tensors = [ready[place] for place in at]
    graph = make_fx(run, tracing_mode="fake", _allow_non_fake_inputs=True)(*tensors)
    for node in graph.graph.find_nodes(op="call_function", target=torch.ops.aten.sqrt.default):
        node.target = square_root  # as exact as kernels are, which torch's own, done at once, need not be
    graph.recompile()
    torch.testing.assert_close(graph(*tensors), run(*tensors), rtol=0, atol=0, equal_nan=True)
