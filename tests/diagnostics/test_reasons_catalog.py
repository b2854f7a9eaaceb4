"""The catalog of causes: each has a program that reaches it, or stands in a list that only gets shorter."""

from __future__ import annotations

import importlib.util
import types
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import npcompile
import npcompile.numpy as xp
from npcompile.diagnostics.reason import Cause, Place, Reason
from npcompile.frontend.ops.sorting import DESCENDING
from tests.programs import reasons_of_plans, reasons_of_programs, reasons_of_values
from tests.programs.reasons_of_calls import CALLS
from tests.programs.reasons_of_ops import EAGER, EXPRESSIONS
from tests.programs.reasons_of_sources import FUNCTIONS

PROGRAMS = {
    name.rstrip("_").upper(): function
    for group in (reasons_of_programs, reasons_of_values, reasons_of_plans)
    for name, function in vars(group).items()
    if isinstance(function, types.FunctionType) and function.__code__.co_varnames[:3] == ("x", "o", "s")
}
# Causes that none of these programs has, by the reason. A cause that gets a program leaves the list.
WITHOUT_PROGRAM = {
    "other tests inject these faults: tests/frontend/boundary, tests/lower/service": """
        INTERNAL_ERROR TORN REPLAY_RAISED NO_COMPILER COMPILER_FAILED COMPILATION_FAILED
        NO_SPACE NOT_LOADED NO_MEMORY NOT_IN_FOLDER NO_THREAD DIED DIED_NO_SPACE DIED_TOO_OFTEN
        NO_ANSWER COMPILE_SECONDS NO_KERNEL PROCESS_ENDS
    """,
    "a clock decides, which the environment of tests holds: tests/tiering": """
        TOO_SLOW SLOWER LITTLE OTHER_LENGTHS NUMPY_FASTER HOST_FASTER SHORT_LIVED
    """,
    "a device is needed: tests/runtime/test_device_copies.py": """
        NO_DEVICE_MEMORY SEVERAL_DEVICES SHARED_ON_DEVICE ON_DEVICE
    """,
    "several processes are needed: tests/runtime/test_mesh.py": """
        GATHERED NOT_SPLIT MESH_ENDED
    """,
    "this Python has no such statement": """
        TYPE_STATEMENT
    """,
    "Python tells two lambdas apart by their columns, unless it runs without them": """
        TWO_LAMBDAS
    """,
    "an invariant of the planner, of the rewriter or of a rewrite of NumPy's that is checked": """
        NOT_THERE MADE_WHILE_RECORDED NOT_RECORDED CLOSURE_VARIABLE ANSWERS_OTHERWISE
    """,
    "a shape-generic program is needed, which several calls lead to": """
        GROWING_SET VARYING_TEXT
    """,
    "another library is needed: tests/ecosystem": """
        TABLE DASK_ARRAY FOREIGN_ARRAY
    """,
    "matrices of megabytes, or thousands of steps, are needed": """
        TWO_PRODUCTS PRODUCTS_NEXT TOO_MANY_STEPS NESTED_TOO_DEEPLY OWN_LOOP_TOO_LONG
    """,
    "another cause comes first in each program that was tried": """
        ARRAY_UNKNOWN NUMBER_UNKNOWN ARRAY_AS_NUMBER IS_ON_TWICE_GIVEN IN_PLACE_UNKNOWN
        POWER_IN_PLACE ATTRIBUTE_METHOD OP_GAVE NO_INDEX_OP PICKED_COUNT_SHAPES PICKED_MORE_AXES
        CHANGES_OR_LITTLE IMPORT_STATEMENT
    """,
}


@pytest.fixture
def reached(monkeypatch: pytest.MonkeyPatch) -> Iterator[set[str]]:
    """Collect the names of the causes of which reasons are made."""
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    found: set[str] = set()
    make = Cause.__call__

    def noting(cause: Cause, *detail: Any) -> Reason:
        found.add(cause.name)
        assert all(isinstance(part, str | int | Reason) for part in detail), detail
        reason = make(cause, *detail)
        assert "{}" not in str(reason) and reason.advice
        return reason

    monkeypatch.setattr(Cause, "__call__", noting)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield found


def run(function: Callable[..., Any], arguments: Callable[[], tuple[Any, ...]]) -> None:
    """Call and explain a function under the compiler; it may raise."""
    jitted = npcompile.jit(function, wait=True)
    for _ in range(2):
        try:
            jitted(*arguments())
        except Exception:
            pass
    try:
        str(npcompile.explain(jitted, *arguments()))
    except Exception:
        pass


@pytest.fixture(scope="module")
def of_ops(tmp_path_factory: pytest.TempPathFactory) -> types.ModuleType:
    """A module with a function for each expression."""
    file = tmp_path_factory.mktemp("ops") / "ops.py"
    functions = [f"def {name}(x, i, c, m, a):\n    return {text}\n" for name, text in EXPRESSIONS.items()]
    file.write_text("\n\n".join(["import numpy as np\nimport scipy.special\n", *functions]))
    return module(file)


def module(file: Path) -> types.ModuleType:
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def operands() -> tuple[Any, ...]:
    x = np.arange(1.0, 5.0)
    return x, np.array([2, 0, 1, 1]), x + 1j, x > 2, x.reshape(2, 2).copy()


def objects() -> tuple[Any, ...]:
    x = np.arange(1.0, 5.0)
    return x, reasons_of_programs.Argument(x), [x, x + 1]


@pytest.mark.parametrize("cause", EXPRESSIONS)
def test_an_op_refuses_a_call_for_this_cause(cause: str, of_ops: types.ModuleType, reached: set[str]) -> None:
    if cause == "KEYWORD_UNKNOWN" and DESCENDING:
        pytest.skip("this NumPy knows the keyword")
    run(getattr(of_ops, cause), operands)
    assert cause in reached


@pytest.mark.parametrize("cause", EAGER)
def test_an_eager_call_is_refused_for_this_cause(cause: str, reached: set[str]) -> None:
    try:
        eval(EAGER[cause], {"np": np, "xp": xp, "e": xp.asarray(np.arange(4.0)), "o": xp.ones((1,) * 28)})
    except (IndexError, TypeError, ValueError):
        pass
    assert cause in reached


@pytest.mark.parametrize("cause", PROGRAMS)
def test_a_program_has_this_cause(cause: str, reached: set[str]) -> None:
    run(PROGRAMS[cause], objects)
    assert cause in reached


@pytest.mark.parametrize("cause", FUNCTIONS)
def test_a_function_has_this_cause(cause: str, tmp_path: Path, reached: set[str]) -> None:
    run(FUNCTIONS[cause](tmp_path), lambda: (np.arange(1.0, 5.0),))
    assert cause in reached


@pytest.mark.parametrize("cause", CALLS)
def test_calls_have_this_cause(cause: str, reached: set[str]) -> None:
    CALLS[cause]()
    assert cause in reached


def test_every_cause_has_a_program_or_is_listed() -> None:
    listed = [cause for causes in WITHOUT_PROGRAM.values() for cause in causes.split()]
    tables = [*EXPRESSIONS, *EAGER, *PROGRAMS, *FUNCTIONS, *CALLS, *listed]
    assert sorted(tables) == sorted(Cause.__members__)


def test_a_reason_is_shown_with_its_places() -> None:
    reason = Cause.LOOP_OVER("file").at(Place("a.py", 3), "b.py:7")
    assert reason.located == "a.py:3: a loop over a file (at b.py:7)"
    assert str(reason.at(None)) == "a loop over a file (at b.py:7)"
    assert (reason.code, reason.detail) == (Cause.LOOP_OVER, ("file",))


def test_the_advice_of_a_detail_comes_first_where_it_has_one() -> None:
    assert Cause.NO_OP(Cause.DTYPE("object")).advice == Cause.DTYPE.advice
    assert Cause.OUT_NOT_NATIVE_AS(Cause.DTYPE("object")).advice == Cause.OUT_NOT_NATIVE_AS.advice
    assert Cause.MASK_BY_NUMPY(Cause.NO_INDICES()).advice == Cause.MASK_BY_NUMPY.advice
