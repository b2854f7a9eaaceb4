"""NumPy's seeds and bit generators: their states, and the words that they return, are our arrays."""

from __future__ import annotations

from typing import Any

import numpy
import numpy.random.bit_generator as theirs

from npcompile.numpy.random.drawing import StandsForNumpys, as_numpys, on_host, ours, within

BitGenerator = theirs.BitGenerator
ISeedSequence = theirs.ISeedSequence
ISpawnableSeedSequence = theirs.ISpawnableSeedSequence
SeedlessSeedSequence = theirs.SeedlessSeedSequence


class SeedSequence(numpy.random.SeedSequence, metaclass=StandsForNumpys):
    stands_for = numpy.random.SeedSequence

    def __init__(
        self,
        entropy: Any = None,
        *,
        spawn_key: Any = (),
        pool_size: int = 4,
        n_children_spawned: int = 0,
    ) -> None:
        super().__init__(
            on_host(entropy),
            spawn_key=on_host(spawn_key),
            pool_size=pool_size,
            n_children_spawned=n_children_spawned,
        )
        self._entropy = super().entropy if entropy is None else entropy

    @property
    def entropy(self) -> Any:  # type: ignore[override]
        return ours(self._entropy)

    @property
    def pool(self) -> Any:  # type: ignore[override]
        return ours(super().pool)

    def generate_state(self, n_words: int, dtype: Any = numpy.uint32) -> Any:
        words = super().generate_state(n_words, dtype)
        return words if within() else ours(words)


class _Words:
    """Another's seed as NumPy takes it: its words are NumPy's arrays."""

    def __init__(self, seed: Any) -> None:
        self.seed = seed

    def generate_state(self, n_words: int, dtype: Any = numpy.uint32) -> Any:
        return on_host(self.seed.generate_state(n_words, dtype))


class _SpawnableWords(_Words):
    def spawn(self, n_children: int) -> Any:
        return self.seed.spawn(n_children)


ISeedSequence.register(_Words)
ISpawnableSeedSequence.register(_SpawnableWords)


def _seed(seed: Any) -> Any:
    """Return a seed for NumPy's bit generators."""
    if isinstance(seed, (numpy.random.SeedSequence, SeedlessSeedSequence, _Words)):
        return seed
    if isinstance(seed, ISpawnableSeedSequence):
        return _SpawnableWords(seed)
    return _Words(seed) if isinstance(seed, ISeedSequence) else SeedSequence(seed)


class _OfArrays:
    """The common part of the classes below, which derive from it and then from NumPy's class."""

    def __init__(self, seed: Any = None) -> None:
        as_numpys(super().__init__, _seed(seed))

    @property
    def state(self) -> Any:
        return ours(super().state)  # type: ignore[misc]

    @state.setter
    def state(self, value: Any) -> None:
        super(_OfArrays, type(self)).state.__set__(self, on_host(value))  # type: ignore[misc]

    @property
    def seed_seq(self) -> Any:
        seed = super().seed_seq  # type: ignore[misc]
        return seed.seed if isinstance(seed, _Words) else seed

    def random_raw(self, size: Any = None, output: bool = True) -> Any:
        return ours(super().random_raw(size, output))  # type: ignore[misc]


class MT19937(_OfArrays, numpy.random.MT19937, metaclass=StandsForNumpys):
    stands_for = numpy.random.MT19937

    def _legacy_seeding(self, seed: Any) -> None:
        super()._legacy_seeding(on_host(seed))


class Philox(_OfArrays, numpy.random.Philox, metaclass=StandsForNumpys):
    stands_for = numpy.random.Philox

    def __init__(self, seed: Any = None, counter: Any = None, key: Any = None) -> None:
        seed = seed if seed is None and key is not None else _seed(seed)
        as_numpys(numpy.random.Philox.__init__, self, seed, on_host(counter), on_host(key))


class PCG64(_OfArrays, numpy.random.PCG64, metaclass=StandsForNumpys):
    stands_for = numpy.random.PCG64


class PCG64DXSM(_OfArrays, numpy.random.PCG64DXSM, metaclass=StandsForNumpys):
    stands_for = numpy.random.PCG64DXSM


class SFC64(_OfArrays, numpy.random.SFC64, metaclass=StandsForNumpys):
    stands_for = numpy.random.SFC64


_KINDS: dict[str, Any] = {
    "MT19937": MT19937, "PCG64": PCG64, "PCG64DXSM": PCG64DXSM, "Philox": Philox, "SFC64": SFC64,
}  # fmt: skip


def of_name(name: Any = "MT19937") -> Any:
    """Return a bit generator by its name or class, for pickles of generators."""
    kind = name if isinstance(name, type) else _KINDS.get(name)
    if kind is None:
        raise ValueError(str(name) + " is not a known BitGenerator module.")
    return kind()
