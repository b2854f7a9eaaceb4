"""`numpy.random` on our arrays: NumPy's own generators and streams, bit for bit; what they draw is ours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from npcompile.frontend import dispatch
from npcompile.numpy.wrappers import Function

__all__ = list(numpy.random.__all__)


def _drawn(method: Any) -> Callable[..., Any]:
    """A method of NumPy's generators: what it draws becomes our array, what it shuffles may be one."""

    def draw(self: Any, *args: Any, **kwargs: Any) -> Any:
        return dispatch.host(method, (self, *args), kwargs)

    draw.__name__, draw.__doc__ = method.__name__, method.__doc__
    return draw


class Generator(numpy.random.Generator):
    """NumPy's generator, drawing our arrays."""

    beta = _drawn(numpy.random.Generator.beta)
    binomial = _drawn(numpy.random.Generator.binomial)
    bytes = _drawn(numpy.random.Generator.bytes)
    chisquare = _drawn(numpy.random.Generator.chisquare)
    choice = _drawn(numpy.random.Generator.choice)
    dirichlet = _drawn(numpy.random.Generator.dirichlet)
    exponential = _drawn(numpy.random.Generator.exponential)
    f = _drawn(numpy.random.Generator.f)
    gamma = _drawn(numpy.random.Generator.gamma)
    geometric = _drawn(numpy.random.Generator.geometric)
    gumbel = _drawn(numpy.random.Generator.gumbel)
    hypergeometric = _drawn(numpy.random.Generator.hypergeometric)
    integers = _drawn(numpy.random.Generator.integers)
    laplace = _drawn(numpy.random.Generator.laplace)
    logistic = _drawn(numpy.random.Generator.logistic)
    lognormal = _drawn(numpy.random.Generator.lognormal)
    logseries = _drawn(numpy.random.Generator.logseries)
    multinomial = _drawn(numpy.random.Generator.multinomial)
    multivariate_hypergeometric = _drawn(numpy.random.Generator.multivariate_hypergeometric)
    multivariate_normal = _drawn(numpy.random.Generator.multivariate_normal)
    negative_binomial = _drawn(numpy.random.Generator.negative_binomial)
    noncentral_chisquare = _drawn(numpy.random.Generator.noncentral_chisquare)
    noncentral_f = _drawn(numpy.random.Generator.noncentral_f)
    normal = _drawn(numpy.random.Generator.normal)
    pareto = _drawn(numpy.random.Generator.pareto)
    permutation = _drawn(numpy.random.Generator.permutation)
    permuted = _drawn(numpy.random.Generator.permuted)
    poisson = _drawn(numpy.random.Generator.poisson)
    power = _drawn(numpy.random.Generator.power)
    random = _drawn(numpy.random.Generator.random)
    rayleigh = _drawn(numpy.random.Generator.rayleigh)
    shuffle = _drawn(numpy.random.Generator.shuffle)
    standard_cauchy = _drawn(numpy.random.Generator.standard_cauchy)
    standard_exponential = _drawn(numpy.random.Generator.standard_exponential)
    standard_gamma = _drawn(numpy.random.Generator.standard_gamma)
    standard_normal = _drawn(numpy.random.Generator.standard_normal)
    standard_t = _drawn(numpy.random.Generator.standard_t)
    triangular = _drawn(numpy.random.Generator.triangular)
    uniform = _drawn(numpy.random.Generator.uniform)
    vonmises = _drawn(numpy.random.Generator.vonmises)
    wald = _drawn(numpy.random.Generator.wald)
    weibull = _drawn(numpy.random.Generator.weibull)
    zipf = _drawn(numpy.random.Generator.zipf)


class RandomState(numpy.random.RandomState):
    """NumPy's legacy generator, drawing our arrays."""

    beta = _drawn(numpy.random.RandomState.beta)
    binomial = _drawn(numpy.random.RandomState.binomial)
    bytes = _drawn(numpy.random.RandomState.bytes)
    chisquare = _drawn(numpy.random.RandomState.chisquare)
    choice = _drawn(numpy.random.RandomState.choice)
    dirichlet = _drawn(numpy.random.RandomState.dirichlet)
    exponential = _drawn(numpy.random.RandomState.exponential)
    f = _drawn(numpy.random.RandomState.f)
    gamma = _drawn(numpy.random.RandomState.gamma)
    geometric = _drawn(numpy.random.RandomState.geometric)
    gumbel = _drawn(numpy.random.RandomState.gumbel)
    hypergeometric = _drawn(numpy.random.RandomState.hypergeometric)
    laplace = _drawn(numpy.random.RandomState.laplace)
    logistic = _drawn(numpy.random.RandomState.logistic)
    lognormal = _drawn(numpy.random.RandomState.lognormal)
    logseries = _drawn(numpy.random.RandomState.logseries)
    multinomial = _drawn(numpy.random.RandomState.multinomial)
    multivariate_normal = _drawn(numpy.random.RandomState.multivariate_normal)
    negative_binomial = _drawn(numpy.random.RandomState.negative_binomial)
    noncentral_chisquare = _drawn(numpy.random.RandomState.noncentral_chisquare)
    noncentral_f = _drawn(numpy.random.RandomState.noncentral_f)
    normal = _drawn(numpy.random.RandomState.normal)
    pareto = _drawn(numpy.random.RandomState.pareto)
    permutation = _drawn(numpy.random.RandomState.permutation)
    poisson = _drawn(numpy.random.RandomState.poisson)
    power = _drawn(numpy.random.RandomState.power)
    rand = _drawn(numpy.random.RandomState.rand)
    randint = _drawn(numpy.random.RandomState.randint)
    randn = _drawn(numpy.random.RandomState.randn)
    random = _drawn(numpy.random.RandomState.random)
    random_integers = _drawn(numpy.random.RandomState.random_integers)
    random_sample = _drawn(numpy.random.RandomState.random_sample)
    rayleigh = _drawn(numpy.random.RandomState.rayleigh)
    shuffle = _drawn(numpy.random.RandomState.shuffle)
    standard_cauchy = _drawn(numpy.random.RandomState.standard_cauchy)
    standard_exponential = _drawn(numpy.random.RandomState.standard_exponential)
    standard_gamma = _drawn(numpy.random.RandomState.standard_gamma)
    standard_normal = _drawn(numpy.random.RandomState.standard_normal)
    standard_t = _drawn(numpy.random.RandomState.standard_t)
    tomaxint = _drawn(numpy.random.RandomState.tomaxint)
    triangular = _drawn(numpy.random.RandomState.triangular)
    uniform = _drawn(numpy.random.RandomState.uniform)
    vonmises = _drawn(numpy.random.RandomState.vonmises)
    wald = _drawn(numpy.random.RandomState.wald)
    weibull = _drawn(numpy.random.RandomState.weibull)
    zipf = _drawn(numpy.random.RandomState.zipf)


def default_rng(seed: Any = None) -> Generator:
    """NumPy's default generator. seed: as NumPy's; a generator stands for itself."""
    if isinstance(seed, Generator):
        return seed
    return Generator(numpy.random.default_rng(seed).bit_generator)


SeedSequence = numpy.random.SeedSequence
MT19937 = numpy.random.MT19937
Philox = numpy.random.Philox
PCG64 = numpy.random.PCG64
PCG64DXSM = numpy.random.PCG64DXSM
SFC64 = numpy.random.SFC64
BitGenerator = numpy.random.BitGenerator
get_state = numpy.random.get_state
set_state = numpy.random.set_state
seed = numpy.random.seed
beta = Function(numpy.random.beta)
binomial = Function(numpy.random.binomial)
bytes = Function(numpy.random.bytes)
chisquare = Function(numpy.random.chisquare)
choice = Function(numpy.random.choice)
dirichlet = Function(numpy.random.dirichlet)
exponential = Function(numpy.random.exponential)
f = Function(numpy.random.f)
gamma = Function(numpy.random.gamma)
geometric = Function(numpy.random.geometric)
gumbel = Function(numpy.random.gumbel)
hypergeometric = Function(numpy.random.hypergeometric)
laplace = Function(numpy.random.laplace)
logistic = Function(numpy.random.logistic)
lognormal = Function(numpy.random.lognormal)
logseries = Function(numpy.random.logseries)
multinomial = Function(numpy.random.multinomial)
multivariate_normal = Function(numpy.random.multivariate_normal)
negative_binomial = Function(numpy.random.negative_binomial)
noncentral_chisquare = Function(numpy.random.noncentral_chisquare)
noncentral_f = Function(numpy.random.noncentral_f)
normal = Function(numpy.random.normal)
pareto = Function(numpy.random.pareto)
permutation = Function(numpy.random.permutation)
poisson = Function(numpy.random.poisson)
power = Function(numpy.random.power)
rand = Function(numpy.random.rand)
randint = Function(numpy.random.randint)
randn = Function(numpy.random.randn)
random = Function(numpy.random.random)
random_integers = Function(numpy.random.random_integers)
random_sample = Function(numpy.random.random_sample)
ranf = Function(numpy.random.ranf)
rayleigh = Function(numpy.random.rayleigh)
sample = Function(numpy.random.sample)
shuffle = Function(numpy.random.shuffle)
standard_cauchy = Function(numpy.random.standard_cauchy)
standard_exponential = Function(numpy.random.standard_exponential)
standard_gamma = Function(numpy.random.standard_gamma)
standard_normal = Function(numpy.random.standard_normal)
standard_t = Function(numpy.random.standard_t)
triangular = Function(numpy.random.triangular)
uniform = Function(numpy.random.uniform)
vonmises = Function(numpy.random.vonmises)
wald = Function(numpy.random.wald)
weibull = Function(numpy.random.weibull)
zipf = Function(numpy.random.zipf)
