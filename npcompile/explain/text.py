"""Renders a report as text: a summary of five lines, then the user's source with facts beside it."""

from __future__ import annotations

import os
import textwrap

from npcompile.diagnostics.words import count_text
from npcompile.explain.programs import duration_text, size_text
from npcompile.explain.report import Function, Line, Report

MOST_LINES = 60  # of text; a longer report leaves out lines that have nothing beside them, then the last ones
_WIDEST = 66  # of the source, beside the names of one kind
_BESIDE = 34  # of what stands before it
_KIND = 11  # of these names, if no line has several
_NONE_RAN = "; it is compiled, but this was done by plain Python: by turns, as it is faster, or another way"
_LONGER = "; more calls within `npcompile.profile()` show its lines"
_UNTIMED = "-: no time was met there; the time of a kernel stands where it is called"


def text_of(report: Report) -> str:
    """Return the report as text."""
    head, last = summary(report), [*_legend(report), *_libraries(report)]
    room = MOST_LINES - len(head) - len(last) - 2
    full = [line for function in report.functions for line in _source(function, report, shortened=False)]
    if len(full) > room:
        full = [line for function in report.functions for line in _source(function, report, shortened=True)]
    if len(full) > room:
        full = [*full[: room - 1], f"  ... {len(full) - room + 1} more lines: see `.report` or `.save(...)`"]
    columns = f"  line   time  {'done by':<{_width(report)}}    moved      rate  source"
    return "\n".join([*head, *([columns] if full else []), *full, *last])


def summary(report: Report) -> list[str]:
    """Return the five lines that say most, and a sixth where a device and the host were compared."""
    place = f" ({os.path.basename(report.file)}:{report.line})" if report.file else ""
    return [
        f"{report.name}{place}: {_parts(report)}",
        f"speed: {_speed(report)}",
        f"held back most by: {_bottleneck(report)}",
        f"memory: {_memory(report)}",
        f"compilations: {_compilations(report)}",
        *([f"device: {report.device}"] if report.device else []),
    ]


def _parts(report: Report) -> str:
    if not report.times:
        if report.calls and not report.recorded:
            count, longer = ("too few samples", _LONGER) if report.seconds else ("no sample", "")
            return f"not timed: {count} of the stack met its {count_text(report.calls, 'call')}{longer}"
        if report.programs or report.native_loops:
            return "parts of it are compiled; for the time of its lines, call it within `npcompile.profile()`"
        return f"nothing of it is compiled{report.waits and '; ' + report.waits}"
    compiled = report.times["compiled"] + report.times["native loop"]
    others = [f"{report.times['library']:.0%} in libraries", f"{report.times['Python']:.0%} in Python"]
    native = f" ({report.times['native loop']:.0%} in native loops)" if report.times["native loop"] else ""
    if report.recorded and not (report.programs or report.native_loops):
        return f"nothing of it is compiled yet; {' and '.join(others)}"
    what = "the recorded call's time is compiled from now on" if report.recorded else "the time ran compiled"
    none = _NONE_RAN if _is_idle(report) else ""
    return f"{compiled:.0%} of {what}{native}, {', '.join(others)}{none}"


def _is_idle(report: Report) -> bool:
    """Tell if there is compiled code, of which no call has used any."""
    ran = report.times["compiled"] or report.times["native loop"] or report.kernel_seconds
    return bool(report.kernels or report.native_loops) and not (ran or report.recorded)


def _speed(report: Report) -> str:
    if report.numpy is None or report.replay is None:
        each = f" of {duration_text(report.seconds)}" if report.seconds else ""
        calls = f"{count_text(report.calls, 'call')}{each}; " if report.calls else ""
        return f"{calls}not compared with NumPy: {report.untimed}"
    times = f"NumPy {duration_text(report.numpy)}, compiled {duration_text(report.replay)}"
    return f"{report.numpy / report.replay:.3g} times NumPy's ({times})"


def _bottleneck(report: Report) -> str:
    found = report.bottleneck
    if found is None:
        if not report.functions:
            return "not known, as its source is in no file"
        known = report.times or report.programs or report.native_loops
        return "nothing outside of compiled code" if known else "not known, as nothing was timed"
    file = "" if found.file == report.file else f" of {os.path.basename(found.file)}"
    share = "" if found.share is None else f" ({found.share:.0%} of the time)"
    advice = f"; instead: {found.advice}" if found.advice else ""
    return f"line {found.number}{file}{share}: {found.reason}{advice}"


def _memory(report: Report) -> str:
    if report.bytes is None or not report.kernel_seconds:
        return "no kernel was timed"
    rate, least = report.bytes / report.kernel_seconds, report.bytes / report.bandwidth
    return (
        f"kernels move {size_text(report.bytes)} a call in {duration_text(report.kernel_seconds)}"
        f" ({rate / 1e9:.3g} GB/s); this machine's floor is {duration_text(least)}"
        f" ({report.bandwidth / 1e9:.3g} GB/s)"
    )


def _compilations(report: Report) -> str:
    parts = [
        count_text(report.programs, "program"),
        count_text(report.kernels, "kernel"),
        count_text(report.native_loops, "native loop"),
    ]
    again = f"; recorded again: {count_text(report.recompilations, 'time')}" if report.recompilations else ""
    return f"{report.compilations} ({', '.join(parts)}){again}"


def _source(function: Function, report: Report, shortened: bool) -> list[str]:
    """Return a function's lines. shortened: without those that have nothing beside them."""
    made = [] if function.file == report.file else [f"  {function.name} ({function.file})"]
    indent = min((_indent(line.text) for line in function.lines if line.text.strip()), default=0)
    before = None
    for line in function.lines:
        if shortened and not line.kinds and line is not function.lines[0]:
            continue
        if not line.text.strip():
            continue
        if before is not None and shortened and line.number > before + 1:
            made.append("   ...")
        before = line.number
        made.append(_row(line, indent, _width(report)))
        if line.advice:
            told = textwrap.wrap(f"^ {line.reason}; instead: {line.advice}", _WIDEST + _BESIDE)
            made += [f"{'':8}{part}" for part in told]
    return made


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())


def _kinds(line: Line) -> str:
    return ", ".join(line.kinds)


def _width(report: Report) -> int:
    """Return the width of the names of the kinds of lines."""
    return max([_KIND, *(len(_kinds(line)) for line in report.lines)])


def _legend(report: Report) -> list[str]:
    return [_UNTIMED] if any(line.share == 0 for line in report.lines) else []


def _row(line: Line, indent: int, width: int) -> str:
    share = "" if line.share is None else f"{line.share:.1%}" if line.share else "-"
    moved = "" if line.bytes is None else size_text(line.bytes)
    rate = "" if line.rate is None else f"{line.rate / 1e9:.2g} GB/s"
    text = line.text[indent:]
    room = _WIDEST + _KIND - width
    text = text if len(text) <= room else f"{text[: room - 3]}..."
    return f"{line.number:6} {share:>6}  {_kinds(line):<{width}} {moved:>8} {rate:>9}  {text}".rstrip()


def _libraries(report: Report) -> list[str]:
    """Return one line on all library code."""
    known = sorted(report.packages.items(), key=lambda item: -(item[1] or 0.0))
    names = [name if part is None else f"{name} {part:.1%}" for name, part in known]
    return [f"library code: {', '.join(names)}"] if names else []
