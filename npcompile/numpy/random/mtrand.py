"""`numpy.random.RandomState`, the global one, and the functions that draw from it."""

from __future__ import annotations

from typing import Any

import numpy
import numpy.random.mtrand as theirs

from npcompile.numpy.random.bit_generator import MT19937, BitGenerator, of_name
from npcompile.numpy.random.drawing import Draw, Shuffle, StandsForNumpys, drawing, on_host, ours, shuffling

__all__ = list(theirs.__all__)


class RandomState(numpy.random.RandomState, metaclass=StandsForNumpys):
    """NumPy's legacy generator, drawing our arrays."""

    stands_for = numpy.random.RandomState

    def __init__(self, seed: Any = None) -> None:
        if not hasattr(seed, "capsule"):  # no bit generator
            made = MT19937()
            if seed is not None:
                made._legacy_seeding(seed)
            seed = made
        super().__init__(seed)

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (self._bit_generator,), self.get_state(legacy=False)

    def seed(self, seed: Any = None) -> None:
        super().seed(on_host(seed))

    def get_state(self, legacy: bool = True) -> Any:
        return ours(super().get_state(legacy))  # type: ignore[call-overload]

    def set_state(self, state: Any) -> None:
        super().set_state(on_host(state))

    beta = drawing(numpy.random.RandomState.beta)
    binomial = drawing(numpy.random.RandomState.binomial)
    bytes = drawing(numpy.random.RandomState.bytes)
    chisquare = drawing(numpy.random.RandomState.chisquare)
    choice = drawing(numpy.random.RandomState.choice)
    dirichlet = drawing(numpy.random.RandomState.dirichlet)
    exponential = drawing(numpy.random.RandomState.exponential)
    f = drawing(numpy.random.RandomState.f)
    gamma = drawing(numpy.random.RandomState.gamma)
    geometric = drawing(numpy.random.RandomState.geometric)
    gumbel = drawing(numpy.random.RandomState.gumbel)
    hypergeometric = drawing(numpy.random.RandomState.hypergeometric)
    laplace = drawing(numpy.random.RandomState.laplace)
    logistic = drawing(numpy.random.RandomState.logistic)
    lognormal = drawing(numpy.random.RandomState.lognormal)
    logseries = drawing(numpy.random.RandomState.logseries)
    multinomial = drawing(numpy.random.RandomState.multinomial)
    multivariate_normal = drawing(numpy.random.RandomState.multivariate_normal)
    negative_binomial = drawing(numpy.random.RandomState.negative_binomial)
    noncentral_chisquare = drawing(numpy.random.RandomState.noncentral_chisquare)
    noncentral_f = drawing(numpy.random.RandomState.noncentral_f)
    normal = drawing(numpy.random.RandomState.normal)
    pareto = drawing(numpy.random.RandomState.pareto)
    permutation = drawing(numpy.random.RandomState.permutation)
    poisson = drawing(numpy.random.RandomState.poisson)
    power = drawing(numpy.random.RandomState.power)
    rand = drawing(numpy.random.RandomState.rand)
    randint = drawing(numpy.random.RandomState.randint)
    randn = drawing(numpy.random.RandomState.randn)
    random = drawing(numpy.random.RandomState.random)
    random_integers = drawing(numpy.random.RandomState.random_integers)
    random_sample = drawing(numpy.random.RandomState.random_sample)
    rayleigh = drawing(numpy.random.RandomState.rayleigh)
    shuffle = shuffling(numpy.random.RandomState.shuffle)
    standard_cauchy = drawing(numpy.random.RandomState.standard_cauchy)
    standard_exponential = drawing(numpy.random.RandomState.standard_exponential)
    standard_gamma = drawing(numpy.random.RandomState.standard_gamma)
    standard_normal = drawing(numpy.random.RandomState.standard_normal)
    standard_t = drawing(numpy.random.RandomState.standard_t)
    tomaxint = drawing(numpy.random.RandomState.tomaxint)
    triangular = drawing(numpy.random.RandomState.triangular)
    uniform = drawing(numpy.random.RandomState.uniform)
    vonmises = drawing(numpy.random.RandomState.vonmises)
    wald = drawing(numpy.random.RandomState.wald)
    weibull = drawing(numpy.random.RandomState.weibull)
    zipf = drawing(numpy.random.RandomState.zipf)


def _made(bit_generator: Any = "MT19937", make: Any = of_name) -> RandomState:
    """Return the generator that was pickled (the other half of pickling)."""
    return RandomState(bit_generator if isinstance(bit_generator, BitGenerator) else make(bit_generator))


class _Shared(RandomState):
    """NumPy's global generator, drawing our arrays."""

    stands_for: Any = ()
    _shared = theirs._rand

    @property
    def _bit_generator(self) -> Any:  # type: ignore[override]
        return self._shared._bit_generator

    def seed(self, seed: Any = None) -> None:
        self._shared.seed(on_host(seed))

    def get_state(self, legacy: bool = True) -> Any:
        return ours(self._shared.get_state(legacy))  # type: ignore[call-overload]

    def set_state(self, state: Any) -> None:
        self._shared.set_state(on_host(state))


_Shared.__name__ = _Shared.__qualname__ = "RandomState"
_rand = _Shared(0)


def seed(seed: Any = None) -> None:
    """Seed NumPy's global generator, or the bit generator that was put in its place."""
    theirs.seed(on_host(seed))


get_state = _rand.get_state
set_state = _rand.set_state
get_bit_generator = theirs.get_bit_generator
set_bit_generator = theirs.set_bit_generator
beta = Draw(numpy.random.beta)
binomial = Draw(numpy.random.binomial)
bytes = Draw(numpy.random.bytes)
chisquare = Draw(numpy.random.chisquare)
choice = Draw(numpy.random.choice)
dirichlet = Draw(numpy.random.dirichlet)
exponential = Draw(numpy.random.exponential)
f = Draw(numpy.random.f)
gamma = Draw(numpy.random.gamma)
geometric = Draw(numpy.random.geometric)
gumbel = Draw(numpy.random.gumbel)
hypergeometric = Draw(numpy.random.hypergeometric)
laplace = Draw(numpy.random.laplace)
logistic = Draw(numpy.random.logistic)
lognormal = Draw(numpy.random.lognormal)
logseries = Draw(numpy.random.logseries)
multinomial = Draw(numpy.random.multinomial)
multivariate_normal = Draw(numpy.random.multivariate_normal)
negative_binomial = Draw(numpy.random.negative_binomial)
noncentral_chisquare = Draw(numpy.random.noncentral_chisquare)
noncentral_f = Draw(numpy.random.noncentral_f)
normal = Draw(numpy.random.normal)
pareto = Draw(numpy.random.pareto)
permutation = Draw(numpy.random.permutation)
poisson = Draw(numpy.random.poisson)
power = Draw(numpy.random.power)
rand = Draw(numpy.random.rand)
randint = Draw(numpy.random.randint)
randn = Draw(numpy.random.randn)
random = Draw(numpy.random.random)
random_integers = Draw(numpy.random.random_integers)
random_sample = Draw(numpy.random.random_sample)
ranf = Draw(numpy.random.ranf)
rayleigh = Draw(numpy.random.rayleigh)
sample = Draw(numpy.random.sample)
shuffle = Shuffle(numpy.random.shuffle)
standard_cauchy = Draw(numpy.random.standard_cauchy)
standard_exponential = Draw(numpy.random.standard_exponential)
standard_gamma = Draw(numpy.random.standard_gamma)
standard_normal = Draw(numpy.random.standard_normal)
standard_t = Draw(numpy.random.standard_t)
triangular = Draw(numpy.random.triangular)
uniform = Draw(numpy.random.uniform)
vonmises = Draw(numpy.random.vonmises)
wald = Draw(numpy.random.wald)
weibull = Draw(numpy.random.weibull)
zipf = Draw(numpy.random.zipf)
