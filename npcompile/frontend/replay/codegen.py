"""Code generation of replays: writes a plan as one Python function, which calls kernels for the array work.

`Replay` compiles and links the text. All that may diverge comes before the first effect, in one `try`: there
any exception makes the replay diverge, and the call is answered otherwise. Names of the text's own begin with
two underscores, values have the names of the program's steps.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from torch import fx

from npcompile.frontend.catalog.purity import OPERATORS
from npcompile.frontend.catalog.python_operators import UNARY
from npcompile.frontend.ops.table import Op
from npcompile.frontend.program.aliasing import Overlap
from npcompile.frontend.program.call_steps import Call
from npcompile.frontend.program.code_guards import Classes, Codes
from npcompile.frontend.program.equality import is_shared
from npcompile.frontend.program.guards import Diverged
from npcompile.frontend.program.object_steps import Build, Store
from npcompile.frontend.program.program import Program
from npcompile.frontend.program.reads import Length, Read
from npcompile.frontend.program.slice_guards import Check, checkable, ends_of
from npcompile.frontend.replay.device_lane import method
from npcompile.frontend.replay.locks import ACQUIRE, RELEASE
from npcompile.frontend.replay.stacked_products import is_stack, product
from npcompile.frontend.rewrite import literals
from npcompile.frontend.rewrite.call_sites import caller_at
from npcompile.lower.codegen.parsing import parse
from npcompile.lower.plan.attributes import attributes, source_place, step_of, value_of
from npcompile.lower.plan.plan import Plan, Step
from npcompile.lower.plan.segment import Segment, nodes_in

_SYMBOLS = {id(function): symbol for symbol, function in OPERATORS.items()}
_PREFIXES = {id(function): symbol for symbol, function in UNARY.items()}


def as_numpy(op: Op, on_device: bool) -> Callable[..., Any]:
    """Return the NumPy function that an op stands for, to be called with the array first."""
    function = op.function
    if on_device and getattr(function, "__objclass__", None) is np.ndarray:
        return method(function.__name__)
    if isinstance(function, types.GetSetDescriptorType):
        return function.__get__
    result: Callable[..., Any] = function
    return result


_INTERNAL = ("op", "view", "library", "write", "number", "guard")  # steps that hand no array to anybody

# Longer whole numbers become constants: Python converts some thousand digits at most.
MOST_BITS = 1024


class Writer:
    """Writes the text of one replay on the host; objects that text cannot name become constants.

    Parameters
    ----------
    program : Program
        The program to replay.
    plan : Plan
        Its segments, and the steps between them.
    general : bool
        The replay is shape-generic: kernels are given the numbers that sizes are made of.
    checks : mapping of nodes to Check, optional
        The checks of slices; without it, the shape of each that may be checked.
    """

    def __init__(
        self, program: Program, plan: Plan, general: bool, checks: Mapping[fx.Node, Check] | None = None
    ) -> None:
        self.program = program
        self.plan = plan
        self.general = general
        shapes = dict.fromkeys(checkable(program, plan), Check(True, False))
        self.checks = shapes if checks is None else checks
        self.shapes: dict[fx.Node, str] = {}  # by slice, the constant that is its shape
        self.space: dict[str, Any] = {"__Diverged": Diverged, "__copyto": np.copyto}
        self.hosts: dict[str, fx.Node] = {}  # by constant, the step of the host call that it makes
        self.literals = literals.table(program.literals)  # the user's objects for literals of the text
        self.lines: list[str] = []
        self.users: list[int | None] = []  # by line, the line of the user's function that it stands for
        self.user: int | None = None
        # By the step's id, the names to delete after it; under 0 those to delete after all early steps.
        self.deletions: dict[int, list[str]] = {}
        self.indent = "    "

    def put(self, text: str) -> None:
        """Add a line."""
        self.lines.append(self.indent + text)
        self.users.append(self.user)

    def constant(self, value: Any, name: str = "k") -> str:
        """Return a new name that stands for an object in the text."""
        key = f"__{name}{len(self.space)}"
        self.space[key] = value
        return key

    def arg(self, value: Any) -> str:
        """Return an argument of a step as text."""
        if isinstance(value, fx.Node):
            return value.name
        if isinstance(value, slice):
            return f"slice({self.arg(value.start)}, {self.arg(value.stop)}, {self.arg(value.step)})"
        if isinstance(value, tuple):
            if (literal := literals.literal_of(value, self.literals)) is not None:
                return self.constant(literal)
            return "(" + "".join(self.arg(item) + ", " for item in value) + ")"
        if isinstance(value, list):
            return "[" + ", ".join(self.arg(item) for item in value) + "]"
        if isinstance(value, dict):
            return "{" + ", ".join(f"{self.arg(key)}: {self.arg(item)}" for key, item in value.items()) + "}"
        if value is None or value is True or value is False:
            return repr(value)
        written = type(value) is int and value.bit_length() <= MOST_BITS
        if written or type(value) is str or (type(value) is float and np.isfinite(value)):
            if is_shared(value) or self.literals.setdefault(literals.key_of(value), value) is value:
                return repr(value)
        return self.constant(value)

    def args(self, node: fx.Node) -> str:
        parts = [self.arg(arg) for arg in node.args]
        parts += [f"{key}={self.arg(arg)}" for key, arg in node.kwargs.items()]
        return ", ".join(parts)

    def call(self, node: fx.Node) -> str:
        """Return a step on the host as an expression."""
        target: Any = node.target
        first = self.arg(node.args[0]) if node.args else ""
        if isinstance(target, Read):
            return target.expression(self, first)
        if isinstance(target, Length):
            return target.words(first)
        if isinstance(target, Op):
            target = self.function(target, node)
        if target is np.ndarray.__getitem__:
            return f"{first}[{self.index(node.args[1])}]"
        if isinstance(target, Call) and target.function is not None:
            target = target.function
        if not node.kwargs and len(node.args) == 2 and id(target) in _SYMBOLS:
            base = f"({first})" if first.startswith("-") else first  # -1 ** n is -(1 ** n)
            return f"{base} {_SYMBOLS[id(target)]} {self.arg(node.args[1])}"
        if not node.kwargs and len(node.args) == 1 and id(target) in _PREFIXES:
            return f"{_PREFIXES[id(target)]}{first}"
        name = self.constant(self.callee(target, node), "f")
        if step_of(node) == "host" and not isinstance(target, Build):
            self.hosts[name] = node
        return self.within(node, name) if attributes(node).call_frames else f"{name}({self.args(node)})"

    def within(self, node: fx.Node, name: str) -> str:
        """Return a call that the user's helpers make, from frames like theirs: libraries look at those."""
        given = "(" + "".join(f"{self.arg(arg)}, " for arg in node.args) + ")"
        named = self.arg(dict(node.kwargs))
        for place in reversed(attributes(node).call_frames):
            given, named = f"({name}, {given}, {named})", "{}"
            name = self.constant(caller_at(*place), "within")
        return f"{name}{given}"

    def callee(self, function: Callable[..., Any], node: fx.Node) -> Callable[..., Any]:
        """Return what a step calls that no symbol stands for."""
        return function

    def function(self, op: Op, node: fx.Node) -> Callable[..., Any]:
        """Return the function that a step on the host calls for an op."""
        return product if is_stack(node) else as_numpy(op, False)

    def index(self, index: Any) -> str:
        """Return an index as text: the inside of the brackets."""
        if isinstance(index, tuple) and index:
            return ", ".join(map(self.index, index)) + ("," if len(index) == 1 else "")
        if isinstance(index, slice):
            ends = ["" if end is None else self.arg(end) for end in (index.start, index.stop)]
            step = "" if index.step is None else f":{self.arg(index.step)}"
            return ":".join(ends) + step
        if index is Ellipsis:
            return "..."
        return self.arg(index)

    def guard(self, node: fx.Node) -> str:
        """Return the condition under which the replay diverges."""
        guard: Any = node.target
        about: Any = node.args[0]
        value, *others = map(self.arg, node.args)
        of_input = isinstance(about, fx.Node) and about.op == "placeholder"  # it may be a constant, too
        return str(guard.failure(self, value, others[0] if others else "", of_input))

    def diverge_if(self, condition: str) -> None:
        """Write that the replay diverges where a condition holds."""
        self.put(f"if {condition}:")
        self.put("    raise __Diverged")

    def step(self, step: Step, number: int) -> None:
        """Write a step of the plan; number: of its segment, if it is one."""
        self.user = _line(step)
        self._step(step, number)
        self.delete(id(step))

    def delete(self, place: int) -> None:
        """Write that names are deleted after a step."""
        for name in self.deletions.get(place, ()):
            self.put(f"del {name}")

    def _step(self, step: Step, number: int) -> None:
        if step.segment is not None:
            self.segment(step.segment, number)
            return
        node = step.node
        assert node is not None
        if step.kind == "copy":
            self.copy(node, self.arg(step.source))
        elif step.kind == "guard":
            self.diverge_if(self.guard(node))
        elif step.kind == "part":
            self.put(f"{node.name} = {self.arg(node.args[0])}[{self.arg(node.args[1])}]")
        elif isinstance(node.target, Store):
            self.put(node.target.statement(self, *node.args))
        else:
            self.put(f"{node.name} = {self.call(node)}")
            if _calls(step, ACQUIRE):
                self.put(f"__held.append({self.arg(node.args[0])})")
            elif _calls(step, RELEASE):
                self.put("__held.pop()")
            if node in self.checks:
                self.check(node, self.checks[node])

    def check(self, node: fx.Node, check: Check) -> None:
        """Write the check of a slice, which has just been made."""
        self.shapes[node] = self.constant(value_of(node).shape, "shape")
        wrong = [f"{node.name}.shape != {self.shapes[node]}"] if check.shape else []
        wrong += [f"{self.arg(end)} != {number}" for end, number in ends_of(node)] if check.ends else []
        self.diverge_if(" or ".join(wrong))

    def copy(self, node: fx.Node, value: str) -> None:
        """Write `node[...] = value`."""
        self.put(f'__copyto({node.name}, {value}, casting="unsafe")')

    def segment(self, segment: Segment, number: int) -> None:
        """Write the call of a segment's kernel, and the checks of the flags that it gives."""
        inputs = []
        for node, axes in segment.inputs:
            if axes:
                backwards = ["::-1" if axis in axes else ":" for axis in range(len(value_of(node).shape))]
                inputs.append(f"{node.name}[{', '.join(backwards)}]")
            else:
                inputs.append(node.name)
        if self.general:
            inputs += [node.name for node in segment.numbers]
        flags = [f"__ok{number}_{flag}" for flag in range(segment.checks)]
        outputs = [node.name for node in segment.outputs] + flags
        call = f"__segment{number}({', '.join(inputs)})"
        self.put(f"{', '.join(outputs)} = {call}" if outputs else call)
        for flag in flags:
            self.diverge_if(f"not {flag}")

    def leaf(self, value: Any) -> str:
        """Return a value as text, where it leaves the replay: it is returned, or stored outside."""
        return self.arg(value)

    def returned(self, value: Any) -> str:
        """Return a value of the answer as text.

        Where NumPy answered with a view of what it had made, the replay does too: it owns no memory.
        """
        viewed = isinstance(value, fx.Node) and attributes(value).returns_view
        return self.leaf(value) + ("[...]" if viewed and self._leaves_once(value) else "")

    def _leaves_once(self, node: fx.Node) -> bool:
        """Tell whether the caller alone gets this array: then nobody sees that it is another object."""
        once = sum(leaf is node for leaf in self.program.result.leaves()) == 1
        return once and all(user.op == "output" or step_of(user) in _INTERNAL for user in node.users)

    gives_back = False  # are the caller's arrays written to when all steps are done?

    def first_effect(self) -> int:
        """Return the position of the first step with an effect; past the last step where none has."""
        return len(self.plan.steps) if self.plan.effects is None else self.plan.effects

    def begin(self) -> None:
        """Write what comes between the early steps, which need nothing computed, and the others."""

    def finish(self) -> None:
        """Write the answer."""
        self.put(f"return {self.program.result.text(self.returned)}")

    def carry_out(self, rest: list[Step], numbers: dict[int, int]) -> None:
        """Write the steps from the first effect on; numbers: of segments, by step."""
        for step in rest:
            self.step(step, numbers.get(id(step), 0))
        self.finish()

    def overlap(self) -> str:
        """Return the check that arrays from outside share memory as recorded; empty if none is written to."""
        plan = self.plan
        early = [step.node for step in plan.early if step.kind == "read" and step.node is not None]
        arrays = [node for node in (*self.program.inputs, *early) if value_of(node).kind == "array"]
        pairs = []
        for place, one in enumerate(arrays):
            for further, other in enumerate(arrays[place + 1 :], place + 1):
                a, b = value_of(one), value_of(other)
                if a.root == b.root and a.root in plan.written:
                    distance = b.region.offset - a.region.offset  # type: ignore[union-attr]
                    pairs.append((place, further, distance))
                elif a.root != b.root and (a.root in plan.written or b.root in plan.written):
                    pairs.append((place, further, None))
        if not pairs:
            return ""
        return f"{self.constant(Overlap(tuple(pairs)), 'overlap')}({', '.join(node.name for node in arrays)})"

    def write(self) -> str:
        """Return the text of the whole function."""
        plan = self.plan
        first = self.first_effect()
        pure, rest = plan.steps[:first], plan.steps[first:]
        self.deletions = _deletions(self.program, plan)
        self.indent = ""
        self.put(f"def {self.program.name}({', '.join(node.name for node in self.program.inputs)}):")
        self.indent = "    "
        for space, name in self.program.builtins:
            self.diverge_if(f"{name!r} in {self.constant(space, 'globals')}")
        checks = self.program_checks()
        segments = (step for step in plan.steps if step.segment is not None)
        numbers = {id(step): number for number, step in enumerate(segments)}
        overlap = self.overlap()
        done = False
        if plan.early or pure or overlap or checks or self.program.device is not None:
            done = self.before_effects(checks, overlap, pure, numbers, is_all=not rest)
        if not done:
            self.hold(rest, numbers)
        return "\n".join(self.lines)

    def program_checks(self) -> list[str]:
        """Return the checks of the functions and classes that the program takes for unchanged."""
        checks = []
        if self.program.classes:
            checks.append(f"{self.constant(Classes(self.program.classes), 'classes')}()")
        if self.program.functions:
            checks.append(f"{self.constant(Codes(tuple(self.program.functions)), 'codes')}()")
        return checks

    def before_effects(
        self, checks: list[str], overlap: str, pure: list[Step], numbers: dict[int, int], is_all: bool
    ) -> bool:
        """Write what comes before the first effect, and the answer if no effect follows: tell if that is so.

        Any failure there makes the replay diverge: the function itself is then run.
        """
        self.put("try:")
        self.indent, begun = "        ", len(self.lines)
        for check in checks:
            self.diverge_if(f"not {check}")
        for step in self.plan.early:
            self.step(step, 0)
        if overlap:
            self.diverge_if(f"not {overlap}")
        self.begin()
        self.delete(0)
        for step in pure:
            self.step(step, numbers.get(id(step), 0))
        done = is_all and not self.gives_back
        if done:
            self.finish()
        if len(self.lines) == begun:
            self.put("pass")
        self.indent = "    "
        self.put("except Exception as __error:")
        self.put("    raise __Diverged from __error")
        return done

    def hold(self, rest: list[Step], numbers: dict[int, int]) -> None:
        """Write the steps from the first effect on; where one raises, locks that they hold are released."""
        if not any(_calls(step, ACQUIRE) for step in rest):
            self.carry_out(rest, numbers)
            return
        self.put("__held = []")
        self.put("try:")
        self.indent += "    "
        self.carry_out(rest, numbers)
        self.indent = self.indent[4:]
        self.put("except BaseException:")
        self.put("    for __lock in reversed(__held):")
        self.put("        __lock.__exit__(None, None, None)")
        self.put("    raise")


def _calls(step: Step, function: Any) -> bool:
    """Tell whether a step is an opaque call of this function."""
    target = None if step.node is None else step.node.target
    return isinstance(target, Call) and target.function is function


def _deletions(program: Program, plan: Plan) -> dict[int, list[str]]:
    """Return the names of objects that die within the function, by the id of the step after which they do.

    An object dies after the last step that names it, and after the call at which Python held it last.
    """
    steps = [*plan.early, *plan.steps]
    dying: dict[fx.Node, int] = {}
    places: dict[fx.Node, int] = {}
    for place, step in enumerate(steps):
        if step.node is not None and step.kind != "copy":
            places[step.node] = place
            if attributes(step.node).last_call is not None:
                dying[step.node] = place
    if not dying:
        return {}
    for place, step in enumerate(steps):
        for node in _named(step):
            if node in dying:
                dying[node] = place
    found: dict[int, list[str]] = {}
    for node in dying.keys() - set(program.result.leaves()):
        call = attributes(node).last_call
        assert call is not None
        last = max(dying[node], places.get(call, -1))  # all arrays of early steps are looked at once more
        found.setdefault(0 if last < len(plan.early) else id(steps[last]), []).append(node.name)
    return {place: sorted(names) for place, names in found.items()}


def _named(step: Step) -> list[fx.Node]:
    """Return the nodes of the program that the text of a step names."""
    if step.segment is not None:
        return [*(node for node, _ in step.segment.inputs), *step.segment.numbers, *step.segment.outputs]
    assert step.node is not None
    if step.kind == "copy":
        return nodes_in((step.node, step.source))
    return [step.node, *nodes_in((step.node.args, step.node.kwargs))]


def _line(step: Step) -> int | None:
    """Return the line of the user's function that a step stands for."""
    if step.segment is not None:
        return next((source_place(node).top for node in step.segment.ops), None)
    if isinstance(step.source, fx.Node) and step.kind == "copy":
        return source_place(step.source).top
    return source_place(step.node).top if step.node is not None else None


def in_place(text: str, users: list[int | None], known: dict[Any, Any], program: Program) -> types.CodeType:
    """Return the code of the text, with the user's lines, which tracebacks and profilers show.

    Parameters
    ----------
    text : str
        The text of the function.
    users : list of int or None
        For each line of it, the line of the user's function that it stands for.
    known : dict
        The objects that literals are.
    program : Program
        The program that the text replays.
    """
    tree = parse(text)
    line = next((user for user in users if user is not None), 1)
    lines = []
    for user in users:
        line = user or line
        lines.append(line)
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt | ast.expr | ast.ExceptHandler | ast.arg | ast.keyword):
            node.lineno = lines[node.lineno - 1]
            node.end_lineno = node.lineno
            node.col_offset = node.end_col_offset = -1  # no column
        if isinstance(node, ast.FunctionDef) and program.line is not None:
            node.lineno = node.end_lineno = program.line  # by which profilers know it
    filename = program.filename or f"<npcompile replay of {program.name}>"
    return literals.with_literals(compile(tree, filename, "exec"), known)
