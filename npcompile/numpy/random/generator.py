"""`numpy.random.Generator`, which draws our arrays."""

from __future__ import annotations

from typing import Any

import numpy

from npcompile.numpy.random.bit_generator import PCG64, BitGenerator, of_name
from npcompile.numpy.random.drawing import Standing, drawn, shuffled


class Generator(numpy.random.Generator, metaclass=Standing):
    """NumPy's generator, drawing our arrays."""

    stands_for = numpy.random.Generator

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (self.bit_generator,), None

    beta = drawn(numpy.random.Generator.beta)
    binomial = drawn(numpy.random.Generator.binomial)
    bytes = drawn(numpy.random.Generator.bytes)
    chisquare = drawn(numpy.random.Generator.chisquare)
    choice = drawn(numpy.random.Generator.choice)
    dirichlet = drawn(numpy.random.Generator.dirichlet)
    exponential = drawn(numpy.random.Generator.exponential)
    f = drawn(numpy.random.Generator.f)
    gamma = drawn(numpy.random.Generator.gamma)
    geometric = drawn(numpy.random.Generator.geometric)
    gumbel = drawn(numpy.random.Generator.gumbel)
    hypergeometric = drawn(numpy.random.Generator.hypergeometric)
    integers = drawn(numpy.random.Generator.integers)
    laplace = drawn(numpy.random.Generator.laplace)
    logistic = drawn(numpy.random.Generator.logistic)
    lognormal = drawn(numpy.random.Generator.lognormal)
    logseries = drawn(numpy.random.Generator.logseries)
    multinomial = drawn(numpy.random.Generator.multinomial)
    multivariate_hypergeometric = drawn(numpy.random.Generator.multivariate_hypergeometric)
    multivariate_normal = drawn(numpy.random.Generator.multivariate_normal)
    negative_binomial = drawn(numpy.random.Generator.negative_binomial)
    noncentral_chisquare = drawn(numpy.random.Generator.noncentral_chisquare)
    noncentral_f = drawn(numpy.random.Generator.noncentral_f)
    normal = drawn(numpy.random.Generator.normal)
    pareto = drawn(numpy.random.Generator.pareto)
    permutation = drawn(numpy.random.Generator.permutation)
    permuted = drawn(numpy.random.Generator.permuted)
    poisson = drawn(numpy.random.Generator.poisson)
    power = drawn(numpy.random.Generator.power)
    random = drawn(numpy.random.Generator.random)
    rayleigh = drawn(numpy.random.Generator.rayleigh)
    shuffle = shuffled(numpy.random.Generator.shuffle)
    standard_cauchy = drawn(numpy.random.Generator.standard_cauchy)
    standard_exponential = drawn(numpy.random.Generator.standard_exponential)
    standard_gamma = drawn(numpy.random.Generator.standard_gamma)
    standard_normal = drawn(numpy.random.Generator.standard_normal)
    standard_t = drawn(numpy.random.Generator.standard_t)
    triangular = drawn(numpy.random.Generator.triangular)
    uniform = drawn(numpy.random.Generator.uniform)
    vonmises = drawn(numpy.random.Generator.vonmises)
    wald = drawn(numpy.random.Generator.wald)
    weibull = drawn(numpy.random.Generator.weibull)
    zipf = drawn(numpy.random.Generator.zipf)


def _made(bit_generator: Any = "MT19937", make: Any = of_name) -> Generator:
    """The generator that was pickled (the other half of pickling)."""
    return Generator(bit_generator if isinstance(bit_generator, BitGenerator) else make(bit_generator))


def default_rng(seed: Any = None) -> Generator:
    """NumPy's default generator. seed: as NumPy's, or an array of ours; a generator stands for itself."""
    if issubclass(type(seed), Generator):
        return seed
    if isinstance(seed, (numpy.random.BitGenerator, numpy.random.Generator, numpy.random.RandomState)):
        return Generator(numpy.random.default_rng(seed).bit_generator)
    return Generator(PCG64(seed))
