"""The logger "npcompile": compilations, fallbacks and further recordings; and the line on a terminal."""

from __future__ import annotations

import io
import logging
import re
import sys

import numpy as np
import pytest

import npcompile
from npcompile.diagnostics import log


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def grown(x: np.ndarray) -> np.ndarray:
    if x[0] > 0:
        return np.sqrt(x * x + 1.0) - 0.25
    return np.sqrt(x * x + 2.0) + 0.75


def summed(x: np.ndarray) -> float:
    last = 0.0
    for i in range(len(x)):
        last = 0.5 * last + x[i]
    return last


def test_compilations_and_further_recordings_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    function, loop = npcompile.jit(grown, wait=True), npcompile.jit(summed, wait=True)
    with caplog.at_level(logging.DEBUG, "npcompile"):
        for x in (np.ones(3000), -np.ones(3000), np.ones(3000, np.float32)):
            function(x)
        loop(np.ones(300))
        before = len(caplog.records)
        for _ in range(20):
            function(np.ones(3000))
    assert len(caplog.records) == before  # replays log nothing
    texts = [(record.levelname, record.getMessage()) for record in caplog.records]
    place = rf"grown \({re.escape(__file__)}:{grown.__code__.co_firstlineno}\)"
    begun = [
        text
        for level, text in texts
        if level == "INFO" and re.fullmatch(f"{place}: compilation begins", text)
    ]
    ended = [text for level, text in texts if re.fullmatch(rf"{place}: compiled in \d+\.\d\d s", text)]
    assert len(begun) == len(ended) == function.stats.compilations > 0
    again = [
        text for level, text in texts if level == "DEBUG" and re.match(f"{place}: recorded again: ", text)
    ]
    assert len(again) == 2
    assert "another decision: " in again[0] and "new signature: x: dtype float64, now float32" in again[1]
    line = summed.__code__.co_firstlineno + 2
    assert [text for _, text in texts if re.fullmatch(rf"summed \(.*:{line}\): compiled in .* s", text)]


def test_a_fallback_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    @npcompile.jit
    def reads(x: np.ndarray) -> float:
        return float(eval("x.sum()"))

    with caplog.at_level(logging.INFO, "npcompile"), pytest.warns(npcompile.NotCompiledWarning):
        for _ in range(5):
            reads(np.ones(4))
    told = [record for record in caplog.records if "left to Python" in record.getMessage()]
    assert [record.getMessage().partition(": left to Python: ")[2] for record in told] == reads.stats.reasons
    assert {record.levelno for record in told} == {logging.INFO}


def test_nothing_is_shown_by_default() -> None:
    assert any(isinstance(handler, logging.NullHandler) for handler in log.LOGGER.handlers)
    assert log.LOGGER.level == logging.NOTSET and log.LOGGER.propagate


def test_a_long_wait_shows_on_a_terminal_and_is_erased(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log, "QUIET", 0.02)
    monkeypatch.setattr(log, "EVERY", 0.01)
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    function = npcompile.jit(lambda x: np.sin(x) * 3.0 + x / 7.0)
    function(np.ones(5000))
    function.wait()
    shown = terminal.getvalue()
    assert "\r\x1b[Knpcompile: compiling <lambda>, 0 s" in shown
    assert shown.endswith("\r\x1b[K") and "\n" not in shown


def test_a_short_wait_and_a_wait_without_terminal_show_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    with log.waiting("f"):
        pass
    assert terminal.getvalue() == ""
    monkeypatch.setattr(log, "QUIET", 0.0)
    for stream in (io.StringIO(), None):
        monkeypatch.setattr(sys, "stderr", stream)
        with log.waiting("f"):
            pass
        assert stream is None or stream.getvalue() == ""
