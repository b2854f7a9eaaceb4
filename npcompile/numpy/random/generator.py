"""`numpy.random.Generator`, whose draws are our arrays."""

from __future__ import annotations

from typing import Any

import numpy

from npcompile.numpy.random.bit_generator import PCG64, BitGenerator, of_name
from npcompile.numpy.random.drawing import StandsForNumpys, drawing, shuffling


class Generator(numpy.random.Generator, metaclass=StandsForNumpys):
    """NumPy's generator, drawing our arrays."""

    stands_for = numpy.random.Generator

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (self.bit_generator,), None

    beta = drawing(numpy.random.Generator.beta)
    binomial = drawing(numpy.random.Generator.binomial)
    bytes = drawing(numpy.random.Generator.bytes)
    chisquare = drawing(numpy.random.Generator.chisquare)
    choice = drawing(numpy.random.Generator.choice)
    dirichlet = drawing(numpy.random.Generator.dirichlet)
    exponential = drawing(numpy.random.Generator.exponential)
    f = drawing(numpy.random.Generator.f)
    gamma = drawing(numpy.random.Generator.gamma)
    geometric = drawing(numpy.random.Generator.geometric)
    gumbel = drawing(numpy.random.Generator.gumbel)
    hypergeometric = drawing(numpy.random.Generator.hypergeometric)
    integers = drawing(numpy.random.Generator.integers)
    laplace = drawing(numpy.random.Generator.laplace)
    logistic = drawing(numpy.random.Generator.logistic)
    lognormal = drawing(numpy.random.Generator.lognormal)
    logseries = drawing(numpy.random.Generator.logseries)
    multinomial = drawing(numpy.random.Generator.multinomial)
    multivariate_hypergeometric = drawing(numpy.random.Generator.multivariate_hypergeometric)
    multivariate_normal = drawing(numpy.random.Generator.multivariate_normal)
    negative_binomial = drawing(numpy.random.Generator.negative_binomial)
    noncentral_chisquare = drawing(numpy.random.Generator.noncentral_chisquare)
    noncentral_f = drawing(numpy.random.Generator.noncentral_f)
    normal = drawing(numpy.random.Generator.normal)
    pareto = drawing(numpy.random.Generator.pareto)
    permutation = drawing(numpy.random.Generator.permutation)
    permuted = drawing(numpy.random.Generator.permuted)
    poisson = drawing(numpy.random.Generator.poisson)
    power = drawing(numpy.random.Generator.power)
    random = drawing(numpy.random.Generator.random)
    rayleigh = drawing(numpy.random.Generator.rayleigh)
    shuffle = shuffling(numpy.random.Generator.shuffle)
    standard_cauchy = drawing(numpy.random.Generator.standard_cauchy)
    standard_exponential = drawing(numpy.random.Generator.standard_exponential)
    standard_gamma = drawing(numpy.random.Generator.standard_gamma)
    standard_normal = drawing(numpy.random.Generator.standard_normal)
    standard_t = drawing(numpy.random.Generator.standard_t)
    triangular = drawing(numpy.random.Generator.triangular)
    uniform = drawing(numpy.random.Generator.uniform)
    vonmises = drawing(numpy.random.Generator.vonmises)
    wald = drawing(numpy.random.Generator.wald)
    weibull = drawing(numpy.random.Generator.weibull)
    zipf = drawing(numpy.random.Generator.zipf)


def _made(bit_generator: Any = "MT19937", make: Any = of_name) -> Generator:
    """Return the generator that was pickled (the other half of pickling)."""
    return Generator(bit_generator if isinstance(bit_generator, BitGenerator) else make(bit_generator))


def default_rng(seed: Any = None) -> Generator:
    """Return NumPy's default generator. seed: as in NumPy, or an array of ours; a generator stands for
    itself."""
    if issubclass(type(seed), Generator):
        return seed
    if isinstance(seed, (numpy.random.BitGenerator, numpy.random.Generator, numpy.random.RandomState)):
        return Generator(numpy.random.default_rng(seed).bit_generator)
    return Generator(PCG64(seed))
