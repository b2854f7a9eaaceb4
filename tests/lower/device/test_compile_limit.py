"""A compilation for a device that takes too long ends, and those behind it go on."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from npcompile.diagnostics.settings import config
from npcompile.lower import adapter
from npcompile.lower.device import cuda
from npcompile.lower.plan.attributes import annotate, set_results
from npcompile.lower.plan.values import Value


@pytest.fixture
def hanging(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[threading.Event]]:
    """Have compilations wait for these events, one each; the compiler has one second for the first."""
    waits: list[threading.Event] = []
    begun = []

    def compile_device(*_: Any) -> Any:
        begun.append(1)
        monkeypatch.setattr(config, "compile_seconds", 600.0)
        waits[len(begun) - 1].wait()
        return SimpleNamespace(run=len, source="kernel", kernels=1)

    monkeypatch.setattr(adapter, "compile_device", compile_device)
    monkeypatch.setattr(config, "compile_seconds", 1.0)
    monkeypatch.setattr(cuda, "_jobs", {})
    yield waits
    for event in waits:
        event.set()


def graph_of(length: int) -> torch.fx.Graph:
    """Return a graph of one array of that length, which is its answer."""
    graph = torch.fx.Graph()
    array = graph.placeholder("x")
    value = Value("array", torch.float64, (length,), (1,))
    annotate(array, "input", value)
    set_results(graph, (array,), [value])
    return graph


def test_a_compilation_that_takes_too_long_ends(hanging: list[threading.Event]) -> None:
    hanging += [threading.Event(), threading.Event()]
    hanging[1].set()
    slow, next_one = cuda.submit(graph_of(3)), cuda.submit(graph_of(4))
    slow.wait()
    next_one.wait()
    assert slow.kernel is None and "1 seconds" in str(slow.error)
    assert next_one.error is None and next_one.kernel is not None and next_one.kernel.run is len
    hanging[0].set()  # it comes to an end after all: nobody waits for it any more
    third = threading.Event()
    third.set()
    hanging.append(third)
    last = cuda.submit(graph_of(5))
    last.wait()
    assert last.kernel is not None and last.kernel.run is len and slow.kernel is None
