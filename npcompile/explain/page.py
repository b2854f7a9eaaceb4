"""Renders an explanation as one HTML page, which needs no network: source, time bars, a roofline, programs.

Notebooks show it without the outer page.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator
from html import escape

from npcompile.explain.programs import duration_text, size_text
from npcompile.explain.report import KINDS, Function, KernelPoint, Line, Report
from npcompile.explain.text import summary

_CLASSES = dict(zip(KINDS, ("compiled", "native", "library", "python"), strict=True))
_STYLE = """
.npc { font: 14px/1.45 system-ui, sans-serif; color: #1b1f24; background: #fff; max-width: 76em; }
.npc h1 { font-size: 1.35em; margin: .2em 0; } .npc h2 { font-size: 1.1em; margin: 1.2em 0 .3em; }
.npc ul { margin: .3em 0; padding-left: 1.2em; }
.npc table { border-collapse: collapse; width: 100%; }
.npc th { text-align: left; font-weight: 600; border-bottom: 1px solid #ccc; }
.npc td, .npc th { padding: 0 .6em 0 0; white-space: nowrap; text-align: left; background: none; }
.npc td.n { text-align: right; color: #59636e; font-variant-numeric: tabular-nums; }
.npc td.code, .npc pre { font: 12.5px/1.5 ui-monospace, monospace; white-space: pre; }
.npc td.bar { width: 9em; } .npc .track { background: #eef1f4; height: .75em; width: 8em; }
.npc .fill { height: 100%; }
.npc .compiled { background: #1a7f37; } .npc .native { background: #0969da; }
.npc .library { background: #bf8700; } .npc .python { background: #cf222e; }
.npc .tag { color: #fff; border-radius: 3px; padding: 0 .4em; font-size: .8em; margin-right: .2em; }
.npc .advice { color: #7d4e00; white-space: normal; }
.npc pre { overflow-x: auto; background: #f6f8fa; padding: .6em; }
.npc svg text { font: 11px system-ui, sans-serif; fill: #1b1f24; }
"""
_WIDTH, _HEIGHT, _LEFT, _BOTTOM = 620, 300, 70, 40  # of the roofline, and its margins


def fragment(report: Report, details: dict[str, str]) -> str:
    """Return what a notebook shows. details: further texts by title, which are folded."""
    parts = [f"<style>{_STYLE}</style>", '<div class="npc">', *_head(report)]
    for function in report.functions:
        parts += _source(function, report)
    if report.packages:
        names = ", ".join(
            escape(name) if part is None else f"{escape(name)} {part:.1%}"
            for name, part in sorted(report.packages.items(), key=lambda item: -(item[1] or 0.0))
        )
        parts.append(f'<p class="libraries">Library code: {names}</p>')
    parts += _roofline(report)
    for title, text in details.items():
        if text.strip():
            parts.append(f"<details><summary>{escape(title)}</summary><pre>{escape(text)}</pre></details>")
    return "\n".join([*parts, "</div>"])


def page(title: str, fragments: Iterable[str]) -> str:
    """Return a page by itself."""
    body = "\n".join(fragments)
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f"</head>\n"
        f"<body>\n{body}\n</body></html>\n"
    )


def _head(report: Report) -> Iterator[str]:
    first, *others = summary(report)
    yield f"<h1>{escape(first)}</h1>"
    yield '<ul class="summary">'
    for line in others:
        yield f"<li>{escape(line)}</li>"
    yield "</ul>"


# -- the source ----------------------------------------------------------------------------------------------


def _source(function: Function, report: Report) -> Iterator[str]:
    yield f"<h2>{escape(function.name)} ({escape(os.path.basename(function.file))})</h2>"
    yield '<table class="source"><thead><tr>'
    for title in ("line", "time", "", "done by", "moved", "of the floor", "kernels", "source"):
        yield f"<th>{title}</th>"
    yield "</tr></thead><tbody>"
    for line in function.lines:
        yield _row(line, report)
        if line.advice:
            told = escape(f"{line.reason}; instead: {line.advice}")
            yield f'<tr><td colspan="7"></td><td class="advice">{told}</td></tr>'
    yield "</tbody></table>"


def _row(line: Line, report: Report) -> str:
    share = "" if line.share is None else f"{line.share:.1%}"
    tags = "".join(f'<span class="tag {_CLASSES[kind]}">{kind}</span>' for kind in line.kinds)
    moved = "" if line.bytes is None else size_text(line.bytes)
    rate = ""
    if line.rate is not None:
        rate = f"{line.rate / 1e9:.3g} GB/s ({line.rate / report.bandwidth:.0%})"
    cells = [
        f'<td class="n">{line.number}</td>',
        f'<td class="n">{share}</td>',
        f'<td class="bar">{_bar(line)}</td>',
        f"<td>{tags}</td>",
        f'<td class="n">{moved}</td>',
        f'<td class="n">{rate}</td>',
        f"<td>{escape(', '.join(line.kernels))}</td>",
        f'<td class="code" title="{escape(line.reason)}">{escape(line.text)}</td>',
    ]
    return f"<tr>{''.join(cells)}</tr>"


def _bar(line: Line) -> str:
    if not line.share or not line.kinds:
        return ""
    width = f"{max(1.0, 100 * line.share):.1f}%"
    return (
        f'<div class="track"><div class="fill {_CLASSES[line.kinds[-1]]}" style="width:{width}"></div></div>'
    )


# -- the roofline --------------------------------------------------------------------------------------------


def _roofline(report: Report) -> Iterator[str]:
    """Yield a picture of operations a second over operations a byte, on logarithmic axes."""
    points = [point for point in report.points if point.bytes and point.seconds and point.operations]
    if not points:
        return
    xs = [point.operations / point.bytes for point in points]
    ys = [point.operations / point.seconds for point in points]
    ridge = report.peak / report.bandwidth
    left, right = _decades([*xs, ridge])
    low, high = _decades([*ys, report.peak, report.bandwidth * 10.0**left])

    def place(x: float, y: float) -> tuple[float, float]:
        across = (math.log10(x) - left) / (right - left) * (_WIDTH - _LEFT - 20)
        up = (math.log10(y) - low) / (high - low) * (_HEIGHT - _BOTTOM - 20)
        return _LEFT + across, _HEIGHT - _BOTTOM - up

    yield "<h2>Roofline</h2>"
    yield (
        f"<p>This machine moves {report.bandwidth / 1e9:.3g} GB/s and does {report.peak / 1e9:.3g} thousand"
        " million operations on float64 a second, as measured. A kernel near the slanted line is held back by"
        " memory alone; one above it works in the caches.</p>"
    )
    size = f'viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" height="{_HEIGHT}"'
    yield f'<svg class="roofline" {size} role="img">'
    yield "<title>Operations a second over operations a byte, of each kernel</title>"
    for power in range(left, right + 1):
        x, y = place(10.0**power, 10.0**low)
        yield f'<line x1="{x:.1f}" y1="20" x2="{x:.1f}" y2="{y:.1f}" stroke="#e5e8eb"/>'
        yield f'<text x="{x:.1f}" y="{y + 14:.1f}" text-anchor="middle">{10.0**power:g}</text>'
    for power in range(low, high + 1):
        x, y = place(10.0**left, 10.0**power)
        yield f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{_WIDTH - 20}" y2="{y:.1f}" stroke="#e5e8eb"/>'
        yield f'<text x="{x - 4:.1f}" y="{y + 4:.1f}" text-anchor="end">{10.0 ** (power - 9):g}</text>'
    yield f'<text x="{_WIDTH / 2}" y="{_HEIGHT - 6}" text-anchor="middle">operations a byte</text>'
    yield '<text x="4" y="12">10⁹ operations a second</text>'
    corners = [(10.0**left, report.bandwidth * 10.0**left), (ridge, report.peak), (10.0**right, report.peak)]
    roof = " ".join(f"{x:.1f},{y:.1f}" for x, y in (place(*corner) for corner in corners))
    yield f'<polyline class="roof" points="{roof}" fill="none" stroke="#59636e" stroke-width="2"/>'
    for point, x, y in zip(points, xs, ys, strict=True):
        yield _dot(point, *place(x, y))
    yield "</svg>"


def _dot(point: KernelPoint, x: float, y: float) -> str:
    lines = ", ".join(map(str, sorted(set(point.lines))))
    told = (
        f"{point.name}: lines {lines}; {size_text(point.bytes)} and {point.operations:,} operations in"
        f" {duration_text(point.seconds)}, {point.runs:.3g} times a call"
    )
    return (
        f'<g class="kernel"><title>{escape(told)}</title>'
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="#1a7f37" fill-opacity=".75"/>'
        f'<text x="{x + 7:.1f}" y="{y + 4:.1f}">{point.name}</text></g>'
    )


def _decades(values: list[float]) -> tuple[int, int]:
    """Return powers of ten around values."""
    return math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)) + 1e-9)
