"""Arrays on several devices in one call: an error that names the devices.

No GPU is needed, as the arrays have no values.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import npcompile
from npcompile.frontend.eager.ndarray import ndarray
from npcompile.lower import adapter

# torch prepares each GPU that a tensor names, if there is any.
pytestmark = pytest.mark.skipif(torch.cuda.device_count() == 1, reason="needs two GPUs, or none")

CALLS: list[Callable[[Any, Any], Any]] = [
    lambda a, b: a + b,
    lambda a, b: np.concatenate([a, b]),
    lambda a, b: a @ b,
    lambda a, b: np.add(a, b, out=a),
]


def on(device: str) -> Any:
    with adapter.fake_mode():
        return ndarray._of_tensor(torch.empty(3, device=device))


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("jitted", [False, True])
def test_the_devices_are_named(call: Callable[[Any, Any], Any], jitted: bool) -> None:
    function: Any = npcompile.jit(call) if jitted else call
    with pytest.raises(ValueError, match=r"several devices \(cuda:0, cuda:1\): move them to one"):
        function(on("cuda:0"), on("cuda:1"))
