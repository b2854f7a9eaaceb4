"""scikit-learn within jitted functions: `clone`, which asks whether parameters are the very ones, and what is
built on it."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import Lasso, Ridge
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import npcompile
from tests.checker import same

ALPHAS = (1.0, 0.5, 1, 0.25, np.float64(0.5), 2)


def cloned(x, y, alpha):
    model = clone(Lasso(alpha=alpha)).fit(x * 2.0, y)
    return model.coef_ * 2.0, model.alpha is alpha


def cloned_of(model, x, y):
    copy = clone(model)
    centred = x - x.mean(axis=0)
    return copy.fit(centred, y).coef_ + 1.0, copy.alpha is model.alpha


def searched(x, y, alpha):
    search = GridSearchCV(Ridge(), {"alpha": [alpha, 10.0]}, cv=3).fit(x - x.mean(axis=0), y)
    return search.best_params_, search.best_score_, search.predict(x) * 2.0


def validated(x, y, alpha):
    scores = cross_val_score(Ridge(alpha=alpha), x * 0.5, y, cv=3)
    return scores.mean() + 1.0, scores


def piped(x, y, alpha):
    pipe = make_pipeline(StandardScaler(), Ridge(alpha=alpha))
    pipe.fit(np.abs(x) + 1.0, y)
    return clone(pipe).fit(x, y).predict(x), pipe.predict(x) - y, pipe[-1].alpha is alpha


def data(call: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(call)
    x = rng.normal(size=(30 + 3 * call, 4))
    return x, x @ np.array([1.0, 0.0, -2.0, 0.5]) + rng.normal(size=len(x)) * 0.1


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
@pytest.mark.parametrize("backend", ["interpreter", "kernels"])
@pytest.mark.parametrize("fn", [cloned, searched, validated, piped], ids=lambda fn: fn.__name__)
def test_parameters_are_the_ones_that_were_given(fn, backend, monkeypatch: pytest.MonkeyPatch) -> None:
    if backend == "interpreter":
        monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(fn, wait=True)
    for call, alpha in enumerate(ALPHAS):
        x, y = data(call)
        same(jitted(x, y, alpha), fn(x, y, alpha), where=f"call {call + 1}")


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
@pytest.mark.parametrize("backend", ["interpreter", "kernels"])
def test_a_model_that_is_given_is_cloned(backend, monkeypatch: pytest.MonkeyPatch) -> None:
    if backend == "interpreter":
        monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(cloned_of, wait=True)
    for call, alpha in enumerate(ALPHAS):
        x, y = data(call)
        same(jitted(Lasso(alpha=alpha), x, y), cloned_of(Lasso(alpha=alpha), x, y), where=f"call {call + 1}")
