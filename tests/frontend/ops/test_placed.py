"""Every op on fake tensors of a CUDA device (there need be none): bodies make things where operands lie."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.utils import _pytree as pytree

import npcompile.frontend.ops  # noqa: F401
from npcompile.frontend.ops.table import TORCH, Unsupported
from tests.cases import CASES, Case, expand
from tests.cases.eager import Call, Lane, to_tensor

MODE = FakeTensorMode(allow_non_fake_inputs=True)


def placed(value: Any) -> Any:
    """The operand with its tensors on the device."""
    if isinstance(value, torch.Tensor) and not isinstance(value, FakeTensor):
        with MODE:
            return torch.empty_strided(value.shape, value.stride(), dtype=value.dtype, device="cuda")
    return value


class PlacedCall(Call):
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        assert self.op is not None
        kwargs.pop("out", None)
        args, kwargs = pytree.tree_map(placed, pytree.tree_map(to_tensor, (args, kwargs), is_leaf=_whole))
        with MODE:
            result = self.op(*args, **kwargs)
        result = result[0] if self.op.checked else result
        if any(isinstance(item, torch.Tensor) for item in pytree.tree_leaves((args, kwargs))):
            for item in pytree.tree_leaves(result):
                assert not isinstance(item, torch.Tensor) or item.device.type == "cuda", f"on {item.device}"
        return result


class PlacedLane(Lane):
    call = PlacedCall


def _whole(value: Any) -> bool:
    return not isinstance(value, (tuple, dict))


def problem(body: Any, args: tuple[Any, ...]) -> str | None:
    """What is said of two devices where a body mixes them. What needs a real device is not judged here."""
    try:
        body(PlacedLane(), *args)
    except AssertionError as wrong:
        return None if "Torch not compiled" in str(wrong) else str(wrong)
    except Unsupported:
        return None
    except Exception as error:
        return str(error) if "same device" in str(error) else None
    return None


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_what_a_body_makes_lies_with_its_operands(case: Case) -> None:
    seen: set[Any] = set()
    for label, body, args in expand(case):
        arrays = [item for item in args if isinstance(item, np.ndarray)]
        kinds = tuple(map(type, args))
        if kinds in seen or case.refused or not any(item.size for item in arrays):
            continue  # other operands of the same types are placed in the same way
        if any(item.dtype not in TORCH for item in arrays):
            continue
        seen.add(kinds)
        assert (wrong := problem(body, args)) is None, f"{label}: {wrong}"
