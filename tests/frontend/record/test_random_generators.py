"""What functions do with generators: states, copies, shuffling in place. Where replays leave the streams."""

from __future__ import annotations

import copy
import hashlib
import pickle
import random
import struct
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.random import MT19937, PCG64, Generator, RandomState, SeedSequence

import npcompile
from tests.checker import same

pytestmark = pytest.mark.filterwarnings("ignore::npcompile.jit.NotCompiledWarning")  # NumPy draws

CALLS = 6


# -- states ------------------------------------------------------------------------------------------------


def state_put_back(rng, x):
    state = rng.bit_generator.state
    drawn = rng.normal(size=3) * x
    rng.bit_generator.state = state
    return drawn - rng.normal(size=3) * x


def state_between(rng, x):
    bits = rng.bit_generator
    rng.random(2)
    state = bits.state
    doubled = x * 2
    rng.random(3)
    bits.state = state
    return doubled + rng.random(3), state["state"]


def state_of_ones_own(rng, x):
    def made():
        mine = Generator(MT19937(1234567890))
        return mine, mine.bit_generator

    mine, bits = made()
    mine.standard_normal()
    state = bits.state
    old = mine.standard_normal(size=3)
    bits.state = state
    return old + x, mine.standard_normal(size=3)


def states_compared(rng, x):
    state = rng.bit_generator.state["state"]
    drawn = rng.random(3) + x
    return drawn, rng.bit_generator.state["state"] == state


def shared_state(rng, x):
    state = np.random.get_state()
    drawn = np.random.rand(3) + x
    np.random.set_state(state)
    return drawn - np.random.rand(3), state[2]


def shared_seed(rng, x):
    np.random.seed(5)
    drawn = np.random.normal(x, 1.0)
    np.random.seed(5)
    return drawn - np.random.normal(x, 1.0), np.random.get_state()[3]


def shared_object(rng, x):
    shared = np.random.mtrand._rand
    state = shared.get_state()
    drawn = np.random.randn(3)
    shared.set_state(state)
    return drawn - shared.randn(3) + x, np.random.standard_normal()


def half_drawn(rng, x):
    old = RandomState(3)
    old.randn()
    number = old.get_state(legacy=False)["gauss"]
    old.randn()
    return number * x, old.get_state(legacy=False)["has_gauss"]


# -- other generators --------------------------------------------------------------------------------------


def spawned(rng, x):
    one, other = rng.spawn(2)
    return one.random(3) + x, other.integers(5, size=3) * x, rng.bit_generator.seed_seq.n_children_spawned


def spawned_bits(rng, x):
    before = rng.bit_generator.seed_seq.n_children_spawned
    bits = rng.bit_generator.spawn(2)
    return before, rng.bit_generator.seed_seq.n_children_spawned, x + Generator(bits[0]).random(3)


def copied(rng, x):
    return copy.deepcopy(rng).random(3) - rng.random(3) + x, rng.normal() * x


def pickled(rng, x):
    return pickle.loads(pickle.dumps(rng)).normal() * x, rng.random()


def pickled_for_later(rng, x):
    rng.random()
    return x * 2, pickle.dumps(rng.bit_generator.state)


def two_of_one(rng, x):
    other = Generator(rng.bit_generator)
    drawn = other.random(3) + rng.random(3)
    return drawn * x, other.bit_generator is rng.bit_generator, rng.bit_generator.random_raw()


def seeded_by_a_draw(rng, x):
    old = RandomState(rng.integers(100))
    return x[old.permutation(3)], old.choice(x, 2, p=[0.2, 0.3, 0.5]), old.randint(0, 5, 3) + x


def seeds(rng, x):
    seed = SeedSequence(7)
    words = seed.generate_state(3)
    seed.spawn(2)
    return words * x, seed.n_children_spawned, PCG64(seed).random_raw(2)


# -- in place ----------------------------------------------------------------------------------------------


def shuffled_twice(rng, x):
    row = x.copy()
    rng.shuffle(row)
    doubled = row * 2
    rng.shuffle(row)
    return doubled - row, row[0]


def shuffled_list(rng, x):
    rows = [x, x + 1, x * 2]
    rng.shuffle(rows)
    return rows[0] * 2, rows[1]


def outputs(rng, x):
    rng.permuted(x, out=x)
    more = x + 1
    rng.random(out=x)
    return more, x * 2


def output_changed(rng, x):
    out = np.empty(3)
    drawn = rng.standard_normal(out=out)
    drawn *= x
    return out, drawn is out


def picked(rng, x):
    places = rng.choice(3, 2, replace=False)
    x[places] = rng.random(2)
    x[rng.integers(3)] += 1
    return x.sum(), places


# -- what decides ------------------------------------------------------------------------------------------


def how_often(rng, x):
    total = 0.0
    for _ in range(rng.integers(2, 6)):
        total = total + rng.exponential(size=3) * x
    return total


def which_way(rng, x):
    return x * rng.random(3) if rng.random() < 0.5 else x - rng.random(3)


def of_several(rng, x):
    rows = rng.multivariate_normal(x, np.eye(3), 4)
    return rows @ x, rng.multinomial(5, [0.2, 0.3, 0.5]) * x, rng.dirichlet(np.abs(x) + 1) * x


# -- calls that give bytes, or a dtype: others at each call --------------------------------------------------


def bytes_drawn(rng, x):
    return rng.bytes(4), x * 2


def bytes_counted(rng, x):
    return len(rng.bytes(int(rng.integers(2, 5)))) * x


def bytes_of_an_array(rng, x):
    return (x * rng.random()).tobytes()


def bytes_of_a_number(rng, x):
    return struct.pack("d", rng.random()), bytearray(struct.pack("d", rng.random())), x + 1


def bytes_hashed(rng, x):
    return hashlib.md5(x).digest(), hashlib.md5(rng.random(3)).hexdigest(), x + 1


def bytes_shown(rng, x):
    return memoryview(rng.random(2)).tobytes(), x + 1


def dtype_chosen(rng, x):
    return x.astype(random.choice([np.float32, np.float64])) * 2, random.choice(
        [np.dtype("i4"), np.dtype("i8")]
    )


PROGRAMS: list[Callable[..., Any]] = [
    *(state_put_back, state_between, state_of_ones_own, states_compared, shared_state, shared_seed),
    *(shared_object, half_drawn, spawned, spawned_bits, copied, pickled, pickled_for_later, two_of_one),
    *(seeded_by_a_draw, seeds, shuffled_twice, shuffled_list, outputs, output_changed, picked, how_often),
    *(which_way, of_several, bytes_drawn, bytes_counted, bytes_of_an_array, bytes_of_a_number, bytes_hashed),
    *(bytes_shown, dtype_chosen),
]  # fmt: skip


def _run(fn: Callable[..., Any]) -> list[Any]:
    """What several calls give, and where each leaves the streams and its argument."""
    rng, x = np.random.default_rng(1), np.array([1.0, 2.0, 3.0])
    np.random.seed(0)
    random.seed(0)
    found = []
    for _ in range(CALLS):
        found.append([copy.deepcopy(fn(rng, x)), rng.bit_generator.state, np.random.get_state(), x.copy()])
    return found


@pytest.mark.parametrize("fn", PROGRAMS, ids=[fn.__name__ for fn in PROGRAMS])
def test_streams_are_where_plain_calls_leave_them(
    fn: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    want = _run(fn)
    same(_run(npcompile.jit(fn)), want, ulp=4)
