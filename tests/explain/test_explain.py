"""`npcompile.explain`: each step's line and what it became, blocks, guards, reasons, recompilations."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile.diagnostics.reason import Cause
from npcompile.frontend.passes.order import PASSES


@pytest.fixture(autouse=True)
def interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is explained is the plan; one test below has it compiled."""
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")


def line_of(fn: Callable[..., Any], text: str) -> int:
    """The line of the file on which a function says this."""
    lines, first = inspect.getsourcelines(fn)
    return next(first + place for place, line in enumerate(lines) if text in line)


def became(explanation: npcompile.Explanation) -> list[str]:
    return [step.became for step in explanation.steps]


def kmeans(X, means):
    return np.argmin(np.linalg.norm(X - means[:, None], axis=2), axis=0)


def test_the_kernel_with_its_source_and_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NPCOMPILE_BACKEND")
    points = np.random.default_rng(0).normal(size=(1000, 2))
    jitted = npcompile.jit(kmeans)
    found = npcompile.explain(jitted, points, points[:2].copy())

    assert (found.result == kmeans(points, points[:2])).all()
    (program,) = found.programs
    assert became(found) == ["guard", "view", "kernel", "kernel", "kernel"]
    assert {step.line for step in program.steps} == {line_of(kmeans, "argmin")}
    (kernel,) = program.kernels
    assert (kernel.kernels, kernel.bytes_written, kernel.form, kernel.error) == (1, 8000, "native", None)
    assert kernel.threads is not None and not kernel.ended
    assert "for(" in found.source
    assert found.copies == npcompile.explain(jitted, points, points[:2].copy()).copies
    assert found.copies.bytes_written == 8000
    assert not found.reasons and not found.strict_error and not found.recompilations
    assert found.seconds.numpy is not None and found.seconds.replay is not None
    # Only the two calls that were asked for count: timing does not.
    assert (jitted.stats.calls, jitted.stats.recordings, jitted.stats.replays) == (2, 1, 1)
    text = found.text("program")
    assert f"{line_of(kmeans, 'argmin')}  argmin = np.argmin(norm, axis=0)" in text
    assert "kernel 1: 1 kernel, writes 8 kB" in text and "times NumPy's speed" in text


def test_scalar_steps_reads_and_library_calls() -> None:
    matrix = np.eye(30)

    def mixed(x, n):
        h = 1.0 / (n - 1)
        return matrix @ (x * h)

    found = npcompile.explain(mixed, np.arange(30.0), 5)
    by_kind = {step.became: step for step in found.steps}
    assert by_kind["scalar step"].line == line_of(mixed, "h = ")
    assert by_kind["library call"].line == by_kind["kernel"].line == line_of(mixed, "return")
    assert "BLAS" in by_kind["library call"].detail
    assert by_kind["read"].text == "matrix = matrix"
    assert any("dtype" in guard.text for guard in found.guards)
    assert found.programs[0].kernels[0].ended == "matmul comes next, on the host"


def test_how_writes_were_planned() -> None:
    def edges(u, v):
        u[0] = v[0] * 2
        u[1:] += u[:-1]

    found = npcompile.explain(edges, np.arange(9.0), np.arange(9.0))
    first, second, third = [step for step in found.steps if "[...] =" in step.text]
    assert (first.line, first.became, first.kernel) == (line_of(edges, "u[0]"), "write in place", 1)
    assert (second.line, second.became) == (line_of(edges, "+="), "copy")
    assert "overlaps what the segment reads or writes" in second.detail
    assert (third.became, third.detail) == ("left out", "it is there already")  # `u[1:] += b` ends with it
    (program,) = found.programs
    assert [bool(kernel.ended) for kernel in program.kernels] == [True, True]
    assert program.has_effects
    assert found.seconds.why == "it has effects" and found.seconds.numpy is None
    assert "not timed: it has effects" in found.text("program")


def test_the_form_of_a_mask_and_why() -> None:
    def masked(x):
        m = x > 0
        y = x + 1
        y[m] = 0.0
        return y, x[m]

    found = npcompile.explain(masked, np.arange(-4.0, 4.0))
    forms = {step.line: step for step in found.steps if step.mask}
    stored, taken = forms[line_of(masked, "y[m]")], forms[line_of(masked, "return")]
    assert (stored.became, stored.mask) == ("kernel", "where")
    assert (taken.became, taken.mask) == ("host call", "compaction")
    assert "depends on the data" in taken.detail
    (hint,) = found.strict_error
    assert hint.where == f"line {line_of(masked, 'return')}" and "np.where" in hint.write


def test_values_for_the_places_of_a_mask_are_numpys_and_say_so() -> None:
    def scaled(x, m):
        y = x * 2
        y[m] = x[:2]
        return y

    found = npcompile.explain(scaled, np.arange(4.0), np.array([True, False, True, False]))
    step = next(step for step in found.steps if step.became == "host call")
    assert step.mask == "compaction" and "values for the places of a mask" in step.detail


def test_effects_happen_once_and_are_not_timed(capsys: pytest.CaptureFixture[str]) -> None:
    def loud(x):
        print("total", float(x.sum()))
        return x * 2

    jitted = npcompile.jit(loud)
    found = npcompile.explain(jitted, np.arange(3.0))
    assert capsys.readouterr().out == "total 3.0\n"
    opaque = next(step for step in found.steps if step.became == "opaque call")
    assert opaque.line == line_of(loud, "print")
    assert jitted.stats.calls == 1 and found.seconds.why == "it has effects"


def test_a_function_cut_into_blocks() -> None:
    def steps(u, n):
        v = u * 0.5
        for _ in range(n):
            v = v + 0.1 * (u - v)
        return v

    u = np.arange(20_000.0)
    jitted = npcompile.jit(steps)
    found = npcompile.explain(jitted, u, 40)
    assert found.seconds.numpy is not None  # it changes nothing, so it is timed
    assert jitted.stats.calls == 1
    assert not found.programs
    body = next(block for block in found.blocks if block.in_loop)
    line = line_of(steps, "0.1")
    assert (body.lines, body.takes, body.gives) == ((line, line), ("u", "v"), ("v",))
    assert body.way == "compiled body, driven trip by trip"
    assert [step.became for step in body.programs[0].steps] == ["kernel"] * 3
    assert "driven trip by trip" in found.text("program")
    assert {step.line for step in found.steps} == {line, line_of(steps, "v = u")}


def test_statements_left_to_python_with_the_reason() -> None:
    class Model:
        def __init__(self) -> None:
            self.u = np.ones(10_000)
            self.names = []

        def step(self, dt):
            self.u = self.u + dt * np.sin(self.u)
            self.names.extend([name for name in "ab" if name])

    model = Model()
    jitted = npcompile.jit(model.step)
    found = npcompile.explain(jitted, 0.1)
    assert found.name == "step" and found.blocks
    assert np.array_equal(model.u, np.ones(10_000) + 0.1 * np.sin(np.ones(10_000)))  # once
    kernels = {step.line for step in found.steps if step.became == "kernel"}
    assert line_of(Model.step, "np.sin") in kernels
    left = {part.lines[0] for part in found.left}
    assert left <= {line_of(Model.step, "names")}


def test_why_it_was_not_recorded_as_a_whole(capsys: pytest.CaptureFixture[str]) -> None:
    def late(x, y):
        print("late")
        if x.sum() > 0:
            y[1] = 2.0
        return y * 2

    found = npcompile.explain(late, np.arange(9000.0), np.zeros(9000))
    assert capsys.readouterr().out == "late\n"
    assert not found.all_programs and "decides after the call of print" in found.text("program")
    assert found.strict_error[0].where == f"line {line_of(late, 'if ')}"
    assert found.strict_error[0].write == "decide before the first write or print"


def test_what_decides_too_late_is_named() -> None:
    def drawn(x, rng):
        k = rng.permuted(np.arange(len(x)))
        y = x[k] * 2
        return y + 1 if y[0] > 1 else y

    found = npcompile.explain(drawn, np.arange(9000.0), np.random.default_rng(0))
    assert "each call calls permuted again, and what it gives decides" in found.text("program")


def test_what_decides_after_another_call_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    def drawn(x, rng):
        print("drawn")
        y = x[rng.permuted(np.arange(len(x)))] * 2
        return y + 1 if y[0] > 1 else y

    found = npcompile.explain(drawn, np.arange(9000.0), np.random.default_rng(0))
    assert capsys.readouterr().out == "drawn\n"
    assert "what permuted gave decides after the call of print" in found.text("program")


def test_uncompiled_functions_say_why_and_what_to_write() -> None:
    names: dict[str, Any] = {}
    exec("def hidden(x):\n    return x * 2", names)
    found = npcompile.explain(npcompile.jit(names["hidden"], strict=True), np.arange(3.0))
    assert not found.all_programs and "nothing of it is compiled" in found.text("program")
    (hint,) = found.strict_error
    assert hint.reason in found.reasons[0] and "source" in hint.reason
    assert hint.write == Cause.OTHER_SOURCE.advice and "`def`" in hint.write
    assert found.seconds.why == "nothing was compiled"


@pytest.mark.parametrize(
    ("args", "cause"),
    [
        ((np.ones((3, 2), "f4"), 1.0, True), "x: dtype float64, now float32"),
        ((np.ones((4, 2)), 1.0, True), "x: shape (3, 2), now (4, 2)"),
        ((np.ones((2, 3)).T, 1.0, True), "x: strides (16, 8), now (8, 24)"),
        ((np.ones((3, 2)), 1, True), "a: float, now int"),
        ((np.ones((3, 2)), 1.0, False), "flag: True, now False"),
        (([np.ones((3, 2))], 1.0, True), "x: float64[3, 2], now a list of 1"),
    ],
)
def test_another_signature_says_which_argument_differs(args: tuple[Any, ...], cause: str) -> None:
    @npcompile.jit
    def scaled(x, a, flag):
        return np.add(x, a) if flag else np.subtract(x, a)

    scaled(np.ones((3, 2)), 1.0, True)
    (again,) = npcompile.explain(scaled, *args).recompilations
    assert (again.kind, again.cause) == ("signature", cause)


def test_another_decision_says_which_guard() -> None:
    @npcompile.jit
    def chosen(x):
        if x.sum() > 0:
            return x * 2
        return x - 1

    chosen(np.arange(4.0))
    found = npcompile.explain(chosen, -np.arange(4.0))
    (again,) = found.recompilations
    assert again.kind == "decision" and len(found.programs) == 2
    assert f"line {line_of(chosen.__wrapped__, 'if ')}" in again.cause and "not" in again.cause


class Counting:
    def __init__(self) -> None:
        self.u, self.n, self.history = np.zeros(3), 0, []

    @npcompile.jit
    def step(self, x):
        self.u = self.u * 0.5 + x
        self.n += 1
        self.history.append(float(self.u[0]))
        return self.u


class Switched:
    def __init__(self) -> None:
        self.on, self.history = np.True_, []

    @npcompile.jit
    def step(self, x):
        self.history.append(self.on)
        self.history.append(np.True_)  # for both there is one object
        return x * 2


def test_a_decision_that_is_no_longer_made_is_not_set_beside_another() -> None:
    one = Switched()
    one.step(np.ones(3))
    Switched.step.wait()
    one.on = np.False_
    (again,) = npcompile.explain(one.step, np.ones(3)).recompilations
    line = line_of(Switched.step.__wrapped__, "np.True_")
    assert again.cause == f"line {line}: no longer on == np.True_"


def test_a_count_that_begins_at_0_is_no_decision() -> None:
    one = Counting()
    one.step(np.ones(3))
    Counting.step.wait()
    assert not npcompile.explain(one.step, np.ones(3)).recompilations


@pytest.mark.parametrize(
    "what", [None, 3, Counting, property(line_of)], ids=["None", "number", "class", "property"]
)
def test_what_is_no_function_is_refused(what: Any) -> None:
    jitted = Counting.step
    with pytest.raises(TypeError, match="takes a function"):
        npcompile.explain(what, np.ones(3))
    assert Counting.step is jitted and isinstance(vars(Counting)["__init__"], types.FunctionType)


def test_what_the_call_raises_is_raised() -> None:
    def fails(x):
        return x.reshape(7)

    with pytest.raises(ValueError, match="reshape"):
        npcompile.explain(fails, np.arange(3.0))


@pytest.mark.parametrize(
    "cause",
    [
        *(Cause.SIGNATURES, Cause.LOOP_TOO_LONG, Cause.DEPENDS_ON_TRIP, Cause.STORE_TO_ATTRIBUTE),
        *(Cause.DECIDES_AFTER, Cause.CAUGHT, Cause.GIVEN_DECIDES, Cause.COMPILE_SECONDS, Cause.SUSPENDS),
        *(Cause.SUBCLASS, Cause.TRACED_TO_TEXT, Cause.CALLED_AGAIN),
    ],
)
def test_common_causes_have_an_advice_of_their_own(cause: Cause) -> None:
    assert cause.advice != Cause.CLASS_STATEMENT.advice


def _into_list(u, n):
    for _ in range(n):
        u = u * 0.5
        SEEN.append(u)
    return u


def _into_global(u, n):
    v = OUTER
    for _ in range(n):
        v += u * 0.5
    return v


def _into_attribute(model, n):
    for _ in range(n):
        model.u = model.u * 0.5


def _by_call(u, n):
    for _ in range(n):
        u = u * 0.5
        sorted([n], key=SEEN.append)
    return u


SEEN: list[Any] = []
OUTER = np.zeros(20_000)


class Holder:
    def __init__(self) -> None:
        self.u = np.ones(20_000)


@pytest.mark.parametrize("fn", [_into_list, _into_global, _into_attribute, _by_call])
def test_what_has_effects_between_blocks_is_called_once(fn: Callable[..., Any]) -> None:
    SEEN.clear()
    OUTER[:] = 0
    first = Holder() if fn is _into_attribute else np.ones(20_000)
    found = npcompile.explain(fn, first, 3)
    assert found.seconds.numpy is None and "effects" in found.seconds.why
    assert len(SEEN) in (0, 3) and OUTER[0] in (0.0, 1.5)
    assert not isinstance(first, Holder) or first.u[0] == 0.125


def test_arguments_that_blocks_write_into_are_written_once() -> None:
    def grow(u, n):
        for _ in range(n):
            u += u * 0.5

    u = np.ones(20_000)
    found = npcompile.explain(grow, u, 2)
    assert found.seconds.numpy is not None
    assert u[0] == 2.25


def test_functions_that_python_between_blocks_calls() -> None:
    def rate(u):
        return np.sin(u) * 0.1

    def march(u, n):
        v = rate
        for _ in range(n):
            if n > 1:
                u = u + v(u)
        return u

    found = npcompile.explain(march, np.ones(20_000), 3)
    lines = {step.line for step in found.steps if step.became == "kernel"}
    assert line_of(rate, "np.sin") in lines


def test_what_is_no_python_function_is_called_and_said_to_be_none() -> None:
    found = npcompile.explain(np.sum, np.arange(3.0))
    assert found.result == 3.0 and not found.all_programs
    assert "is not a Python function" in found.reasons[0]
    assert found.strict_error[0].write == Cause.NO_PYTHON_FUNCTION.advice


def test_a_generator_that_was_not_run_has_blocks_that_were_not_reached() -> None:
    def doubled(x):
        yield x * 2

    found = npcompile.explain(doubled, np.arange(3.0))
    assert not found.all_programs and found.seconds.numpy is None
    assert all(block.way == "not reached by this call" for block in found.blocks)


def test_bound_methods_keywords_and_arguments_without_a_signature() -> None:
    class Scale:
        @npcompile.jit
        def by(self, x, factor=2.0):
            return x * factor

    scale = Scale()
    found = npcompile.explain(scale.by, np.arange(3.0), factor=3.0)
    assert found.programs[0].signature == "self: object, x: float64[3], factor: float"
    assert (found.result == np.arange(3.0) * 3).all()
    assert npcompile.explain(lambda x, key: x + 1, np.arange(3.0), bytearray()).result[0] == 1.0


def test_strides_are_in_the_signature() -> None:
    found = npcompile.explain(lambda x: x + 1, np.ones((4, 6))[:, ::2])
    assert found.programs[0].signature == "x: float64[4, 3] (strides 6, 2)"


def mean_of_picked(x):
    unused = x * 3.0  # noqa: F841
    return (x[x > 0.5] * 2.0).mean()


@pytest.mark.parametrize("known", [False, True])
def test_the_program_after_each_pass(known: bool) -> None:
    x = np.linspace(0.0, 1.0, 3000)
    jitted = npcompile.jit(mean_of_picked)
    if known:
        jitted(x)
    found = npcompile.explain(jitted, x, detail="passes")
    assert np.isclose(found.result, mean_of_picked(x))
    assert jitted.stats.calls == known  # the call was recorded by a jit of its own

    conditions = "every program", "programs that call NumPy"
    names = [one.name for one in PASSES if one.condition in conditions]
    assert [snapshot.after for snapshot in found.passes] == ["recording", *names]
    assert {snapshot.program for snapshot in found.passes} == {"mean_of_picked"}
    after = {snapshot.after: snapshot for snapshot in found.passes}
    assert "= x * 3.0" in after["lower masks"].text and "where=greater" not in after["recording"].text
    assert after["lower masks"].changed and "where=greater" in after["lower masks"].text
    assert after["drop unused steps"].changed and "= x * 3.0" not in after["drop unused steps"].text
    assert not after["prove bounds"].changed

    text = str(found)
    assert "mean_of_picked after lower masks (changed):\n    def mean_of_picked(x):" in text
    assert "mean_of_picked after prove bounds: no change" in text


def test_passes_are_shown_where_they_are_asked_for() -> None:
    assert npcompile.explain(mean_of_picked, np.linspace(0.0, 1.0, 30)).passes == ()


def test_each_pass_has_a_name_of_its_own_and_a_sentence() -> None:
    assert len({one.name for one in PASSES}) == len(PASSES)
    assert all(one.purpose.endswith(".") and one.purpose[0].isupper() for one in PASSES)
