"""`npcompile.explain` says what became of a function's lines, and why, as text and as fields."""

from __future__ import annotations

import textwrap
import types
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from npcompile.diagnostics.not_compiled import NotCompiledWarning
from npcompile.diagnostics.reason import Cause, Reason
from npcompile.diagnostics.recompilations import Recompilation, recompilations
from npcompile.diagnostics.stats import Stats
from npcompile.explain.blocks import NOT_YET, Block, LeftToPython, blocks_of, functions_of, left_to_python
from npcompile.explain.loops import ExplainedLoop, loops_of
from npcompile.explain.programs import ExplainedProgram, Step, explained, size_text
from npcompile.explain.timing import Seconds, kept, timed
from npcompile.frontend.eager.errstate import traps
from npcompile.frontend.passes.order import RECORDING, Snapshot, watched
from npcompile.jit import Jitted, Partial, jit
from npcompile.partition.partitioned import PartitionedFunction, cut_of
from npcompile.runtime.function import RecordedFunction, Specialization


@dataclass(frozen=True)
class Copies:
    """Bytes that one call moves: written by kernels, and copied between host and device.

    in_loops: some of the kernels are run at each trip of a loop, or each time a function is called; they
    count once.
    """

    bytes_written: int
    bytes_to_device: int
    bytes_from_device: int
    in_loops: bool = False

    def __str__(self) -> str:
        text = f"kernels write {size_text(self.bytes_written)}"
        if self.in_loops:
            text += " (what is done at each trip counts once)"
        if self.bytes_to_device or self.bytes_from_device:
            moved = (
                f"{size_text(self.bytes_to_device)} to the device, {size_text(self.bytes_from_device)} back"
            )
            return f"{text}; copied: {moved}"
        return f"{text}; nothing is copied to or from a device"


@dataclass(frozen=True)
class Hint:
    """Something that runs uncompiled: where, why, and what to write instead."""

    where: str
    reason: str
    write: str

    def __str__(self) -> str:
        return f"{self.where}: {self.reason}\n    instead: {self.write}"


@dataclass(frozen=True)
class Explanation:
    """The fate of a function's parts, for one signature of its arguments. `str` of it is for reading.

    result: the call's result. programs: the residual programs of the function as a whole. why_cut: why there
    are none, where recording it whole was tried; then blocks are recorded from the next call on: explain it
    again. blocks: the recorded blocks of a function that was cut; loops: its loops that are done natively, or
    might have been; functions: those that it calls from between its blocks; left: statements that Python
    carries out. recompilations: why there is more than one program or signature. reasons: why anything ran
    uncompiled. strict_error: the same, with what to write instead. passes: the programs after each pass,
    where that was asked for.
    """

    name: str
    file: str
    line: int
    result: Any = field(repr=False)
    programs: tuple[ExplainedProgram, ...]
    blocks: tuple[Block, ...]
    loops: tuple[ExplainedLoop, ...]
    functions: tuple[Block, ...]
    left: tuple[LeftToPython, ...]
    copies: Copies
    recompilations: tuple[Recompilation, ...]
    reasons: tuple[str, ...]
    seconds: Seconds
    strict_error: tuple[Hint, ...]
    stats: Stats = field(repr=False)
    why_cut: str = ""
    passes: tuple[Snapshot, ...] = ()

    @property
    def all_programs(self) -> tuple[ExplainedProgram, ...]:
        """The programs of the function, of its blocks and of the functions that it calls."""
        inner = (program for block in (*self.blocks, *self.functions) for program in block.all_programs)
        return (*self.programs, *inner)

    @property
    def steps(self) -> tuple[Step, ...]:
        return tuple(step for program in self.all_programs for step in program.steps)

    @property
    def guards(self) -> tuple[Step, ...]:
        """The checks that must hold for the programs to be replayed."""
        return tuple(step for step in self.steps if step.became == "guard")

    @property
    def source(self) -> str:
        """The generated C++ or Triton of all kernels, and of native loops."""
        texts = [program.source for program in self.all_programs]
        return "\n".join([*texts, *(loop.source for loop in self.loops)])

    def __str__(self) -> str:
        lines = [f"{self.name} ({self.file}:{self.line})" if self.file else self.name]
        for number, program in enumerate(self.programs, 1):
            lines += [f"program {number}: {program.signature}", str(program)]
        for title, parts in (("blocks", self.blocks), ("functions called between blocks", self.functions)):
            if parts:
                lines += [f"{title}:", *[str(part) for part in parts]]
        if self.loops:
            lines += ["loops:", *[textwrap.indent(str(loop), "  ") for loop in self.loops]]
        if self.left:
            lines += ["left to Python:", *[f"  {part}" for part in self.left]]
        if self.why_cut:
            lines.append(f"not recorded as a whole: {self.why_cut}")
        if not self.all_programs and not any(loop.source for loop in self.loops):
            waits = self.why_cut or any(block.way == NOT_YET for block in self.blocks)
            later = "; its blocks are recorded from the next call on" if self.blocks and waits else ""
            lines.append(f"nothing of it is compiled{later}")
        for snapshot in self.passes:
            lines += _pass_text(snapshot)
        lines.append(f"memory: {self.copies}")
        lines.append(f"time: {self.seconds}")
        if self.recompilations:
            lines += ["recorded again:", *[f"  {again}" for again in self.recompilations]]
        if self.strict_error:
            lines += ["uncompiled:", *[f"  {hint}" for hint in self.strict_error]]
        return "\n".join(lines)


def _pass_text(snapshot: Snapshot) -> list[str]:
    """Return the lines about one pass: the program, if the pass has changed it."""
    if not snapshot.changed:
        return [f"{snapshot.program} after {snapshot.after}: no change"]
    mark = "" if snapshot.after == RECORDING else " (changed)"
    return [
        f"{snapshot.program} after {snapshot.after}{mark}:",
        *(f"    {line}" for line in snapshot.text.splitlines()),
    ]


def explain(f: Callable[..., Any], /, *args: Any, passes: bool = False, **kwargs: Any) -> Explanation:
    """Explain what becomes of `f(*args, **kwargs)`: program, kernels, guards, copies, time, and why.

    f: a function under `npcompile.jit`, or one that is not (it is then put under it for this), or a method.
    It is called with these arguments, so its effects happen, once; then it waits for compilations.
    A function that is sure to have no effects is called some more times, to be timed; `stats` does not count
    these calls.

    passes: show each residual program that the call records as it was recorded, and after each pass by the
    pass's name; a program is repeated where the pass has changed it. The call is recorded anew for this, by a
    jit of its own. A parameter of the function's own that is named `passes` is given by position.

    Raises the call's exception. With `strict=True`, statements that cannot be compiled are explained, not
    raised.
    """
    if not callable(f) or isinstance(f, type):
        raise TypeError(f"npcompile.explain takes a function, not {'a class' if callable(f) else repr(f)}")
    jitted = isinstance(f, Jitted | Partial) or _is_method(f)
    made: Any = f if jitted else jit(f)
    if isinstance(made, Partial):
        made, args, kwargs = made.func, (*made.args, *args), made.keywords | kwargs
    if isinstance(made, types.MethodType):
        made, args = made.__func__, (made.__self__, *args)
    assert isinstance(made, Jitted)
    if passes and jitted:
        made = jit(
            made.__wrapped__,
            wait=made._wait,
            strict=made._strict,
            default_float=made._default_float,
            fast_random=made.fast_random,
        )
    if passes or not jitted:
        made.share_nothing()
    key = _key(made, args, kwargs)
    before = replace(made.stats)
    strict, made._strict = made._strict, False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NotCompiledWarning)
            known = made._states.get(key) if key is not None else None
            # The call that is timed later needs the arguments as this call finds them.
            first = None if known and known.entries and not known.partitioned else kept(args, kwargs)
            with watched(passes) as snapshots:
                result = made(*args, **kwargs)
            made.wait()
            state = made._states.get(key) if key is not None else None
            moved = _moved(before, made.stats)
            seconds, again = timed(made, state, args, kwargs, first)
    finally:
        made._strict = strict
    explanation = _explanation(made, state, result, again or moved, seconds)
    return replace(explanation, passes=tuple(snapshots))


def _moved(before: Stats, after: Stats) -> tuple[int, int]:
    """Bytes that were copied to and from the device between two counts."""
    return (
        after.bytes_to_device - before.bytes_to_device,
        after.bytes_from_device - before.bytes_from_device,
    )


def _is_method(f: Any) -> bool:
    return isinstance(f, types.MethodType) and isinstance(f.__func__, Jitted)


def _key(jitted: Jitted, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return the signature of a call; None where it has none."""
    bound = jitted._binding.bind(args, kwargs)
    if bound is None:
        return None
    key = jitted.signature(*bound, [])
    try:
        hash(key)
    except TypeError:
        return None
    return key


def _explanation(
    jitted: Jitted, state: Specialization | None, result: Any, moved: tuple[int, int], seconds: Seconds
) -> Explanation:
    code = getattr(jitted.__wrapped__, "__code__", None)
    partitioned = None if state is None else cut_of(state)
    programs = () if state is None else tuple(explained(entry) for entry in state.entries)
    blocks = () if partitioned is None else blocks_of(partitioned)
    functions = () if partitioned is None else functions_of(partitioned.root)
    reasons = [*jitted.stats.told]
    if not reasons and not (programs or blocks or functions):
        if traps():
            reasons.append(Cause.ERRSTATE_AROUND())
    stats, why_cut = jitted.stats, _why_cut(partitioned)
    parts = (*blocks, *functions)
    every = [*programs, *(program for part in parts for program in part.all_programs)]
    written = max((program.bytes_written for program in programs), default=0)
    written += sum(part.bytes_written for part in parts)
    return Explanation(
        name=jitted.name,
        file=code.co_filename if code else "",
        line=code.co_firstlineno if code else 0,
        result=result,
        programs=programs,
        blocks=blocks,
        loops=() if partitioned is None else loops_of(partitioned),
        functions=functions,
        left=() if partitioned is None else _left(partitioned),
        copies=Copies(written, *moved, any(map(_is_repeated, parts))),
        recompilations=recompilations(jitted),
        reasons=tuple(reason.located for reason in reasons),
        seconds=seconds,
        strict_error=tuple(
            dict.fromkeys(
                [
                    *([] if every else why_cut),
                    *(_hint(reason, code) for reason in reasons),
                    *_host_hints("", programs),
                    *(hint for part in parts for hint in _host_hints(part.elsewhere, part.all_programs)),
                ]
            )
        ),
        stats=stats,
        why_cut="".join(f"{hint.where}: {hint.reason}" for hint in why_cut),
    )


def _is_repeated(block: Block) -> bool:
    """Tell if kernels of a block may run more than once in a call."""
    own = (block.in_loop or block.name != "block") and bool(block.all_programs)
    return own or any(map(_is_repeated, block.inside))


def _left(partitioned: PartitionedFunction) -> tuple[LeftToPython, ...]:
    """Return the statements that Python carries out, in the function and in those that its cut calls."""
    callees = [
        callee for callee in list(partitioned.root.callees.values()) if isinstance(callee, RecordedFunction)
    ]
    cuts = [cut_of(state) for callee in callees for state in callee._states.values()]
    known = dict.fromkeys(cut for cut in (partitioned, *cuts) if cut is not None)
    return tuple(part for cut in known for part in left_to_python(cut))


def _why_cut(partitioned: PartitionedFunction | None) -> list[Hint]:
    """Return why a function could not be recorded as a whole, where that was tried."""
    if partitioned is None or partitioned.why is None:
        return []
    reason, line = partitioned.why
    reason = reason or Cause.NOT_RECORDED()
    return [Hint(f"line {line}" if line else "all of it", str(reason), reason.advice)]


# -- what to write instead -----------------------------------------------------------------------------------


def _hint(reason: Reason, code: types.CodeType | None) -> Hint:
    """Return what to write instead for a reason. code: of the function, whose own file is not named."""
    if reason.where is None:
        return Hint("all of it", str(reason), reason.advice)
    file, line = reason.where
    within = "" if code is not None and file == code.co_filename else f" of {file}"
    return Hint(f"line {line}{within}", str(reason), reason.advice)


def _host_hints(file: str, programs: tuple[ExplainedProgram, ...]) -> list[Hint]:
    """Return the calls of NumPy within programs. file: of these, where it is not the function's own."""
    within = f" of {file}" if file else ""
    return [
        Hint(
            step.elsewhere or f"line {step.line}{within}",
            f"{step.text}: {step.detail}",
            step.reason.advice,
        )
        for program in programs
        for step in program.steps
        if step.reason is not None
    ]
