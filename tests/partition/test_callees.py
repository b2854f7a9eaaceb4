"""Helpers that a loop of Python's calls at each trip: those called as they are cost next to nothing."""

from __future__ import annotations

import math
from types import MethodDescriptorType

import numpy as np
import pytest

import npcompile
from npcompile.partition.partitioned import PartitionedFunction
from tests.checker import same


class Bayes:
    def __init__(self):
        self.means = np.arange(12.0).reshape(3, 4) / 4

    def likelihood(self, mean, value):
        return math.exp(-((value - mean) ** 2)) / math.sqrt(2.0 * math.pi)

    def classify(self, sample):
        found = []
        for row in self.means:
            posterior = np.mean(self.means == row[0])
            for value, mean in zip(sample, row, strict=True):
                posterior *= self.likelihood(mean, value)
            found.append(posterior)
        return int(np.argmax(found))

    def predict(self, samples):
        return [self.classify(sample) for sample in samples]


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
@pytest.mark.usefixtures("native_runtime")
@pytest.mark.parametrize("name", ("predict", "classify"))
def test_a_helper_is_what_it_is_now(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The native runtime gives those that are known; another in its place is another function."""

    def otherwise(self, mean, value):
        return np.exp(-np.abs(np.full(3, value) - mean)).sum()

    class Jitted(Bayes):
        pass

    setattr(Jitted, name, npcompile.jit(getattr(Bayes, name)))
    samples = np.random.default_rng(0).random((60, 4)) * 3
    jitted, plain = Jitted(), Bayes()
    for _ in range(4):
        same(jitted.predict(samples), plain.predict(samples))
    for one in (Bayes, Jitted):
        monkeypatch.setattr(one, "likelihood", otherwise)
    for _ in range(4):
        same(jitted.predict(samples), plain.predict(samples))
    jitted.likelihood = plain.likelihood = lambda mean, value: abs(mean - value)
    same(jitted.predict(samples), plain.predict(samples))
    assert isinstance(PartitionedFunction.enter, MethodDescriptorType)
