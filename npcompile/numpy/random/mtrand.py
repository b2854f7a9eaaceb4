"""`numpy.random.RandomState`, the one that all share, and the functions that draw from that."""

from __future__ import annotations

from typing import Any

import numpy
import numpy.random.mtrand as theirs

from npcompile.numpy.random.bit_generator import MT19937, BitGenerator, of_name
from npcompile.numpy.random.drawing import Draw, Shuffle, Standing, drawn, on_host, ours, shuffled

__all__ = list(theirs.__all__)


class RandomState(numpy.random.RandomState, metaclass=Standing):
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

    beta = drawn(numpy.random.RandomState.beta)
    binomial = drawn(numpy.random.RandomState.binomial)
    bytes = drawn(numpy.random.RandomState.bytes)
    chisquare = drawn(numpy.random.RandomState.chisquare)
    choice = drawn(numpy.random.RandomState.choice)
    dirichlet = drawn(numpy.random.RandomState.dirichlet)
    exponential = drawn(numpy.random.RandomState.exponential)
    f = drawn(numpy.random.RandomState.f)
    gamma = drawn(numpy.random.RandomState.gamma)
    geometric = drawn(numpy.random.RandomState.geometric)
    gumbel = drawn(numpy.random.RandomState.gumbel)
    hypergeometric = drawn(numpy.random.RandomState.hypergeometric)
    laplace = drawn(numpy.random.RandomState.laplace)
    logistic = drawn(numpy.random.RandomState.logistic)
    lognormal = drawn(numpy.random.RandomState.lognormal)
    logseries = drawn(numpy.random.RandomState.logseries)
    multinomial = drawn(numpy.random.RandomState.multinomial)
    multivariate_normal = drawn(numpy.random.RandomState.multivariate_normal)
    negative_binomial = drawn(numpy.random.RandomState.negative_binomial)
    noncentral_chisquare = drawn(numpy.random.RandomState.noncentral_chisquare)
    noncentral_f = drawn(numpy.random.RandomState.noncentral_f)
    normal = drawn(numpy.random.RandomState.normal)
    pareto = drawn(numpy.random.RandomState.pareto)
    permutation = drawn(numpy.random.RandomState.permutation)
    poisson = drawn(numpy.random.RandomState.poisson)
    power = drawn(numpy.random.RandomState.power)
    rand = drawn(numpy.random.RandomState.rand)
    randint = drawn(numpy.random.RandomState.randint)
    randn = drawn(numpy.random.RandomState.randn)
    random = drawn(numpy.random.RandomState.random)
    random_integers = drawn(numpy.random.RandomState.random_integers)
    random_sample = drawn(numpy.random.RandomState.random_sample)
    rayleigh = drawn(numpy.random.RandomState.rayleigh)
    shuffle = shuffled(numpy.random.RandomState.shuffle)
    standard_cauchy = drawn(numpy.random.RandomState.standard_cauchy)
    standard_exponential = drawn(numpy.random.RandomState.standard_exponential)
    standard_gamma = drawn(numpy.random.RandomState.standard_gamma)
    standard_normal = drawn(numpy.random.RandomState.standard_normal)
    standard_t = drawn(numpy.random.RandomState.standard_t)
    tomaxint = drawn(numpy.random.RandomState.tomaxint)
    triangular = drawn(numpy.random.RandomState.triangular)
    uniform = drawn(numpy.random.RandomState.uniform)
    vonmises = drawn(numpy.random.RandomState.vonmises)
    wald = drawn(numpy.random.RandomState.wald)
    weibull = drawn(numpy.random.RandomState.weibull)
    zipf = drawn(numpy.random.RandomState.zipf)


def _made(bit_generator: Any = "MT19937", make: Any = of_name) -> RandomState:
    """The generator that was pickled (the other half of pickling)."""
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
    """NumPy's global generator starts anew; a bit generator that was put in its place, too."""
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
