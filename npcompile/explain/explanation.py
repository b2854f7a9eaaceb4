"""Holds the fate of a function's parts, for one signature of its arguments, as text and as HTML."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from npcompile.diagnostics import log
from npcompile.diagnostics.recompilations import Recompilation
from npcompile.diagnostics.stats import Stats
from npcompile.explain.blocks import NOT_YET, Block, LeftToPython
from npcompile.explain.loops import ExplainedLoop
from npcompile.explain.page import fragment, page
from npcompile.explain.programs import ExplainedProgram, Step, size_text
from npcompile.explain.report import Report
from npcompile.explain.text import text_of
from npcompile.explain.timing import Seconds
from npcompile.frontend.passes.order import RECORDING, Snapshot

Detail = Literal["report", "program", "guards", "passes", "source"]


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
    might have been; graphs: by line, the loops whose trips were done at once on a device, or why not;
    functions: those that it calls from between its blocks; left: statements that Python carries out.
    recompilations: why there is more than one program or signature. reasons: why anything ran uncompiled.
    strict_error: the same, with what to write instead. passes: the programs after each pass, where that was
    asked for. report: the summary and the annotated source. detail: the text that `str` gives.
    """

    name: str
    file: str
    line: int
    result: Any = field(repr=False)
    programs: tuple[ExplainedProgram, ...]
    blocks: tuple[Block, ...]
    loops: tuple[ExplainedLoop, ...]
    graphs: tuple[tuple[int, str], ...]
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
    report: Report = field(default=None, repr=False)  # type: ignore[assignment]
    detail: Detail = "report"

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

    @property
    def waits(self) -> str:
        """Why more is compiled at later calls; empty where nothing is awaited."""
        if self.blocks and (self.why_cut or any(block.way == NOT_YET for block in self.blocks)):
            return "its blocks are recorded from the next call on"
        return ""

    def __str__(self) -> str:
        return self.text(self.detail)

    def text(self, detail: Detail = "report") -> str:
        """Return the explanation as text.

        Parameters
        ----------
        detail : {"report", "program", "guards", "passes", "source"}, default "report"
            As for `npcompile.explain`. Programs after each pass are there only if that was asked for.

        Returns
        -------
        str
            Some lines for people to read.
        """
        return _TEXTS[checked(detail)](self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the explanation as one HTML page, which needs no network.

        Parameters
        ----------
        path : path-like
            The file to write, such as "report.html".
        """
        with open(path, "w", encoding="utf-8") as file:
            file.write(page(f"{self.name}, explained", [self._repr_html_()]))

    def _repr_html_(self) -> str:
        return fragment(self.report, self._details())

    def _details(self) -> dict[str, str]:
        """Return the texts that a page folds, by title."""
        titles: dict[str, Detail] = {"Programs": "program", "Guards": "guards", "Generated code": "source"}
        titles |= {"Passes": "passes"} if self.passes else {}
        return {title: _TEXTS[detail](self) for title, detail in titles.items()}


def checked(detail: Any) -> Detail:
    """Return a detail that there is; raise ValueError for another."""
    if detail not in _TEXTS:
        raise ValueError(f"detail is one of {', '.join(map(repr, _TEXTS))}, not {detail!r}")
    return detail


def _program_text(self: Explanation) -> str:
    """Return programs, blocks, loops and what is left, with each step on its line."""
    lines = [_title(self)]
    for number, program in enumerate(self.programs, 1):
        lines += [f"program {number}: {program.signature}", str(program)]
    for title, parts in (("blocks", self.blocks), ("functions called between blocks", self.functions)):
        if parts:
            lines += [f"{title}:", *[str(part) for part in parts]]
    if self.loops:
        lines += ["loops:", *[textwrap.indent(str(loop), "  ") for loop in self.loops]]
    if self.graphs:
        lines += ["loops on the device:", *[f"  line {line}: {what}" for line, what in self.graphs]]
    if self.left:
        lines += ["left to Python:", *[f"  {part}" for part in self.left]]
    if self.why_cut:
        lines.append(f"not recorded as a whole: {self.why_cut}")
    if not self.all_programs and not any(loop.source for loop in self.loops):
        lines.append(f"nothing of it is compiled{self.waits and '; ' + self.waits}")
    lines.append(f"memory: {self.copies}")
    lines.append(f"time: {self.seconds}")
    if self.recompilations:
        lines += ["recorded again:", *[f"  {again}" for again in self.recompilations]]
    if self.strict_error:
        lines += ["uncompiled:", *[f"  {hint}" for hint in self.strict_error]]
    return "\n".join(lines)


def _guards_text(self: Explanation) -> str:
    """Return the guards of each program, with their lines."""
    lines = [_title(self)]
    for number, program in enumerate(self.all_programs, 1):
        lines.append(f"program {number}: {program.signature}")
        lines += [f"  {guard.where:>6}  {guard.text}" for guard in program.guards]
    if self.recompilations:
        lines += ["recorded again:", *[f"  {again}" for again in self.recompilations]]
    return "\n".join(lines)


def _passes_text(self: Explanation) -> str:
    lines = [line for each in self.passes for line in _pass_text(each)]
    none = "no program was recorded in this call"
    if self.detail != "passes":
        none = 'passes are noted by `npcompile.explain(f, *args, detail="passes")` alone'
    return "\n".join([_title(self), *(lines or [none])])


def _source_text(self: Explanation) -> str:
    """Return native loops as their source with types, and the C++ or Triton of everything."""
    loops = [textwrap.indent(f"{loop}\n{loop.listing}", "  ") for loop in self.loops]
    return "\n".join([_title(self), *loops, self.source])


def _title(self: Explanation) -> str:
    return log.function_at(self.name, self.file, self.line)


_TEXTS: dict[Detail, Callable[[Explanation], str]] = {
    "report": lambda explanation: text_of(explanation.report),
    "program": _program_text,
    "guards": _guards_text,
    "passes": _passes_text,
    "source": _source_text,
}


def _pass_text(snapshot: Snapshot) -> list[str]:
    """Return the lines about one pass: the program, if the pass has changed it."""
    if not snapshot.changed:
        return [f"{snapshot.program} after {snapshot.after}: no change"]
    mark = "" if snapshot.after == RECORDING else " (changed)"
    return [
        f"{snapshot.program} after {snapshot.after}{mark}:",
        *(f"    {line}" for line in snapshot.text.splitlines()),
    ]
