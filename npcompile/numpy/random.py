"""`numpy.random` on our arrays: NumPy's own generators and streams, bit for bit; what they draw is ours.

Under `npcompile.device(name, fast_random=True)` common distributions are computed on that device.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import numpy
import torch

from npcompile.device import drawing_device
from npcompile.frontend import dispatch, draws
from npcompile.frontend.ndarray import ndarray
from npcompile.numpy.wrappers import Function, ufunc

__all__ = list(numpy.random.__all__)


class _Arithmetic:
    """What the functions of `frontend/draws.py` call `np`: their arrays are ours, on one device."""

    cos, log1p, sqrt = ufunc(numpy.cos), ufunc(numpy.log1p), ufunc(numpy.sqrt)

    def __init__(self, device: torch.device) -> None:
        self._device = device

    def arange(self, first: int, end: int) -> Any:
        return ndarray._of_tensor(torch.arange(first, end, device=self._device))

    def run(self, function: types.FunctionType, *operands: Any) -> Any:
        return types.FunctionType(function.__code__, {"np": self})(*operands)


def _computed(method: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The numbers of a draw that is taken over; None where NumPy draws. method: of one of its generators."""
    device = drawing_device()
    draw = None if device is None else draws.taken(method, args, kwargs)
    return None if draw is None or device is None else draw(_Arithmetic(device).run)


def _drawn(method: Any) -> Callable[..., Any]:
    """A method of NumPy's generators: what it draws becomes our array, what it shuffles may be one."""

    def draw(self: Any, *args: Any, **kwargs: Any) -> Any:
        if drawing_device() is not None:
            kind = numpy.random.Generator if isinstance(self, Generator) else numpy.random.RandomState
            same = getattr(kind(self._bit_generator), method.__name__)  # the same state, without our methods
            if (numbers := _computed(same, args, kwargs)) is not None:
                return numbers
        return dispatch.host(method, (self, *args), kwargs)

    draw.__name__, draw.__doc__ = method.__name__, method.__doc__
    return draw


def _choice(self: Any, *args: Any, **kwargs: Any) -> Any:
    plain = numpy.random.Generator(self._bit_generator)  # the same state; `choice` calls its other methods
    return dispatch.host(plain.choice, args, kwargs, name=numpy.random.Generator.choice)


class Draw(Function):
    """A function of `numpy.random`, which draws from NumPy's global generator."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        numbers = _computed(self.__wrapped__, args, kwargs)  # type: ignore[attr-defined]
        return super().__call__(*args, **kwargs) if numbers is None else numbers


class Generator(numpy.random.Generator):
    """NumPy's generator, drawing our arrays."""

    beta = _drawn(numpy.random.Generator.beta)
    binomial = _drawn(numpy.random.Generator.binomial)
    bytes = _drawn(numpy.random.Generator.bytes)
    chisquare = _drawn(numpy.random.Generator.chisquare)
    choice = _choice
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
    """NumPy's default generator. seed: as NumPy's, or an array of ours; a generator stands for itself."""
    if isinstance(seed, Generator):
        return seed
    return Generator(numpy.random.default_rng(dispatch.map_arrays(seed, ndarray._on_host)).bit_generator)


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
shuffle = Draw(numpy.random.shuffle)
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
