"""docs/coverage.md is what the command measures now; and what measures it notices NumPy at work."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

import npcompile.numpy
from npcompile.frontend.eager.ndarray import asarray, ndarray
from tests.coverage.__main__ import main
from tests.coverage.measure import Example, Verdict, judge
from tests.coverage.page import PAGE, VERSION


@pytest.mark.slow
def test_the_page_is_current_and_no_answer_is_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    if f"was made with: {VERSION}." not in PAGE.read_text():
        pytest.skip(f"the page was made with another NumPy than {VERSION}")
    status = main(["--check"])
    assert status == 0, capsys.readouterr().out


def verdict(ours: Callable[[Any], Any], numpys: Callable[[Any], Any] = numpy.cbrt) -> Verdict:
    """What is said of a function that is `numpys` under NumPy and `ours` under the shim."""

    def run(np: Any, args: tuple[Any, ...]) -> Any:
        return ours(*args) if np is npcompile.numpy else numpys(*args)

    found = Verdict()
    judge(found, Example(run, lambda: (numpy.array([1.0, 8.0, 27.0]),), 4, 0.0))
    return found


def test_an_op_is_native() -> None:
    assert verdict(npcompile.numpy.cbrt).native == 1


def test_a_counted_host_call_is_none() -> None:
    assert (
        verdict(lambda a: npcompile.numpy.real(asarray([2.5]).item()), lambda a: numpy.real(2.5)).native == 0
    )


@pytest.mark.parametrize(
    "hidden",
    [
        lambda a: asarray(numpy.cbrt(a._layout)),  # a ufunc: no profile function sees it
        lambda a: asarray(numpy.cbrt(numpy.asarray(a))),
        lambda a: asarray(numpy.cbrt(a._tensor.numpy())),
        lambda a: _written(a),
    ],
    ids=["layout", "conversion", "tensor", "out"],
)
def test_numpy_at_work_is_noticed_though_nobody_counted_it(hidden: Callable[[Any], Any]) -> None:
    found = verdict(hidden)
    assert (found.native, found.wrong) == (0, [])
    assert found.host


def _written(a: ndarray) -> ndarray:
    numpy.cbrt(a._layout, out=a._layout)
    return a


def test_numpy_making_an_array_of_numbers_is_noticed() -> None:
    found = verdict(lambda a: asarray(numpy.linspace(0, 1, 5)), lambda a: numpy.linspace(0, 1, 5))
    assert list(found.host) == ["numpy._core.function_base.linspace"]


def test_a_wrong_answer_is_wrong() -> None:
    assert verdict(npcompile.numpy.sqrt).how == "wrong"
    assert verdict(lambda a: asarray(numpy.cbrt(a._layout).astype("f4"))).how == "wrong"
