"""Loops whose trips threads share do what Python does, with any number of threads and where one leaves."""

from __future__ import annotations

import ast
import builtins
import inspect
import os
import textwrap
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
import torch

from npcompile.frontend.loop_pipeline import TypedLoop, loop_source, typed_loop
from npcompile.frontend.loops.entry.values import type_of
from npcompile.frontend.loops.run.exchange import arrays_in
from npcompile.lower.loops.codegen.emitter import Exit
from tests.frontend.loops.native import assert_same, run_in_python
from tests.interrupts import interrupt_main

pytestmark = pytest.mark.usefixtures("native_runtime")
N = 60


def collatz(steps: Any, n: int) -> None:
    for i in range(n):
        x = i + 1
        k = 0
        while x != 1:
            x = 3 * x + 1 if x % 2 else x // 2
            k += 1
        steps[i] = k


def distances(d: Any, x: Any, n: int, m: int) -> None:
    for i in range(n):
        for j in range(n):
            t = 0.0
            for k in range(m):
                t += (x[i, k] - x[j, k]) * (x[i, k] - x[j, k])
            d[i, j] = np.sqrt(t)


def triangle(d: Any, x: Any, n: int) -> Any:
    for i in range(n - 1, 0, -1):
        for j in range(i):
            if x[j] % 3 == 0:
                last = j
            d[j, n - i] = x[i] * x[j]
    return last


def counted(x: Any, n: int) -> None:
    total = 0
    many = np.int32(7)
    for i in range(n):
        for j in range(n):
            if x[i] * x[j] % 7 == 3:
                total += 1
                many -= x[j]


def extremes(x: Any, y: Any, n: int) -> None:
    most = x[0]
    least = y[0]
    far = 5
    for i in range(n):
        row = 0.0
        for j in range(n):
            row += x[j] * i
            least = min(least, y[(i * j) % n], y[i])
            far = max(i * j % 97, far)
        most = max(most, x[i])


def viewed(a: Any, b: Any, n: int) -> None:
    for i in range(n):
        row = a[2 * i + 1]
        other = b.T
        for j in range(2 * n):
            row[j] = row[j] + other[i, j]
        a[2 * i, 1:] = a[2 * i, :-1] + row[1:]


def in_place(a: Any, n: int) -> None:
    for i in range(n):
        for j in range(1, n):
            a[i, j] = a[i, j - 1] * 0.5 + a[i, j]


def leaves(a: Any, x: Any, n: int) -> None:
    for i in range(n):
        for j in range(n):
            a[i, j] = a[i, j] + 1.0 / float(x[i])
            a[i, j] = a[i, j] + x[j]


def outside(a: Any, x: Any, n: int) -> None:
    for i in range(n):
        for j in range(n):
            a[i, j] = a[i, j] + 1.0
            a[i, x[i]] = a[i, x[i]] + x[j]


def sum_too_large(x: Any, n: int) -> None:
    total = 2**62
    for _ in range(n):
        for j in range(n):
            total += int(x[j]) * 2**49


def two_arrays(a: Any, b: Any, n: int) -> None:
    for i in range(1, n):
        for j in range(n):
            a[i, j] = b[i - 1, j] + 1.0


def of_types(a: Any, n: int) -> None:
    for i in range(n):
        found: Any = None
        for j in range(1, n):
            if a[i, j] > 0.97:
                found = j
            elif a[i, j] > 0.95:
                found = 0.5
        if found is not None:
            a[i, 0] = found


rng = np.random.default_rng(5)
square = rng.random((N, N))
ints = rng.integers(1, 9, N)
late = np.where(np.arange(N) == N - 9, 0, 1)


def strided(step: int) -> Any:
    """A square of which rows lie a few bytes apart."""
    memory = np.arange(N * (step // 8 + 1), dtype=float)
    return np.lib.stride_tricks.as_strided(memory, (N, N), (step, 8))


def views(shift: int) -> tuple[Any, Any, int]:
    """Two squares, one of which begins so many items after the other."""
    memory = np.arange(2.0 * N * N)
    return memory[: N * N].reshape(N, N), memory[shift : shift + N * N].reshape(N, N), N


def same(a: Any) -> tuple[Any, Any, int]:
    return a, a, N


# For each program: its arguments, if trips are shared, and if the loop is done to its end.
PROGRAMS: dict[str, tuple[Callable[..., Any], Callable[[], tuple[Any, ...]], bool, bool]] = {
    "collatz": (collatz, lambda: (np.zeros(300, int), 300), True, True),
    "distances": (distances, lambda: (np.zeros((N, N)), square.copy(), N, 3), True, True),
    "columns": (distances, lambda: (np.zeros((N, N)).T, square.copy()[::-1], N, 3), True, True),
    "triangle": (triangle, lambda: (np.zeros((N, N)), np.arange(N) % 17, N), True, True),
    "sums": (counted, lambda: (ints.astype("i4"), N), True, True),
    "extremes": (extremes, lambda: (ints - 30, ints * 7 % 31, N), True, True),
    "extremes of floats": (extremes, lambda: (late - 3.5, -late.astype("f4"), N), True, True),
    "extremes of NaNs": (extremes, lambda: (np.where(late > 1, np.nan, late), late * np.nan, N), True, True),
    "extremes of zeros": (extremes, lambda: (-late, np.where(ints % 7, 0.0, -0.0), N), True, True),
    "views": (viewed, lambda: (square.copy(), square.copy(), N // 2), True, True),
    "in place": (in_place, lambda: (square.copy(), N), True, True),
    "every other column": (in_place, lambda: (np.ones((N, 2 * N))[:, ::2], N), True, True),
    "a division that raises": (leaves, lambda: (square.copy(), late.copy(), N), True, False),
    "an index that raises": (outside, lambda: (square.copy(), late * 999 - 999, N), True, False),
    "a sum that is too large": (sum_too_large, lambda: (ints.copy(), N), True, False),
    "two arrays": (two_arrays, lambda: views(N * N), True, True),
    "names of types": (of_types, lambda: (square.copy(), N), True, True),
    "one array": (two_arrays, lambda: same(square.copy()), False, True),
    "arrays that overlap": (two_arrays, lambda: views(5), False, True),
    "items in common": (in_place, lambda: (strided(8), N), False, True),
}


class Program:
    """A program's first loop, compiled, with the values that it is to have."""

    def __init__(self, name: str) -> None:
        self.function, self.make, self.is_shared, self.is_done = PROGRAMS[name]
        tree = ast.parse(textwrap.dedent(inspect.getsource(self.function))).body[0]
        assert isinstance(tree, ast.FunctionDef)
        place = next(place for place, node in enumerate(tree.body) if isinstance(node, ast.For))
        self.node = tree.body[place]
        assert isinstance(self.node, ast.For)
        self.parameters = [arg.arg for arg in tree.args.args]
        self.before = compile(ast.Module(tree.body[:place], []), "before", "exec")
        self.source = loop_source(self.node)
        assert self.source is not None
        given = self.given(self.make())
        types = {key: type_of(value) for key, value in given.items()}
        self.typed: TypedLoop = typed_loop(self.source.flow, types, frozenset())  # type: ignore[arg-type]
        self.job = self.typed.job

    def given(self, args: tuple[Any, ...]) -> dict[str, Any]:
        """The values of the names that the loop reads."""
        names: dict[str, Any] = dict(zip(self.parameters, args, strict=True))
        outer = {**vars(builtins), "np": np}
        exec(self.before, outer, names)
        numbers = eval(compile(ast.Expression(self.node.iter), "numbers", "eval"), outer, names)
        found = {name: names.get(name, outer.get(name)) for name in self.source.reads}
        return found | {str(self.source.flow.state): numbers}

    def run(self, threads: int) -> tuple[tuple[Any, ...], dict[str, Any], Exit, int]:
        """Return the arguments after a run, the names, the exit, and how many rounds were shared."""
        torch.set_num_threads(threads)
        args = self.make()
        given = self.given(args)
        words = self.typed.exchange.pack(given)
        before = self.job.function.rounds
        exit_ = self.typed.exits[self.job.function(self.typed.exchange.address(words))]
        names = self.typed.exchange.unpack(words, arrays_in(given.values()))
        return args, names, exit_, self.job.function.rounds - before


@pytest.fixture(scope="module")
def programs() -> Iterator[dict[str, Program]]:
    """All programs, compiled together for two threads and more."""
    threads = torch.get_num_threads()
    torch.set_num_threads(2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("npcompile.lower.loops.service.threads.WORTH_SHARING", 0)  # small loops are shared, too
        patch.setenv("NPCOMPILE_OPTIMIZE_LOOPS", "0")
        made = {name: Program(name) for name in PROGRAMS}
        for program in made.values():
            assert program.job.wait() and program.job.error is None, program.job.error
        yield made
    torch.set_num_threads(threads)


@pytest.mark.parametrize("name", PROGRAMS)
def test_threads_do_what_python_does(programs: dict[str, Program], name: str) -> None:
    program = programs[name]
    args, names, exit_, rounds = program.run(1)
    assert rounds == 0
    if program.is_done:
        given = program.make()
        want = run_in_python(program.function, *given)
        for one, other in zip(args, given, strict=True):
            assert_same(one, other, "an argument")
        for key, value in names.items():
            if key[0] != ".":
                assert_same(value, want[key], key)
    for threads in (2, 3):
        again, names_again, exit_again, rounds = program.run(threads)
        assert (rounds > 0) == program.is_shared, program.typed.region.unshared
        assert exit_again == exit_
        for one, other in zip(again, args, strict=True):
            assert_same(one, other, "an argument")
        assert names_again.keys() == names.keys()
        for key, value in names.items():
            if key[0] != ".":
                assert_same(names_again[key], value, key)


def test_ctrl_c_ends_a_round_and_leaves_the_state_between_trips(programs: dict[str, Program]) -> None:
    """The rows before the trip at which Python goes on are done, and no others."""
    program = programs["collatz"]
    torch.set_num_threads(2)
    steps = np.full(4_000_000, -1)  # seconds of work: the interrupt finds native code at it
    given = program.given((steps, len(steps)))
    words = program.typed.exchange.pack(given)
    with pytest.raises(KeyboardInterrupt):
        interrupting = interrupt_main(0.05)
        program.job.function(program.typed.exchange.address(words))
    interrupting.join()
    names = program.typed.exchange.unpack(words, arrays_in(given.values()))
    rest = list(names[".iterator0"])
    first = rest[0] if rest else len(steps)
    assert 0 < first < len(steps) and (steps[:first] >= 0).all() and (steps[first + 1 :] == -1).all()


def test_a_forked_child_has_one_thread(programs: dict[str, Program]) -> None:
    program = programs["distances"]
    want = program.run(2)[0][0]
    child = os.fork()
    if not child:
        code = 1
        try:
            args, _, _, rounds = program.run(2)
            code = 0 if rounds == 0 and np.array_equal(args[0], want) else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert program.run(2)[3] > 0


def test_threads_of_python_enter_the_same_loop(programs: dict[str, Program]) -> None:
    program = programs["distances"]
    want = program.run(1)[0][0]
    torch.set_num_threads(2)
    with ThreadPoolExecutor(3) as pool:
        answers = list(pool.map(lambda _: program.run(2)[0][0], range(12)))
    for answer in answers:
        np.testing.assert_array_equal(answer, want)


def test_all_threads_take_small_floats_for_zero_where_one_does(programs: dict[str, Program]) -> None:
    """`torch.set_flush_denormal` changes the thread that calls it."""
    program = programs["in place"]
    small = np.full((N, N), 1e-308)
    answers = []
    program.run(3)  # the threads are there
    make, program.make = program.make, lambda: (small.copy(), N)
    try:
        if not torch.set_flush_denormal(True):
            pytest.skip("this processor has no such mode")
        answers = [program.run(threads)[0][0] for threads in (1, 2, 3)]
    finally:
        torch.set_flush_denormal(False)
        program.make = make
    for answer in answers[1:]:
        np.testing.assert_array_equal(answer, answers[0])
