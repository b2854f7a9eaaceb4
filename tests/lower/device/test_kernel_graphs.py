"""Segments whose inputs lie in the same places again are launched as one graph: same values, own memory."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import pytest
import torch

from npcompile.diagnostics.stats import Stats
from npcompile.lower.device import graphs, memory, transfers
from npcompile.lower.device.kernel_graphs import MET, MOST_CAPTURED, KernelGraphs, graphed
from npcompile.lower.plan.values import Value
from tests.programs.taped_graphs import TapedGraphs


@pytest.fixture
def capturer(monkeypatch: pytest.MonkeyPatch) -> Iterator[TapedGraphs]:
    found = TapedGraphs()
    monkeypatch.setattr(graphs.using, "capturer", found)
    yield found


class Work:
    """A kernel that counts its calls."""

    def __init__(self, function: Callable[..., list[torch.Tensor]]) -> None:
        self.function, self.calls = function, 0

    def __call__(self, *tensors: torch.Tensor) -> list[torch.Tensor]:
        self.calls += 1
        return self.function(*tensors)


def statistics(x: torch.Tensor) -> list[torch.Tensor]:
    return [x * 2, x.sum(), (x > 1).any()]


def warm(kernel: KernelGraphs, *tensors: torch.Tensor) -> None:
    for _ in range(MET + 1):
        kernel(*tensors)


def test_a_graph_answers_what_the_kernel_answers(capturer: TapedGraphs) -> None:
    work, x = Work(statistics), torch.arange(5.0)
    kernel = KernelGraphs(work, [1, 2])
    warm(kernel, x)
    calls = work.calls
    x.add_(3)
    doubled, total, some = kernel(x)
    assert work.calls == calls and capturer.launches == 1
    assert torch.equal(doubled, x * 2)
    assert total.item() == 25.0 and total.dtype == torch.float32 and some.item() is True


def test_launches_of_graphs_are_counted(capturer: TapedGraphs) -> None:
    kernel, x, stats = KernelGraphs(statistics, [1, 2]), torch.arange(5.0), Stats()
    with transfers.counting(stats):
        warm(kernel, x)
        assert kernel(x) and kernel(x)
    assert stats.segment_graphs == capturer.launches == 2


def test_results_stay_when_a_graph_is_launched_again(capturer: TapedGraphs) -> None:
    x = torch.arange(5.0)
    kernel = KernelGraphs(statistics, [1, 2])
    warm(kernel, x)
    first = kernel(x)
    x.zero_()
    second = kernel(x)
    assert capturer.launches == 2
    assert torch.equal(first[0], torch.arange(5.0) * 2) and first[1].item() == 10.0
    assert torch.equal(second[0], x) and second[1].item() == 0.0


def test_inputs_in_other_places_do_not_take_the_graph(capturer: TapedGraphs) -> None:
    kernel, x, y = KernelGraphs(statistics, [1, 2]), torch.arange(5.0), torch.ones(5)
    warm(kernel, x)
    assert kernel(y)[1].item() == 5.0
    assert capturer.launches == 0


def test_results_on_an_inputs_memory_are_left_to_the_kernel(capturer: TapedGraphs) -> None:
    kernel, x = KernelGraphs(lambda t: [t[1:], t * 2], []), torch.arange(5.0)
    warm(kernel, x)
    view, _ = kernel(x)
    assert capturer.launches == 0 and view.data_ptr() == x[1:].data_ptr()


def test_what_cannot_be_captured_is_tried_once(capturer: TapedGraphs) -> None:
    def looks(x: torch.Tensor) -> list[torch.Tensor]:
        transfers.crosses("a number")
        return [x + 1]

    work = Work(looks)
    kernel, x = KernelGraphs(work, []), torch.arange(5.0)
    for _ in range(3 * MET):
        assert torch.equal(kernel(x)[0], x + 1)
    assert work.calls == 3 * MET + 1


def test_captured_work_contains_no_graph(capturer: TapedGraphs) -> None:
    kernel, x = KernelGraphs(statistics, [1, 2]), torch.arange(5.0)
    warm(kernel, x)
    with transfers.forbidden():
        assert torch.equal(kernel(x)[0], x * 2)
    assert capturer.launches == 0


def test_places_that_change_at_each_call_end_captures(capturer: TapedGraphs) -> None:
    work = Work(statistics)
    kernel = KernelGraphs(work, [1, 2])
    kept = [torch.arange(5.0) + i for i in range(MOST_CAPTURED + 2)]
    for x in kept:
        warm(kernel, x)
    assert work.calls == len(kept) * (MET + 1) + MOST_CAPTURED
    assert all(kernel(x)[1].item() == x.sum().item() for x in kept)


def test_graphs_are_released_with_the_devices_memory(capturer: TapedGraphs) -> None:
    kernel, x = KernelGraphs(statistics, [1, 2]), torch.arange(5.0)
    warm(kernel, x)
    memory.release()
    kernel(x)
    assert capturer.launches == 0


def test_another_thread_meanwhile_calls_the_kernel(capturer: TapedGraphs) -> None:
    kernel, x = KernelGraphs(statistics, [1, 2]), torch.arange(5.0)
    warm(kernel, x)
    found: list[float] = []
    with kernel._lock:
        thread = threading.Thread(target=lambda: found.append(kernel(x)[1].item()))
        thread.start()
        thread.join(10)
    assert found == [10.0] and capturer.launches == 0


ARRAY = Value("array", torch.float32, (8,), (1,), device="cuda")
NUMBER = Value("scalar", torch.float32)


@pytest.mark.parametrize(
    ("source", "kernels", "outputs", "pays"),
    [
        ("", 4, [ARRAY], True),
        ("", 2, [NUMBER, NUMBER], True),
        ("extern_kernels.mm(a)\nextern_kernels.mm(b)", 2, [ARRAY], True),
        ("# extern_kernels.mm(a)", 3, [ARRAY], False),
        ("", 1, [ARRAY], False),
        ("torch.ops.aten.sort.default(a)", 4, [ARRAY], False),
        ("aten = torch.ops.aten\n", 4, [ARRAY], True),
        ("inductor_seeds(2)", 4, [ARRAY], False),
        ("", 4, [Value("array", torch.float32, (1 << 24,), (1,))], False),
    ],
)
def test_graphs_are_for_several_kernels(source: str, kernels: int, outputs: list[Value], pays: bool) -> None:
    found = graphed(statistics, source, kernels, [ARRAY], outputs)
    assert isinstance(found, KernelGraphs) == pays
