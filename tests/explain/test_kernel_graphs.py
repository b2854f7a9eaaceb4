"""`explain` says of each kernel on a device how often it was launched as a CUDA graph, or why it never is."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import fx

from npcompile.explain.programs import Kernel, graph_of
from npcompile.lower.device import graphs, transfers
from npcompile.lower.device.kernel_graphs import MET, MOST_CAPTURED, KernelGraphs
from npcompile.lower.device.segment_kernel import SegmentKernel
from tests.programs.taped_graphs import TapedGraphs


@pytest.fixture(autouse=True)
def capturer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graphs.using, "capturer", TapedGraphs())


def called(run: Any, tensors: list[torch.Tensor]) -> str:
    """Return what is said of a kernel that has been called with each of these tensors a few times."""
    kernel = SegmentKernel(fx.Graph(), run)
    for tensor in tensors:
        for _ in range(MET + 3):
            kernel(tensor)
    return graph_of(kernel)


def doubled(x: torch.Tensor) -> list[torch.Tensor]:
    return [x * 2, x + 1]


def looking(x: torch.Tensor) -> list[torch.Tensor]:
    transfers.crosses("a number is read")
    return [x + 1]


def test_launches_are_counted() -> None:
    assert called(KernelGraphs(doubled, []), [torch.ones(3)]) == "launched as one CUDA graph 2 times"


def test_a_reason_is_given_where_there_is_no_graph() -> None:
    of_one = "no CUDA graph: a result lies in the memory of an argument, or of another result"
    assert called(KernelGraphs(lambda x: [x[1:], x + 1], []), [torch.ones(3)]) == of_one
    assert called(KernelGraphs(looking, []), [torch.ones(3)]) == "no CUDA graph: a number is read"


def test_arguments_that_never_stay_in_their_places_are_told() -> None:
    kernel = KernelGraphs(doubled, [])
    places = [torch.ones(3) for _ in range(MOST_CAPTURED)]
    for tensor in places:
        for _ in range(MET + 1):
            kernel(tensor)
    assert graph_of(SegmentKernel(fx.Graph(), kernel)) == (
        "no CUDA graph: its arguments lie in other places again and again"
    )


def test_nothing_is_said_of_other_kernels() -> None:
    assert called(doubled, [torch.ones(3)]) == graph_of(None) == graph_of(doubled) == ""
    assert graph_of(SegmentKernel(fx.Graph(), KernelGraphs(doubled, []))) == ""


def test_a_kernels_line_has_it() -> None:
    kernel = Kernel(1, (2,), 5, 80, None, 0.5, False, "triton", "", "", 0, None, graph="launched as one")
    assert str(kernel) == "kernel 1: 5 kernels, writes 80 bytes, Triton, compiled in 500 ms, launched as one"
