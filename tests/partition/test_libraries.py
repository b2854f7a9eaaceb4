"""Installed libraries' functions are called as they are, wherever they lie: nothing inside is recorded."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from scipy import linalg, signal
from scipy.interpolate import CubicSpline
from scipy.spatial import cKDTree
from sklearn.preprocessing import StandardScaler

import npcompile
from npcompile import NotCompiledError
from npcompile.frontend.pipeline import trace
from npcompile.frontend.record.recorder import Recorder
from npcompile.frontend.rewrite.rewriter import Rewritten
from npcompile.runtime import function

SOURCE = """
import numpy as np


def checked(x):
    if x.ndim != 1 or not np.isfinite(x).all():
        raise ValueError("x is to be finite numbers along one axis")
    return x - x.mean()


def scaled(x, factor=2.0):
    x = checked(x)
    return x * factor


class Model:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, x):
        return scaled(x, self.factor)

    def fit(self, x):
        self.mean = checked(x).sum()
        return self
"""


@pytest.fixture(params=["site-packages", "dist-packages"])
def library(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ModuleType]:
    """A package in an environment that this one was made on: no folder that sysconfig names."""
    folder = tmp_path / "base" / "lib" / request.param
    folder.mkdir(parents=True)
    (folder / "far_library.py").write_text(SOURCE)
    sys.path.insert(0, str(folder))
    yield importlib.import_module("far_library")
    sys.path.remove(str(folder))
    del sys.modules["far_library"]


@pytest.fixture
def gone_into(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the functions that recordings have gone into, or begun with."""
    names: list[str] = []
    bind = Rewritten.bind

    def noted(self: Any, fn: Any, hooks: Any) -> Any:
        if isinstance(hooks, Recorder):
            names.append(fn.__name__)
        return bind(self, fn, hooks)

    monkeypatch.setattr(Rewritten, "bind", noted)
    return names


X = np.random.default_rng(0).standard_normal(64)


def helper(x):
    return x * x + 1


def programs(library: ModuleType) -> list[Callable[..., Any]]:
    def whole(x):
        return helper(library.scaled(x)) + 1

    def looping(x):
        total = 0.0
        for k in range(5):
            y = library.scaled(helper(x), k)
            total += float(np.sqrt(np.abs(y)).sum())
        return total

    def made(x):
        model = library.Model(3.0)
        y = model(helper(x)) - x
        return y * 2 + library.Model(1.0).fit(y).mean

    def within(x):
        if library.checked(x)[0] > 0:
            x = helper(x) * 2
        return library.scaled(library.checked(np.abs(x))) + helper(x)

    return [whole, looping, made, within]


@pytest.mark.parametrize("number", range(4))
def test_nothing_inside_a_library_is_recorded(number: int, library: ModuleType, gone_into: list[str]) -> None:
    plain = programs(library)[number]
    jitted = npcompile.jit(plain)
    for k in range(1, 6):
        want = plain(X * k)
        assert np.allclose(jitted(X * k), want, rtol=1e-13)
        jitted.wait()
    assert not {"checked", "scaled", "fit", "__init__", "__call__"} & set(gone_into)
    assert "helper" in gone_into
    assert jitted.stats.replays > 0 or jitted.stats.recordings > 0
    assert any("is a library's function, called as it is" in reason for reason in jitted.stats.reasons)


def test_a_library_of_which_a_function_is_jitted_is_the_users(
    library: ModuleType, gone_into: list[str]
) -> None:
    jitted = npcompile.jit(library.scaled)
    for k in range(1, 4):
        assert np.allclose(jitted(X, k), library.scaled(X, k), rtol=1e-13)
        jitted.wait()
    assert "checked" in gone_into
    assert jitted.stats.reasons == []


def several(x, b, a):
    clean = signal.filtfilt(b, a, x - x.mean())
    envelope = np.abs(signal.hilbert(clean)) * 2 + 1
    spline = CubicSpline(np.arange(len(x)), envelope)
    return spline(3.5) + linalg.norm(envelope - clean) * 0.5


def searching(points):
    tree = cKDTree(points * 2.0)
    far, _ = tree.query(points, k=3)
    return np.exp(-(far**2)).sum(axis=1)


def standardised(points):
    scaler = StandardScaler()
    Z = scaler.fit_transform(points + 1)
    return (Z * Z).sum(axis=0) + scaler.mean_


@pytest.mark.parametrize(
    ("plain", "arguments"),
    [
        (several, (X, *signal.butter(3, 0.2))),
        (searching, (X.reshape(16, 4),)),
        (standardised, (X.reshape(16, 4),)),
    ],
)
def test_no_recording_is_made_in_vain(
    plain: Any, arguments: tuple[Any, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the source shows that libraries are called, the function is cut there at once."""
    recordings: list[Any] = []

    def noted(*args: Any, **kwargs: Any) -> Any:
        recordings.append(trace(*args, **kwargs))
        return recordings[-1]

    monkeypatch.setattr(function, "trace", noted)
    jitted = npcompile.jit(plain)
    for _ in range(5):
        assert np.allclose(jitted(*arguments), plain(*arguments), rtol=1e-12)
        jitted.wait()
    assert recordings and all(traced.program is not None for traced in recordings)


def test_strict_names_the_line() -> None:
    jitted = npcompile.jit(several, strict=True)
    with pytest.raises(NotCompiledError, match=r"filtfilt is a library's function"):
        jitted(X, *signal.butter(3, 0.2))


def answers(A, b):
    return linalg.solve(A * 2.0 + 1.0, b)


def test_an_answer_of_a_librarys_may_be_strict() -> None:
    A, b = np.eye(8) + 1.0, np.arange(8.0)
    jitted = npcompile.jit(answers, strict=True)
    for _ in range(4):
        assert np.allclose(jitted(A, b), answers(A, b), rtol=1e-12)
        jitted.wait()


def test_what_is_called_to_raise_cuts_nothing(library: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")

    def guarded(x, limit):
        if limit < 0:
            raise ValueError(library.scaled(x).sum())
        return helper(x) * limit

    jitted = npcompile.jit(guarded)
    for _ in range(3):
        np.testing.assert_array_equal(jitted(X, 2.0), guarded(X, 2.0))
    assert jitted.stats.replays == 2 and not jitted.stats.reasons
    with pytest.raises(ValueError, match=str(library.scaled(X).sum())):
        jitted(X, -1.0)
