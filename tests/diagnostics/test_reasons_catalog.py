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
from tests.programs import reasons_of_programs
from tests.programs.reasons_of_ops import EAGER, EXPRESSIONS

PROGRAMS = {
    name.rstrip("_").upper(): function
    for name, function in vars(reasons_of_programs).items()
    if isinstance(function, types.FunctionType) and function.__code__.co_varnames[:3] == ("x", "o", "s")
}
# Causes that none of these programs has: those of the compiler, of a device, of time and of faults, which
# other tests inject, and some of recordings. A cause that gets a program leaves the list.
WITHOUT_PROGRAM = frozenset(
    """
    NO_PYTHON_FUNCTION SUSPENDS LAMBDA NESTED_TOO_DEEPLY TOO_MUCH_SOURCE UNUSUAL_SUPER NO_SOURCE
    SOURCE_FROM_INPUT NO_SOURCE_FILE SOURCE_NOT_PARSED SOURCE_CHANGED OTHER_SOURCE TWO_LAMBDAS
    MADE_WHILE_RECORDED TYPE_STATEMENT MAY_RAISE_AFTER_EFFECT LOOP_OVER_GIVEN OWN_LOOP_TOO_LONG
    LOOP_TOO_LONG TOO_MANY_STEPS TOO_SLOW TAKEN_APART ARRAY_UNKNOWN NUMBER_UNKNOWN OBJECT_UNKNOWN
    ARRAY_AS_NUMBER IS_ON_TUPLES IS_ON_TWICE_GIVEN OPERATOR_ON_TRACED IN_PLACE_UNKNOWN POWER_IN_PLACE
    NOT_NUMBERS BUILTIN_OF_ARRAY BUILTIN_OF ITEMS_NOT_FOLLOWED ORDER_OF_TRACED OBJECT_TO_TEXT
    TRACED_TO_TEXT TEXT_OF_ONE ATTRIBUTE ATTRIBUTE_METHOD ATTRIBUTE_BY_CLASS ATTRIBUTE_OF_CLASS
    ATTRIBUTE_OF_SUPER MEMBER HASATTR_BY_CLASS SAID_CLASS PROTOCOL PARTIAL_GIVEN CLOSURE_VARIABLE
    STORE_TO_ATTRIBUTE STORE_AFTER_WHOLE WHOLE_AFTER_STORE STORE_TO_CLOSURE STORE_OF_SHARED LIST_STORED
    COPYTO_OTHER_MASK COPYTO_NOT_NATIVE STORED_NOT_NATIVE CONTAINER_CONTENTS CONTAINER_MAY_HAVE_CHANGED
    KEY_MAY_HAVE_CHANGED CONTENTS_MAY_CHANGE IN_DICT READ_AFTER_APPEND GROWING_SET SHARED_IN_OBJECT
    SHARED_STORED DEFAULTDICT GIVEN_TWICE EFFECT OP_GAVE CALLS WITHIN NOT_WHOLE WRITES ANSWERS_OTHERWISE
    RESIZE OUT_NOT_NATIVE SEVERAL_DEVICES NO_ORDER MEMMAP_ANSWERED MEMMAP_TO_TEXT MEMMAP_MEMBER
    MEMMAP_HANDED_ON MEMMAPS_WRITTEN UNUSUAL_WRITE_DTYPE NOT_THERE SHARED_ON_DEVICE NOT_AN_OP
    NUMPYS_ORDER FIELD_COPIED NO_KERNEL MASK_AMONG_OTHERS MASK_SHAPE MASK_VALUES LAST_VALUE_STAYS
    VALUES_KIND KEYS_DTYPES NO_OP NUMPYS_OWN NO_INDEX_OP COMPACTED PYTHONS_OWN LITTLE_EACH_TRIP LITTLE
    SLOWER CHANGES_OR_LITTLE CALLS_COMPILED MAKES_FUNCTION UNBINDS IMPORT_STATEMENT DRAWS
    STORES_INTO_OBJECT DEPENDS_ON_TRIP OTHER_SIZES NOT_RECORDED NO_SIGNATURE SIGNATURES WAYS OTHER_WAYS
    OF_NO_USE OTHER_LENGTHS NUMPY_FASTER SHORT_LIVED REPLAY_RAISED TRACED ERRSTATE_AROUND INTERNAL_ERROR
    TORN NO_COMPILER COMPILER_FAILED COMPILATION_FAILED NO_SPACE NOT_LOADED NO_MEMORY NOT_IN_FOLDER
    NO_THREAD DIED DIED_NO_SPACE DIED_TOO_OFTEN NO_ANSWER COMPILE_SECONDS
    """.split()
)


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
    run(getattr(of_ops, cause), operands)
    assert cause in reached


@pytest.mark.parametrize("cause", EAGER)
def test_an_eager_call_is_refused_for_this_cause(cause: str, reached: set[str]) -> None:
    try:
        eval(EAGER[cause], {"np": np, "xp": xp, "e": xp.asarray(np.arange(4.0))})
    except (TypeError, ValueError):
        pass
    assert cause in reached


@pytest.mark.parametrize("cause", PROGRAMS)
def test_a_program_has_this_cause(cause: str, reached: set[str]) -> None:
    run(PROGRAMS[cause], objects)
    assert cause in reached


def test_every_cause_has_a_program_or_is_listed() -> None:
    with_program = {*EXPRESSIONS, *EAGER, *PROGRAMS}
    assert with_program.isdisjoint(WITHOUT_PROGRAM)
    assert with_program | WITHOUT_PROGRAM == set(Cause.__members__)


def test_a_reason_is_shown_with_its_places() -> None:
    reason = Cause.LOOP_OVER("file").at(Place("a.py", 3), "b.py:7")
    assert reason.located == "a.py:3: a loop over a file (at b.py:7)"
    assert str(reason.at(None)) == "a loop over a file (at b.py:7)"
    assert (reason.code, reason.detail) == (Cause.LOOP_OVER, ("file",))


def test_the_advice_of_a_detail_comes_first_where_it_has_one() -> None:
    assert Cause.NO_OP(Cause.DTYPE("object")).advice == Cause.DTYPE.advice
    assert Cause.OUT_NOT_NATIVE_AS(Cause.DTYPE("object")).advice == Cause.OUT_NOT_NATIVE_AS.advice
    assert Cause.MASK_BY_NUMPY(Cause.NO_INDICES()).advice == Cause.MASK_BY_NUMPY.advice
