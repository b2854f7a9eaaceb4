"""The lanes: what `numpy` is bound to, how a test function is called, and what is counted meanwhile."""

from __future__ import annotations

import builtins
import copy
import functools
import os
import signal
import types
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy
import pytest

from .binding import importer
from .loading import Loaded, load
from .modules import ROOT
from .witness import Witness


@dataclass
class Counts:
    """What happened inside one test."""

    ops: int = 0  # calls of registered ops: a test that passes with none has not touched us
    host: dict[str, int] = field(default_factory=dict)  # calls handed back to NumPy, by name
    failures: dict[str, int] = field(default_factory=dict)  # op bodies that raised and were answered by NumPy
    replayed_at: int = 0  # the first call after the first that a recorded program answered; 0: none did
    segments: int = 0  # runs of ops to compile in what was recorded
    kernels: int = 0  # that were compiled
    reasons: list[str] = field(default_factory=list)  # why nothing was replayed


class Lane:
    """Plain NumPy: the oracle that says which tests count, and base of the others."""

    name = "numpy"
    sampled = False  # True: it runs the tests in `sample.py` alone
    imports: tuple[str, ...] = ()  # modules that take seconds to import: done once, for all processes

    def __init__(self) -> None:
        self.witness = Witness(self.to_numpy)

    def target(self) -> types.ModuleType:
        """The module that `numpy` means."""
        return numpy

    def to_numpy(self, value: Any) -> Any:
        """A NumPy array for one of the lane's arrays; anything else unchanged."""
        return value

    def load(self, path: Path) -> Loaded:
        drawing = path.is_relative_to(ROOT / "random")
        bound = importer(self.target(), self.witness.testing(), drawing)
        return load(path, f"conformance_{path.stem}", bound)

    def call(self, function: Callable[..., Any], arguments: dict[str, Any]) -> None:
        """Runs the test function (or bound method) with its fixtures and parameters."""
        function(**arguments)

    def begin(self) -> None:
        """Called before each test."""

    def counts(self) -> Counts:
        """What was counted since `begin`."""
        return Counts()


class TorchNumpyLane(Lane):
    """`torch._numpy`, the ancestor: figures to compare with. What it lacks is an error, not a host call."""

    name = "torch_numpy"

    def target(self) -> types.ModuleType:
        import torch._numpy

        return torch._numpy

    def to_numpy(self, value: Any) -> Any:
        import torch._numpy

        return value.tensor.numpy() if isinstance(value, torch._numpy.ndarray) else value


class JaxLane(Lane):
    """`jax.numpy`, in a virtual environment that has it, with 64-bit types on: figures to compare with."""

    name = "jax"

    def target(self) -> types.ModuleType:
        import jax
        import jax.numpy

        jax.config.update("jax_enable_x64", True)
        return jax.numpy

    def to_numpy(self, value: Any) -> Any:
        import jax

        return numpy.asarray(value) if isinstance(value, jax.Array) else value

    def call(self, function: Callable[..., Any], arguments: dict[str, Any]) -> None:
        # Its gcd of the smallest integer never ends, in C code: the time limit is to end the process.
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        super().call(function, arguments)


class ShimLane(Lane):
    """`npcompile.numpy`: op bodies run eagerly on tensors."""

    name = "shim"
    imports = (
        "npcompile.numpy",
        "torch._dynamo",
    )  # the latter by torch, later

    def __init__(self) -> None:
        super().__init__()
        from npcompile.frontend.eager.ndarray import ndarray
        from npcompile.frontend.ops.table import Op

        self._ops = 0
        plain = Op.__call__

        @functools.wraps(plain)
        def counted(op: Op, *args: Any, **kwargs: Any) -> Any:
            self._ops += 1
            return plain(op, *args, **kwargs)

        Op.__call__ = counted  # type: ignore[assignment, method-assign]
        self._conversions = 0
        convert = ndarray.__array__

        @functools.wraps(convert)
        def converted(array: ndarray, *args: Any, **kwargs: Any) -> Any:
            self._conversions += 1
            return convert(array, *args, **kwargs)

        ndarray.__array__ = converted  # type: ignore[assignment, method-assign]
        interface = ndarray.__array_interface__.fget  # type: ignore[attr-defined]

        def shown(array: ndarray) -> dict[str, Any]:
            self._conversions += 1
            return interface(array)

        ndarray.__array_interface__ = property(shown)  # type: ignore[assignment, method-assign]

    def target(self) -> types.ModuleType:
        import npcompile.numpy

        return npcompile.numpy

    def to_numpy(self, value: Any) -> Any:
        from npcompile.frontend.eager.ndarray import ndarray

        if not isinstance(value, ndarray):
            return value
        before = self._conversions
        array = numpy.asarray(value)
        self._conversions = before
        return array

    def begin(self) -> None:
        from npcompile.frontend.eager import counters

        counters.reset()
        self._ops = self._conversions = 0

    def counts(self) -> Counts:
        from npcompile.frontend.eager import counters

        host = dict(counters.host_calls)
        if self._conversions:  # NumPy took an array of ours by itself, past the counted ways
            host["ndarray as a NumPy array"] = self._conversions
        return Counts(self._ops, host, dict(counters.op_failures))


def _copied(value: Any) -> Any:
    """Arguments of a test as they would be made anew: arrays and generators are copied, what else is not data
    is the same object."""
    if type(value) in (list, tuple):
        return type(value)(_copied(item) for item in value)
    if type(value) is dict:
        return {key: _copied(item) for key, item in value.items()}
    if isinstance(value, numpy.ndarray | numpy.random.Generator | numpy.random.RandomState):
        return copy.deepcopy(value)
    return pytest.MonkeyPatch() if isinstance(value, pytest.MonkeyPatch) else value


def _undone(arguments: dict[str, Any]) -> None:
    """What a call has patched is as it was."""
    for value in arguments.values():
        if isinstance(value, pytest.MonkeyPatch):
            value.undo()


class JitLane(Lane):
    """The test function under `npcompile.jit`: recorded on a fresh instance, then judged by its next answer.

    Where that was no replay yet (a function that is cut into blocks is cut further by what its first calls
    show) further calls are judged too, until one is or nothing more is recorded. NumPy is the real one, and
    segments are interpreted: ops on eager tensors, no compiler.
    """

    name = "jit"
    imports = ShimLane.imports
    calls = 4  # of a function at most

    def __init__(self) -> None:
        super().__init__()
        os.environ["NPCOMPILE_BACKEND"] = "interpreter"
        self._counts = Counts()
        self._generator = numpy.random.get_bit_generator()  # a test may put another in its place

    def load(self, path: Path) -> Loaded:
        vars(numpy.testing).update(self.witness.helpers())
        # A file name outside of the installed packages: code from there is the user's, and looked into.
        return load(path, f"conformance_{path.stem}", builtins.__import__, f"/conformance/{path.name}")

    def call(self, function: Callable[..., Any], arguments: dict[str, Any]) -> None:
        from npcompile import NotCompiledWarning, jit

        if hasattr(function, "hypothesis"):  # its examples are other calls each time
            return function(**arguments)
        expected = self.witness.expected
        instance = getattr(function, "__self__", None)
        jitted = jit(getattr(function, "__func__", function))
        copies = _copied(arguments)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NotCompiledWarning)
            self.witness.begin(None)
            self._on_fresh(instance, jitted, copies)
            for number in range(2, self.calls + 1):
                numpy.random.set_bit_generator(self._generator)
                numpy.random.seed(0)
                self.witness.begin(expected)
                replays, recordings = jitted.stats.replays, jitted.stats.recordings
                try:
                    if number == 2:
                        jitted(*([] if instance is None else [instance]), **arguments)
                        _undone(arguments)
                    else:
                        self._on_fresh(instance, jitted, copies)
                finally:
                    self._count(jitted, number if jitted.stats.replays > replays else 0)
                self.witness.end()
                if self._counts.replayed_at or jitted.stats.recordings == recordings:
                    break

    def _count(self, jitted: Any, replayed_at: int) -> None:
        stats, counts = jitted.stats, self._counts
        counts.replayed_at, counts.segments, counts.kernels = replayed_at, stats.segments, stats.kernels
        counts.reasons = [] if replayed_at else list(stats.reasons)
        counts.host = {"in the program": stats.host_calls} if stats.host_calls else {}

    def _on_fresh(self, instance: Any, jitted: Callable[..., Any], arguments: dict[str, Any]) -> None:
        """A call on another instance of the test's class and copies of its arguments."""
        arguments = _copied(arguments)
        try:
            if instance is None:
                jitted(**arguments)
                return
            fresh = type(instance)()
            for before in ("setup_method", "setup"):
                if hasattr(fresh, before):
                    getattr(fresh, before)()
            try:
                jitted(fresh, **arguments)
            finally:
                if hasattr(fresh, "teardown_method"):
                    fresh.teardown_method()
        finally:
            _undone(arguments)

    def begin(self) -> None:
        self._counts = Counts()

    def counts(self) -> Counts:
        return self._counts


class CompiledLane(JitLane):
    """The same by Inductor: a call waits until what it recorded is compiled. Run on a sample (`sample.py`).

    Blocks are compiled however small they are: the compiler is judged here, not its speed.
    """

    name = "jit_compiled"
    sampled = True

    def __init__(self) -> None:
        super().__init__()
        import npcompile.partition.partitioned

        del os.environ["NPCOMPILE_BACKEND"]
        os.environ["NPCOMPILE_WAIT"] = "1"
        npcompile.partition.partitioned.is_small = lambda plan: False


LANES: dict[str, type[Lane]] = {
    lane.name: lane for lane in (Lane, ShimLane, JitLane, CompiledLane, TorchNumpyLane, JaxLane)
}
