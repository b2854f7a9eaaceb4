"""Replay: compiles the text of a program's function, and links it with kernels and native checks."""

from __future__ import annotations

import dis
import types
from collections.abc import Callable, Mapping
from typing import Any

from torch import fx

from npcompile.frontend.boundary.faults import performs
from npcompile.frontend.program.guards import Diverged, Guard
from npcompile.frontend.program.program import Program
from npcompile.frontend.program.replay_interface import ReplayCheck
from npcompile.frontend.program.slice_guards import Check
from npcompile.frontend.replay.codegen import Writer, in_place
from npcompile.frontend.replay.device_codegen import DeviceWriter
from npcompile.frontend.replay.device_lane import Lane
from npcompile.frontend.replay.residency import opened
from npcompile.frontend.replay.shared_lane import lane_of
from npcompile.lower.device.memory import is_exhausted, release
from npcompile.lower.device.transfers import Counter, counting
from npcompile.lower.mesh.mesh import mesh_of
from npcompile.lower.native import native
from npcompile.lower.plan.attributes import value_of
from npcompile.lower.plan.plan import Plan

_KERNEL = "__segment"  # begins the names by which the generated function calls its kernels


def around_kernels(
    function: types.FunctionType,
    around: Callable[[types.CodeType, int, Callable[..., Any]], Callable[..., Any]],
) -> Callable[[], None]:
    """Have a linked function call something in the place of its kernels; return what undoes that.

    around: makes it of the function's code, the number of a kernel and the kernel.
    """
    space = function.__globals__
    kernels = {name: kernel for name, kernel in space.items() if name.startswith(_KERNEL)}
    for name, kernel in kernels.items():
        space[name] = around(function.__code__, int(name.removeprefix(_KERNEL)), kernel)
    return lambda: space.update(kernels)


def kernel_lines(code: types.CodeType) -> dict[int, int]:
    """Return the user's lines at which the function of a replay calls its kernels, by their number."""
    found, line = {}, code.co_firstlineno
    for instruction in dis.get_instructions(code):
        if instruction.positions is not None and instruction.positions.lineno is not None:
            line = instruction.positions.lineno
        name = instruction.argval
        if isinstance(name, str) and name.startswith(_KERNEL):
            found[int(name.removeprefix(_KERNEL))] = line
    return found


def native_guard(value: Any) -> Any:
    """Return a check in its native form, once the native runtime is loaded; any other value as it is."""
    if isinstance(value, ReplayCheck) and (module := native.loaded()) is not None:
        return value.native(module)
    return value


class Replay:
    """The generated function of one program: `text` to read, `link` to run with its segments' kernels.

    general: for other lengths than those it was recorded at: kernels are given the numbers that steps make.
    checks: of slices whose ends are worked out, where they need not all be as long as they were recorded.
    """

    def __init__(
        self,
        program: Program,
        plan: Plan,
        general: bool = False,
        checks: Mapping[fx.Node, Check] | None = None,
    ) -> None:
        writer: Writer = (Writer if program.device is None else DeviceWriter)(program, plan, general, checks)
        self.text = writer.write()
        self._code = in_place(self.text, writer.users, writer.literals, program)
        self._space = writer.space
        self.hosts = writer.hosts
        self._shapes = writer.shapes
        self._name = program.name
        self._device = program.device
        self._is_private = isinstance(writer, DeviceWriter) and writer.is_private
        self._alone = writer.alone() if isinstance(writer, DeviceWriter) else None
        self._writes = tuple(
            place
            for place, node in enumerate(program.inputs)
            if value_of(node).kind == "array" and value_of(node).root in plan.written
        )
        self._segments = plan.segments

    @property
    def codes(self) -> list[types.CodeType]:
        """The code of the function."""
        return [const for const in self._code.co_consts if isinstance(const, types.CodeType)]

    def link(
        self,
        kernels: list[Callable[..., Any]],
        counter: Counter,
        around: Callable[[fx.Node, Any], Any] | None = None,
        instead: dict[Any, Any] | None = None,
        shapes: Mapping[fx.Node, tuple[int, ...]] | None = None,
    ) -> Callable[..., Any]:
        """The function, calling these kernels for its segments, in order; copies are counted in `counter`.

        around: what is called in place of NumPy's functions that are called for want of an op, of step and
        function. instead: guards for what is outside now, by those that were recorded. shapes: those of
        slices, where they are not as recorded.
        """
        space = {name: native_guard(value) for name, value in self._space.items()}
        if instead:
            guards = [(name, value) for name, value in self._space.items() if isinstance(value, Guard)]
            space |= {name: native_guard(instead[guard]) for name, guard in guards if guard in instead}
        if shapes is not None:
            space |= {name: shapes[node] for node, name in self._shapes.items()}
        if around is not None:
            space |= {name: around(node, space[name]) for name, node in self.hosts.items()}
        if self._device is not None:
            mesh = mesh_of(self._device)
            lane = space["__lane"] = Lane(self._device) if mesh is None else lane_of(mesh)
            kernels = [
                lane.kernel(kernel, segment.values, segment.results)
                for kernel, segment in zip(kernels, self._segments, strict=True)
            ]
        space.update({f"{_KERNEL}{number}": kernel for number, kernel in enumerate(kernels)})
        exec(self._code, space)
        function: Callable[..., Any] = space[self._name]
        if self._device is None:
            return function
        return DeviceReplay(function, counter, self._is_private, self._alone, self._writes)


class DeviceReplay:
    """A replay on a device, linked: counts the bytes that it copies.

    is_private: it shows its arrays to nobody else while it runs, and asks NumPy's arrays for no values.
    alone: why it does not depend on its arguments, and the numbers that its kernels are given, alone; None
    where it does. writes: the places of the arguments that it writes to.
    """

    __slots__ = ("_counter", "_function", "alone", "is_private", "writes")

    def __init__(
        self,
        function: Callable[..., Any],
        counter: Counter,
        is_private: bool,
        alone: str | None,
        writes: tuple[int, ...],
    ) -> None:
        self._function, self._counter, self.is_private = function, counter, is_private
        self.alone, self.writes = alone, writes

    @performs
    def __call__(self, *leaves: Any) -> Any:
        with counting(self._counter):
            try:
                result = self._function(*leaves)
                return result
            except Diverged as diverged:  # it has had no effect yet
                table = opened()
                if not is_exhausted(diverged) or not (table is None or table.may_try_again):
                    raise
            release()
            result = self._function(*leaves)
        return result
