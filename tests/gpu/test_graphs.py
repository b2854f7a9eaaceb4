"""CUDA graphs are captured while garbage waits that must not be collected then."""

from __future__ import annotations

import gc

import pytest
import torch

from npcompile.lower.device.graphs import using

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")

DEVICE = torch.device("cuda")


def _garbage() -> None:
    """Leave graphs in cycles: when they die while another one is captured, CUDA ends the process."""
    for _ in range(20):
        launch = using.capturer.capture(DEVICE, lambda: torch.zeros(3, device=DEVICE).add_(1))
        launch()
        cycle: list[object] = [launch]
        cycle.append(cycle)


def test_no_garbage_is_collected_while_work_is_captured() -> None:
    found = torch.zeros(3, device=DEVICE)
    thresholds = gc.get_threshold()
    collections: list[int] = []

    def work() -> None:
        before = gc.get_stats()[0]["collections"]
        objects = [[] for _ in range(10_000)]
        found.add_(len(objects))
        collections.append(gc.get_stats()[0]["collections"] - before)

    gc.disable()
    _garbage()
    gc.set_threshold(100, 1, 1)
    gc.enable()
    try:
        launch = using.capturer.capture(DEVICE, work)
    finally:
        gc.set_threshold(*thresholds)
    launch()
    assert collections == [0]
    assert gc.isenabled()
    assert found.tolist() == [10_000.0] * 3
