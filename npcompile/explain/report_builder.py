"""Makes the report on a function of its programs, loops and statements, and of the times of its lines."""

from __future__ import annotations

import ast
import linecache
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from npcompile.explain.machine import floors
from npcompile.explain.programs import Became, ExplainedProgram, Step
from npcompile.explain.report import KINDS, Bottleneck, Function, KernelPoint, Kind, Line, Report
from npcompile.explain.sampling import NPCOMPILE, CallTimes, Spot, package_of
from npcompile.frontend.catalog.installed_packages import is_users_file
from npcompile.frontend.replay.replay import kernel_lines

if TYPE_CHECKING:
    from npcompile.explain.explanation import Explanation

Place = tuple[str, int]  # a file and a line

# The kinds of line that steps make. Others do no work that anyone waits for.
_OF_STEPS: dict[Became, Kind] = {
    "kernel": "compiled",
    "view": "compiled",
    "write in place": "compiled",
    "copy": "compiled",
    "scalar step": "compiled",
    "text": "compiled",
    "object": "compiled",
    "store": "compiled",
    "library call": "library",
    "host call": "library",
    "opaque call": "Python",
}
_LEAST = 0.02  # part of the time from which on a line can be what holds a function back
_ADVISED = 0.01  # part of the time from which on a line has advice
_PLAIN = 0.2  # part of a compiled line's time, spent outside of kernels, from which on it is told
_OURS: tuple[Kind, ...] = ("compiled", "native loop")
_NOT_REPLAYED = (
    "it is compiled, but NumPy did it in some of these calls: kernels were not ready, or no faster"
)
_NEEDLESS = ("nothing", "leave it")  # begin advice that asks for no other code


@dataclass
class _Facts:
    """Facts about one line."""

    kinds: set[Kind] = field(default_factory=set)
    kernels: dict[str, None] = field(default_factory=dict)
    seconds: dict[Kind, float] = field(default_factory=dict)  # of all calls that were timed
    bytes: float = 0.0  # likewise
    kernel_seconds: float = 0.0
    reason: str = ""
    advice: str = ""


class _Builder:
    def __init__(self, explanation: Explanation, measured: CallTimes) -> None:
        self.explanation = explanation
        self.measured = measured
        self.facts: dict[Place, _Facts] = defaultdict(_Facts)
        self.points: list[KernelPoint] = []
        self.packages: dict[str, float | None] = {}
        self.by_kind: dict[Kind, float] = dict.fromkeys(KINDS, 0.0)

    def build(self) -> Report:
        explanation, measured = self.explanation, self.measured
        for file, program in self._programs():
            self._add_program(file, program)
        self._add_uncompiled()
        for loop in explanation.loops:
            file = loop.elsewhere or explanation.file
            for number in range(loop.lines[0], loop.lines[1] + 1):
                facts = self.facts[file, number]
                entered = loop.entries or (file, loop.lines[0]) in measured.native
                if entered and linecache.getline(file, number).strip():
                    facts.kinds, facts.reason, facts.advice = {"native loop"}, "", ""
            for escape in loop.escapes:
                self._add_reason((file, escape.line), "Python", escape.reason, escape.write)
            if (why := loop.why) is not None and not self.facts[file, why.line].kinds:
                self._add_reason((file, why.line), "Python", why.reason, why.write)
        if measured.are_told:
            self._add_times()
        for facts in self.facts.values():
            if measured.recorded:
                facts.kinds = facts.kinds or set(facts.seconds)
            else:
                self._divide(facts)
                self._see(facts)
        total = sum(self.by_kind.values())
        times = {kind: part / total for kind, part in self.by_kind.items()} if total else {}
        functions = tuple(self._functions(total))
        moved = sum(point.runs * point.bytes for point in self.points)
        machine = floors() if self.points else None
        stats = explanation.stats
        return Report(
            name=explanation.name,
            file=explanation.file,
            line=explanation.line,
            times=times,
            numpy=explanation.seconds.numpy,
            replay=explanation.seconds.replay,
            untimed=explanation.seconds.why,
            calls=measured.calls,
            recorded=measured.recorded,
            seconds=measured.seconds / measured.calls if measured.calls else 0.0,
            bottleneck=_bottleneck(functions, measured.are_known),
            bytes=round(moved) if self.points else None,
            kernel_seconds=sum(point.runs * point.seconds for point in self.points),
            bandwidth=machine.bytes if machine else 0.0,
            peak=machine.operations if machine else 0.0,
            compilations=stats.compilations,
            programs=len(explanation.all_programs),
            kernels=sum(len(program.kernels) for program in explanation.all_programs),
            native_loops=stats.native_loops,
            recompilations=len(explanation.recompilations),
            waits=explanation.waits,
            functions=functions,
            points=tuple(self.points),
            packages={
                name: None if part is None or not total else part / total
                for name, part in self.packages.items()
            },
        )

    def _programs(self) -> Iterator[tuple[str, ExplainedProgram]]:
        explanation = self.explanation
        for program in explanation.programs:
            yield explanation.file, program
        for block in (*explanation.blocks, *explanation.functions):
            for program in block.all_programs:
                yield block.elsewhere or explanation.file, program

    # -- lines ---------------------------------------------------------------------------------------------

    def _add_program(self, file: str, program: ExplainedProgram) -> None:
        # Kernels are numbered through the report: "k1", "k2".
        first = len({name for facts in self.facts.values() for name in facts.kernels}) + 1
        at: dict[int, dict[Place, None]] = defaultdict(dict)
        for step in program.steps:
            kind = _OF_STEPS.get(step.became)
            if kind is None or step.line is None:
                continue
            place, package = self._place(file, step)
            facts = self.facts[place]
            facts.kinds.add(kind)
            if package:
                self.packages.setdefault(package, None)
            if step.kernel is not None:
                at[step.kernel][place] = None
                facts.kernels[f"k{first + step.kernel - 1}"] = None
            if step.reason is not None and not package:
                self._add_reason(place, kind, step.detail, step.reason.advice)
        for kernel in program.kernels:
            name, places = f"k{first + kernel.number - 1}", list(at[kernel.number])
            keys = [(code, kernel.number - 1) for code in program.codes]
            times = [self.measured.kernels[key] for key in keys if key in self.measured.kernels]
            runs, seconds = sum(one.runs for one in times), sum(one.seconds for one in times)
            if not runs or not places:
                continue
            lines = tuple(number for _, number in places)
            each = runs / self.measured.calls
            self.points.append(
                KernelPoint(name, lines, each, kernel.bytes_moved, kernel.operations, seconds / runs)
            )
            code = next(code for code, number in keys if (code, number) in self.measured.kernels)
            caller = self.facts[code.co_filename, kernel_lines(code)[kernel.number - 1]]
            caller.bytes += runs * kernel.bytes_moved
            caller.kernel_seconds += seconds

    @staticmethod
    def _place(file: str, step: Step) -> tuple[Place, str]:
        """Return the user's line of a step, and the package of its code where that is not the user's."""
        assert step.line is not None
        inner, _, number = step.elsewhere.rpartition(":")
        if not inner:
            return (file, step.line), ""
        if is_users_file(inner):
            return (inner, int(number)), ""
        return (file, step.line), package_of(inner)

    def _add_uncompiled(self) -> None:
        for left in self.explanation.left:
            file = left.elsewhere or self.explanation.file
            kind: Kind = "library" if "is a library's function" in left.reason else "Python"
            self._add_reason((file, left.lines[0]), kind, left.reason, left.write)
        for hint in self.explanation.strict_error:
            number, _, file = hint.where.removeprefix("line ").partition(" of ")
            if number.isdigit():
                place = file or self.explanation.file, int(number)
                if not self.facts[place].kinds:
                    self._add_reason(place, "Python", hint.reason, hint.write)

    def _add_reason(self, place: Place, kind: Kind, reason: str, advice: str) -> None:
        facts = self.facts[place]
        facts.kinds.add(kind)
        facts.reason = facts.reason or reason
        if not advice.startswith(_NEEDLESS):
            facts.advice = facts.advice or advice

    # -- times ---------------------------------------------------------------------------------------------

    def _add_times(self) -> None:
        for spot, seconds in self.measured.spots.items():
            self._add_time(spot, seconds)
        for place, seconds in self.measured.native.items():
            facts = self.facts[place]
            facts.seconds["native loop"] = facts.seconds.get("native loop", 0.0) + seconds
            self.by_kind["native loop"] += seconds
        for facts in self.facts.values():
            # Samples seldom meet kernels of a few microseconds, which have a clock of their own.
            missed = facts.kernel_seconds - facts.seconds.get("compiled", 0.0)
            if missed > 0.0:
                facts.seconds["compiled"] = facts.kernel_seconds
                self.by_kind["compiled"] += missed

    def _add_time(self, spot: Spot, seconds: float) -> None:
        facts = self.facts[spot.file, spot.line]
        kind = self._kind(spot, facts)
        facts.seconds[kind] = facts.seconds.get(kind, 0.0) + seconds
        self.by_kind[kind] += seconds
        if spot.below not in ("", NPCOMPILE):
            self.packages[spot.below] = (self.packages.get(spot.below) or 0.0) + seconds

    def _kind(self, spot: Spot, facts: _Facts) -> Kind:
        if spot.below not in ("", NPCOMPILE):
            return "library"
        if self.measured.recorded:  # who did the work then says nothing of who does it from now on
            return next((kind for kind in KINDS if kind in facts.kinds), "Python")
        if spot.code in self.measured.replays:
            return "library" if facts.kinds == {"library"} else "compiled"
        if "native loop" in facts.kinds:
            return "native loop"
        return "library" if "library" in facts.kinds and not spot.below else "Python"

    def _divide(self, facts: _Facts) -> None:
        """Tell the kernels on a line from its library calls: kernels have a clock of their own."""
        if {"compiled", "library"} <= facts.kinds and "compiled" in facts.seconds:
            library = max(facts.seconds["compiled"] - facts.kernel_seconds, 0.0)
            facts.seconds["compiled"] -= library
            facts.seconds["library"] = facts.seconds.get("library", 0.0) + library
            self.by_kind["compiled"] -= library
            self.by_kind["library"] += library

    @staticmethod
    def _see(facts: _Facts) -> None:
        """Correct the kinds of a line by where its time went, which programs and reasons do not tell."""
        total = sum(facts.seconds.values())
        if not total:  # the clock of threads may not have moved on
            return
        seen = max(facts.seconds, key=lambda kind: facts.seconds[kind])
        ours = sum(facts.seconds.get(kind, 0.0) for kind in _OURS)
        if facts.kinds <= {"Python"}:
            facts.kinds = {seen}
            if seen in _OURS and 1.0 - ours / total > _PLAIN:
                facts.kinds.add("Python")
            elif seen in _OURS:  # the reason is why another way to compile the line was not taken
                facts.reason = facts.advice = ""
        elif facts.kinds == {"compiled"}:
            if 1.0 - ours / total > _PLAIN:
                facts.kinds = {seen} if seen != "compiled" else {"compiled", "Python"}
                facts.reason = facts.reason or _NOT_REPLAYED
            elif seen == "native loop":  # the body is done natively as a whole
                facts.kinds = {seen}

    # -- functions -----------------------------------------------------------------------------------------

    def _functions(self, total: float) -> Iterator[Function]:
        explanation = self.explanation
        wanted: dict[str, set[int]] = defaultdict(set)
        for (file, number), facts in self.facts.items():
            if facts.kinds:
                wanted[file].add(number)
        wanted[explanation.file].add(explanation.line)
        for file in sorted(wanted, key=lambda file: file != explanation.file):
            nodes = _functions_with(file, wanted[file])
            own = file == explanation.file
            for node in sorted(nodes, key=lambda node: not (own and explanation.line in _extent(node))):
                extent = _extent(node)
                yield Function(
                    getattr(node, "name", "lambda"),
                    file,
                    tuple(self._line(file, number, total) for number in extent),
                )

    def _line(self, file: str, number: int, total: float) -> Line:
        facts, text = self.facts.get((file, number), _Facts()), linecache.getline(file, number).rstrip()
        seconds = sum(facts.seconds.values())
        share = seconds / total if total else None
        calls = self.measured.calls
        return Line(
            number=number,
            text=text,
            kinds=tuple(kind for kind in KINDS if kind in facts.kinds),
            share=share if facts.kinds else None,
            seconds=seconds / calls if total and facts.kinds else None,
            bytes=round(facts.bytes / calls) if facts.kernel_seconds else None,
            rate=facts.bytes / facts.kernel_seconds if facts.kernel_seconds else None,
            kernels=tuple(facts.kernels),
            reason=facts.reason,
            advice=facts.advice if not self.measured.are_known or (share or 0.0) >= _ADVISED else "",
        )


def _bottleneck(functions: Iterable[Function], are_known: bool) -> Bottleneck | None:
    """Return the line outside of compiled code that takes most of the time; where that is not known, the
    first one with advice. The first line of a function that is Python's as a whole stands for all of it.

    are_known: the parts of the time are.
    """
    candidates = [
        (function.file, line)
        for function in functions
        for line in (_as_one(function) or function.lines)
        if line.reason or set(line.kinds) & {"library", "Python"}
    ]
    timed = [(file, line) for file, line in candidates if (line.share or 0.0) >= _LEAST]
    advised = [pair for pair in candidates if pair[1].advice] or [p for p in candidates if p[1].reason]
    if timed:
        file, line = max(timed, key=lambda pair: pair[1].share or 0.0)
    elif advised and not are_known:
        file, line = advised[0]
    else:
        return None
    reason = line.reason or ("a library does it" if "library" in line.kinds else "Python does it")
    return Bottleneck(file, line.number, line.text.strip(), line.share or None, reason, line.advice)


def _as_one(function: Function) -> tuple[Line, ...]:
    """Return a function's first line with the time of all of them, where it tells why nothing is compiled."""
    first = function.lines[0]
    if not first.reason or any(set(line.kinds) & {"compiled", "native loop"} for line in function.lines):
        return ()
    return (replace(first, share=sum(line.share or 0.0 for line in function.lines)),)


def _extent(node: ast.AST) -> range:
    first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))])  # type: ignore[attr-defined]
    return range(first, (node.end_lineno or node.lineno) + 1)  # type: ignore[attr-defined]


def _functions_with(file: str, numbers: set[int]) -> list[ast.AST]:
    """Return the outermost functions of a file that hold any of these lines: methods are by themselves."""
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):
        return []
    found: list[ast.AST] = []
    pending: list[ast.AST] = [tree]
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    while pending:
        for node in ast.iter_child_nodes(pending.pop()):
            if isinstance(node, functions) and not numbers.isdisjoint(_extent(node)):
                inner = [part for part in ast.walk(node) if part is not node and isinstance(part, functions)]
                around = numbers - {number for part in inner for number in _extent(part)}
                if not around.isdisjoint(_extent(node)) or not inner:
                    found.append(node)
                else:
                    pending.append(node)
            elif not isinstance(node, functions):
                pending.append(node)
    covered = {number for node in found for number in _extent(node)}
    lambdas = [part for part in ast.walk(tree) if isinstance(part, ast.Lambda)]
    found += [
        part
        for part in lambdas
        if not (numbers - covered).isdisjoint(_extent(part)) and covered.isdisjoint(_extent(part))
    ]
    return sorted(found, key=lambda node: _extent(node).start)


def report_of(explanation: Explanation, measured: CallTimes) -> Report:
    """Return the report on what is explained."""
    return _Builder(explanation, measured).build()
