"""The report on a program as scientists write them: its summary, its annotated source, its page."""

from __future__ import annotations

import math
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from scipy.ndimage import gaussian_filter

import npcompile
from npcompile.explain import report_builder, sampling, timing
from npcompile.explain.report import Function, Line
from npcompile.explain.text import text_of
from tests.explain import growth
from tests.explain.test_explain import line_of

VOID = frozenset(["meta"])


@pytest.fixture(scope="module", autouse=True)
def interpreted() -> Iterator[None]:
    """On a busy machine there are as many samples, and the time of other processes is none of theirs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NPCOMPILE_BACKEND", "interpreter")
        patch.setattr(timing, "_LONGEST", math.inf)
        patch.setattr(timing, "ENOUGH", 300)
        patch.setattr(sampling, "clock", time.process_time)
        yield


@pytest.fixture(scope="module")
def found(interpreted: None) -> npcompile.Explanation:
    return npcompile.explain(growth.simulate, growth.start(64), growth.Model(width=30.0), 20)


def test_the_first_five_lines_say_most(found: npcompile.Explanation) -> None:
    first, speed, worst, memory, compilations = str(found).splitlines()[:5]
    assert re.match(
        r"simulate \(growth.py:\d+\): \d+% of the time ran compiled, \d+% in libraries, \d+%", first
    )
    assert re.match(r"speed: [\d.]+ times NumPy's \(NumPy [\d.]+ \w+, compiled [\d.]+ \w+\)", speed)
    assert re.match(r"held back most by: line \d+ \(\d+% of the time\): .+", worst)
    assert re.match(r"memory: kernels move .+ a call in .+; this machine's floor is .+ GB/s\)", memory)
    assert re.match(r"compilations: \d+ \(\d+ programs, \d+ kernels, 0 native loops\)", compilations)


def test_the_text_is_the_users_source_and_short(found: npcompile.Explanation) -> None:
    text = str(found)
    assert len(text.splitlines()) <= 60
    assert {function.name for function in found.report.functions} == {
        *("simulate", "laplacian", "reaction", "contrast")
    }
    assert "guard(" not in text and "_filters" not in text and "for(" not in text
    assert text.splitlines()[-1].startswith("library code: ") and "scipy" in text.splitlines()[-1]


def test_each_line_says_who_does_it(found: npcompile.Explanation) -> None:
    lines = {line.number: line for line in found.report.lines}
    assert lines[line_of(growth.reaction, "growth =")].kinds == ("compiled",)
    assert lines[line_of(growth.simulate, "gaussian_filter")].kinds == ("library",)
    assert lines[line_of(growth.simulate, "history = []")].kinds == ()
    shares = [line.share for line in lines.values() if line.share is not None]
    assert 0.9 < sum(shares) <= 1.001
    moved = lines[line_of(growth.simulate, "change =")]
    assert moved.bytes and moved.rate and moved.rate > 0


def test_advice_is_on_lines_that_may_be_changed(found: npcompile.Explanation) -> None:
    advised = [line for line in found.report.lines if line.advice]
    assert all(not line.advice.startswith(("nothing", "leave it")) for line in advised)
    assert not [line for line in advised if "gaussian_filter" in line.text]


def test_more_is_there_when_asked_for(found: npcompile.Explanation) -> None:
    assert "kernel 1" in found.text("program") and "guard(" in found.text("program")
    guards = found.text("guards")
    assert "guard(laplacian is laplacian)" in guards and "kernel 1" not in guards
    with pytest.raises(ValueError, match="detail is one of 'report'"):
        npcompile.explain(growth.reaction, np.ones(3), growth.Model(), detail="everything")  # type: ignore[arg-type]


def test_classes_with_code_of_their_own_are_not_called_again() -> None:
    calls = []

    class Loud:
        def __deepcopy__(self, memo):
            calls.append("copied")
            return self

    def scaled(x, box):
        return x * 2

    assert npcompile.explain(scaled, np.ones(3), Loud()).report is not None
    assert not calls


def adds(x, store={}):  # noqa: B006
    for _ in range(3):
        x = x + 1
    store["calls"] = store.get("calls", 0) + 1
    return x


def helped(x):
    for _ in range(3):
        x = x * 0.5
    adds(x)
    return x


@pytest.mark.parametrize("function", [adds, helped])
def test_functions_that_keep_something_are_called_once(function: Callable[..., Any]) -> None:
    adds.__defaults__[0].clear()
    for calls in (1, 2, 3):
        npcompile.explain(function, np.ones(30))
        assert adds.__defaults__[0]["calls"] == calls


def stack(*files: str) -> Any:
    """Return the innermost of frames in these files, the outermost first."""
    frame = None
    for file in files:
        frame = SimpleNamespace(f_code=compile("", file, "exec"), f_lineno=1, f_back=frame)
    return frame


def test_libraries_that_recording_calls_are_not_the_programs() -> None:
    called = sampling._sample(stack("program.py", torch.__file__))
    recorded = sampling._sample(stack("program.py", sampling.__file__, torch.__file__))
    assert called is not None and called.own is not None and called.own.below == "torch"
    assert recorded is not None and recorded.own is None and recorded.spot.below == sampling.NPCOMPILE


def test_a_line_that_is_compiled_has_no_reason_why_it_is_not() -> None:
    facts = report_builder._Facts(
        {"Python"}, seconds={"compiled": 1.0}, reason="a call of `roll`", advice="x"
    )
    report_builder._Builder._see(facts)
    assert (facts.kinds, facts.reason, facts.advice) == ({"compiled"}, "", "")
    facts = report_builder._Facts({"Python"}, seconds={"compiled": 2.0, "Python": 1.0}, reason="a print")
    report_builder._Builder._see(facts)
    assert (facts.kinds, facts.reason) == ({"compiled", "Python"}, "a print")


def test_a_line_names_all_who_do_it(found: npcompile.Explanation) -> None:
    line = Line(1, "    y = np.percentile(x, 5)" * 9, ("compiled", "library"), 0.5)
    idle = Line(2, "    z = y", ("compiled",), 0.0)
    report = replace(found.report, functions=(Function("f", found.file, (line, idle)),))
    text = text_of(report)
    assert " 50.0%  compiled, library " in text and max(map(len, text.splitlines()[6:])) <= 113
    assert text.splitlines()[-2].startswith("-: ")


# -- the page ------------------------------------------------------------------------------------------------


class Parts(HTMLParser):
    """Counts the elements of a page by name and class, and sees that each is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: Counter[str] = Counter()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)
        self.handle_startendtag(tag, attrs)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen[tag] += 1
        for name, value in attrs:
            self.seen.update(f"{tag}.{each}" for each in (value or "").split() if name == "class")
            if name in ("src", "href", "action", "data"):
                self.addresses.append(value or "")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_has_its_parts_and_needs_no_network(found: npcompile.Explanation, tmp_path: Path) -> None:
    found.save(tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text()
    parts = Parts()
    parts.feed(text)
    parts.close()
    assert not parts.open and not parts.addresses and "@import" not in text and "url(" not in text
    assert parts.seen["table.source"] == len(found.report.functions)
    assert parts.seen["svg.roofline"] == parts.seen["polyline.roof"] == 1
    assert parts.seen["g.kernel"] == len(found.report.points) > 0
    bars = [line for line in found.report.lines if line.share and line.kinds]
    assert parts.seen["div.fill"] == len(bars) > 0
    assert parts.seen["details"] >= 2
    assert found._repr_html_() in text


def test_sources_are_escaped(found: npcompile.Explanation) -> None:
    assert "x &lt; y" in npcompile.explain(lambda x, y: x < y, np.ones(3), np.ones(3))._repr_html_()


@pytest.mark.skipif(shutil.which("chromium") is None, reason="Debian's chromium is not installed")
def test_a_browser_shows_the_page(found: npcompile.Explanation, tmp_path: Path) -> None:
    found.save(tmp_path / "report.html")
    picture = tmp_path / "report.png"
    options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}"]
    page = (tmp_path / "report.html").as_uri()
    command = ["chromium", *options, "--window-size=1300,1600", f"--screenshot={picture}", page]
    subprocess.run(command, check=True, capture_output=True)
    assert picture.read_bytes().startswith(b"\x89PNG") and picture.stat().st_size > 20_000


# -- the user's own run --------------------------------------------------------------------------------------


def told(x: Any, log: list[str]) -> Any:
    y = np.sqrt(x) * 2.0
    log.append("one more")
    return np.exp(-y).sum()


def test_a_profile_calls_nothing_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "clock", time.perf_counter)  # as the block is timed
    jitted, log = npcompile.jit(told), []
    x = np.linspace(1.0, 2.0, 2_000_000)
    for _ in range(4):
        jitted(x, log)
        jitted.wait()
    with npcompile.profile() as found:
        for _ in range(20):
            jitted(x, log)
    assert len(log) == 24
    (explanation,) = (each for each in found.explanations if each.name == "told")
    report = explanation.report
    assert report.calls == 20 and 0 < report.seconds * 20 <= found.seconds
    assert report.numpy is None and explanation.result is None
    assert sum(line.share or 0.0 for line in report.lines) == pytest.approx(1.0)
    first, _, _, speed, *_ = str(found).splitlines()
    assert re.match(r"[\d.]+ m?s, \d+% of it in 1 jitted function", first), first
    assert re.match(r"speed: 20 calls of [\d.]+ \w+; not compared with NumPy: a profile calls", speed)
    with pytest.raises(RuntimeError, match="make another one"), found:
        pass


class Calls:
    count = 0


def written(x: Any, calls: Calls) -> Any:
    y = x
    for _ in range(4):
        y = np.sqrt(np.exp(-y * y)) * 2.0
    calls.count += 1
    return np.exp(-y).sum()


def test_a_call_that_has_effects_shows_the_times_of_its_lines() -> None:
    calls = Calls()
    explanation = npcompile.explain(written, np.linspace(1.0, 2.0, 2_000_000), calls)
    report = explanation.report
    assert calls.count == 1 and report.recorded and report.numpy is None and report.calls == 1
    assert sum(report.times.values()) == pytest.approx(1.0) and report.times["compiled"] > 0.5
    shares = {line.number: line.share or 0.0 for line in report.lines}
    assert shares[line_of(written, "y = np.sqrt")] > 0.3
    assert "% of the recorded call's time is compiled from now on" in str(explanation).splitlines()[0]


def test_a_call_of_which_nothing_is_compiled_shows_the_times_of_its_lines(tmp_path: Path) -> None:
    def printed(x: Any, file: Any) -> Any:
        print("one", file=file)
        return np.sqrt(np.exp(-x * x)) * 2.0

    with open(tmp_path / "log", "w") as file:
        explanation = npcompile.explain(printed, np.linspace(1.0, 2.0, 4_000_000), file)
    assert (tmp_path / "log").read_text() == "one\n"
    assert sum(explanation.report.times.values()) == pytest.approx(1.0)


@dataclass
class Run:
    history: list[float] = field(default_factory=list)


def appended(x: Any, run: Run) -> Any:
    for _ in range(3):
        x = np.sqrt(x) + 1.0
        run.history.append(float(x.sum()))
    return gaussian_filter(x, 2.0)


def test_a_history_that_is_appended_to_is_timed_on_copies() -> None:
    jitted, run = npcompile.jit(appended), Run()
    for _ in range(3):
        jitted(np.ones((40, 40)), run)
        jitted.wait()
    report = npcompile.explain(jitted, np.ones((40, 40)), run).report
    assert len(run.history) == 12 and report.numpy is not None and not report.recorded
    assert report.times["compiled"] > 0.0


def outer(x: Any) -> Any:
    return inner(x) + 1.0


@npcompile.jit
def inner(x: Any) -> Any:
    return np.sin(x) * 2.0


def test_a_profile_shows_callees_within_their_caller(tmp_path: Path) -> None:
    jitted = npcompile.jit(outer)
    x = np.linspace(1.0, 2.0, 300_000)
    with npcompile.profile() as found:
        for _ in range(20):
            jitted(x)
    assert [explanation.name for explanation in found.explanations] == ["outer"]
    assert {function.name for function in found.explanations[0].report.functions} == {"outer", "inner"}
    found.save(tmp_path / "profile.html")
    text = (tmp_path / "profile.html").read_text()
    assert text.count("<table") == 2 and found._repr_html_() in text


def test_errors_pass_through_a_profile() -> None:
    with pytest.raises(ZeroDivisionError), npcompile.profile() as found:
        1 / 0  # noqa: B018
    assert found.seconds > 0 and not found.explanations


def test_few_samples_give_no_line_its_part_of_the_time(found: npcompile.Explanation) -> None:
    line = line_of(growth.simulate, "gaussian_filter")
    code = growth.simulate.__code__
    spot = sampling.Spot(code.co_filename, line, code, "scipy")
    measured = sampling.CallTimes(calls=1, seconds=1e-3)
    measured.add(sampling.Sample(spot, (code,), None), sampling.Looks(1, 1e-3))
    report = report_builder.report_of(found, measured)
    assert not report.times and all(each.share is None for each in report.lines)
    assert "too few samples of the stack met its 1 call" in text_of(report).splitlines()[0]
    measured.add(sampling.Sample(spot, (code,), None), sampling.Looks(40, 40e-3))
    assert report_builder.report_of(found, measured).times["library"] == 1.0


def test_kernels_that_no_sample_meets_have_their_part_of_the_time(found: npcompile.Explanation) -> None:
    program = next(block for block in found.blocks if any(one.kernels for one in block.all_programs))
    codes = [code for one in program.all_programs if one.kernels for code in one.codes]
    code = growth.simulate.__code__
    spot = sampling.Spot(code.co_filename, line_of(growth.simulate, "gaussian_filter"), code, "scipy")
    measured = sampling.CallTimes(calls=10, seconds=1.0)
    measured.add(sampling.Sample(spot, (code,), None), sampling.Looks(100, 0.5))
    measured.kernels = {(codes[0], 0): sampling.KernelTimes(10, 0.5)}
    report = report_builder.report_of(found, measured)
    assert report.times["compiled"] == pytest.approx(0.5) and report.times["library"] == pytest.approx(0.5)


def test_samples_are_not_taken_where_numpy_lets_others_run_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    intervals = []
    sampler = sampling.StackSampler(lambda: 0.0)
    before = sys.getswitchinterval()

    def wait(_: float) -> bool:
        intervals.append(sys.getswitchinterval())
        return len(intervals) > 3

    monkeypatch.setattr(sampler._done, "wait", wait)
    with sampler.sampling():
        while len(intervals) <= 3:
            time.sleep(1e-3)
    assert max(intervals) < 1e-4 and sys.getswitchinterval() == before
