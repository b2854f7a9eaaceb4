"""What a program is valid for: shapes, dtypes, strides, flags, overlap and structure; numbers are traced."""

from __future__ import annotations

import copy
import warnings
from typing import Any

import numpy as np
import pytest
import torch

import npcompile
from tests.checker import same
from tests.programs.jit_lane import judge


@pytest.fixture(autouse=True)
def interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")


def combine(x, y):
    return x * 2 + y, (x > y).sum()


def array(shape: tuple[int, ...] = (4, 6), dtype: str = "f8", start: float = 1.0) -> np.ndarray:
    return (np.arange(float(np.prod(shape))) + start).reshape(shape).astype(dtype)


def read_only(x: np.ndarray) -> np.ndarray:
    x.flags.writeable = False
    return x


def unaligned(x: np.ndarray) -> np.ndarray:
    raw = np.zeros(x.nbytes + 1, np.uint8)
    view = raw[1:].view(x.dtype).reshape(x.shape)
    view[...] = x
    return view


VARIANTS = {
    "shape": lambda: (array((2, 6)), array((2, 6))),
    "broadcast": lambda: (array(), array((6,))),
    "empty": lambda: (array((0, 6)), array((6,))),
    "0-d": lambda: (array(()), array(())),
    "float32": lambda: (array(dtype="f4"), array()),
    "int64": lambda: (array(dtype="i8"), array(dtype="i8")),
    "bool": lambda: (array(dtype="?"), array(dtype="?")),
    "Fortran": lambda: (np.asfortranarray(array()), array()),
    "strided": lambda: (array((8, 12))[::2, ::2], array()),
    "huge stride": lambda: (array((4, 60000))[:, ::10000], array()),
    "reversed": lambda: (array()[::-1, ::-1], array()),
    "zero stride": lambda: (np.broadcast_to(array((6,)), (4, 6)), array()),
    "read-only": lambda: (read_only(array()), array()),
    "scalar": lambda: (np.float64(2.5), array()),
    "float": lambda: (2.5, array()),
    "int": lambda: (3, array()),
    "bool value": lambda: (True, array()),
    "complex": lambda: (1j, array()),
}


def test_a_second_signature_does_not_break_the_first() -> None:
    """A program and a recording for each; afterwards all are replays."""
    jitted = npcompile.jit(combine)
    usual = {"usual": lambda: (array(), array())}
    kinds = {key: make for key, make in VARIANTS.items() if key != "complex"}
    for _ in range(3):
        for make in (usual | kinds).values():
            judge(jitted, combine, make())
    assert jitted.stats.programs == jitted.stats.recordings == len(kinds) + 1, jitted.stats
    assert jitted.stats.replays == 2 * (len(kinds) + 1)


@pytest.mark.parametrize("name", VARIANTS)
def test_each_is_numpys_first_and_again(name: str) -> None:
    jitted = npcompile.jit(combine)
    for _ in range(3):
        judge(jitted, combine, VARIANTS[name]())


@pytest.mark.filterwarnings("ignore::npcompile.jit.NotCompiledWarning")
@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")  # of np.matrix
@pytest.mark.parametrize(
    "make",
    [
        lambda: (array().astype(">f8"), array()),
        lambda: (array(dtype="u2"), array(dtype="u8")),
        lambda: (array(dtype="g"), array()),
        lambda: (unaligned(array()), array()),
        lambda: (np.array([1, 2.5], object), array((2,))),
        lambda: (np.ma.masked_array(array(), array() > 5), array()),
        lambda: (np.asmatrix(array()), array()),
        lambda: (np.rec.array([(1.0, 2.0)] * 3, dtype=[("p", "f8"), ("q", "f8")]).p, 1.0),
        lambda: (np.zeros(3, [("p", "f8"), ("q", "i1")])["p"], 1.0),
    ],
    ids=[
        "big-endian",
        "unsigned",
        "longdouble",
        "unaligned",
        "object",
        "masked",
        "matrix",
        "record",
        "field",
    ],
)
def test_what_is_not_native_is_right_all_the_same(make: Any) -> None:
    jitted = npcompile.jit(combine)
    for _ in range(3):
        got, expected = jitted(*make()), combine(*make())
        assert [type(item) for item in got] == [type(item) for item in expected]
        for one, other in zip(got, expected, strict=True):
            assert np.array_equal(np.asarray(one), np.asarray(other)) and one.dtype == other.dtype


@pytest.mark.filterwarnings("ignore::npcompile.jit.NotCompiledWarning")
def test_a_memory_map_is_written_through(tmp_path: Any) -> None:
    def fill(x):
        x[1:] = x[:-1] * 2
        return x.sum()

    jitted = npcompile.jit(fill)
    for _ in range(3):
        mapped = np.memmap(tmp_path / "data", "f8", "w+", shape=(5,))
        mapped[:] = 1
        expected = np.ones(5)
        want = fill(expected)
        assert float(jitted(mapped)) == want
        assert np.array_equal(np.asarray(mapped), expected)


# -- overlap -----------------------------------------------------------------------------------------


def shift(x, y):
    x += y
    y *= 2
    return x - y


def overlapping(kind: str) -> tuple[np.ndarray, np.ndarray]:
    whole = np.arange(10.0)
    return {
        "none": (whole[:4].copy(), whole[4:8].copy()),
        "one buffer": (whole[:4], whole[4:8]),
        "by one": (whole[1:5], whole[0:4]),
        "by two": (whole[2:6], whole[0:4]),
        "same": (same_array := whole[:4], same_array),
        "equal views": (whole[:4], whole[:4]),
        "reversed": (whole[:4], whole[3::-1]),
        "interleaved": (whole[0:8:2], whole[1:8:2]),
    }[kind]


OVERLAPS = ("none", "one buffer", "by one", "by two", "same", "equal views", "reversed", "interleaved")


def test_overlap_of_arguments_is_part_of_the_signature() -> None:
    jitted = npcompile.jit(shift)
    for _ in range(3):
        for kind in OVERLAPS:
            ours, plain = overlapping(kind), overlapping(kind)
            got, want = jitted(*ours), shift(*plain)
            same(got, want, where=kind)
            same(list(ours), list(plain), where=kind)
    assert jitted.stats.replays > 0


# -- numbers -----------------------------------------------------------------------------------------


def use_numbers(x, a, n):
    return x * a + n, a * n, n + 1


def test_numbers_are_traced() -> None:
    jitted = npcompile.jit(use_numbers)
    for trip in range(50):
        judge(jitted, use_numbers, (array(), trip * 0.37 - 3, 1000 + trip))
    assert jitted.stats.programs == jitted.stats.recordings == 1
    assert jitted.stats.replays == 49


def test_small_ints_are_traced_too() -> None:
    """CPython has one object for each small int: an argument 3 must not be taken for the literal 3."""
    jitted = npcompile.jit(lambda x, n: x * n)
    for n in range(-5, 45):
        assert np.array_equal(jitted(array(), n), array() * n)
    assert jitted.stats.programs == 1


def test_kinds_of_number_differ() -> None:
    jitted = npcompile.jit(use_numbers)
    kinds = [2, 2.0, True, np.float64(2), np.float32(2), np.int8(2), np.int64(2), np.bool_(True), 2 + 0j]
    for _ in range(2):
        for a in kinds:
            judge(jitted, use_numbers, (array(), a, 20))
    assert jitted.stats.programs == len(kinds)
    assert jitted.stats.replays == len(kinds)


@pytest.mark.parametrize(
    "values", [(0.0, -0.0), (1.0, float("nan")), (float("inf"), -0.0), (float("nan"), 0.0)]
)
def test_zeros_have_signs_and_nan_is_a_number(values: tuple[float, ...]) -> None:
    def product(x, a):
        return x * a, a, a == a, -a

    jitted = npcompile.jit(product)
    for a in values * 2:
        same(jitted(array(), a), product(array(), a))


def test_numbers_that_decide_lead_to_their_own_programs() -> None:
    def choose(x, n):
        return x[n] if n > 1 else x[:, n]

    jitted = npcompile.jit(choose)
    for n in (0, 1, 2, 3, 0, 1, 2, 3):
        judge(jitted, choose, (array(), n))
    assert jitted.stats.programs == 2 and jitted.stats.replays == 6


# -- arguments and their structure -------------------------------------------------------------------


def every_kind(a, /, b, *more, c=2.0, d, **rest):
    return a + b * c + d + sum(more) + sum(rest.values()), len(more), list(rest)


def test_all_kinds_of_parameter() -> None:
    jitted = npcompile.jit(every_kind)
    x = array()
    calls: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
        ((x, 1.0), {"d": 3.0}),
        ((x,), {"b": 1.0, "d": 3.0}),
        ((x, 1.0, 2.0, x), {"d": 3.0, "c": 1}),
        ((x, 1.0), {"d": 3.0, "e": x, "f": 2.0}),
        ((x, 1.0), {"d": 3.0, "f": 2.0, "e": x}),
    ]
    for _ in range(2):
        for args, kwargs in calls:
            same(jitted(*args, **kwargs), every_kind(*args, **kwargs))
    for args, kwargs in [((), {}), ((x,), {"d": 1}), ((x, 1), {}), ((x, 1), {"d": 1, "a": 2, "b": 3})]:
        with pytest.raises(TypeError):
            every_kind(*args, **kwargs)
        with pytest.raises(TypeError):
            jitted(*args, **kwargs)


def test_defaults_and_keywords_share_one_program() -> None:
    def power(x, *, scale=2.0, shift=1.0):
        return x * scale + shift

    jitted = npcompile.jit(power)
    for kwargs in ({}, {"scale": 3.0}, {"shift": 5.0}, {"shift": 5.0, "scale": 7.0}):
        same(jitted(array(), **kwargs), power(array(), **kwargs))
    assert jitted.stats.programs == 1


def nested(pair, options, items):
    (a, b), c = pair
    made = {"sum": a + b * options["scale"], "items": [items[0] + c, (items[-1], options["name"])], 3: None}
    return made, pair


def test_nested_containers_in_and_out() -> None:
    jitted = npcompile.jit(nested)

    def make(k: float) -> tuple[Any, ...]:
        return ((array(start=k), array()), k), {"scale": k, "name": "abc"}, [array(), array(start=k)]

    for k in (1.5, 2.5, 3.5):
        judge(jitted, nested, make(k))
    assert jitted.stats.programs == 1 and jitted.stats.replays == 2
    judge(jitted, nested, (*make(1.0)[:2], [array()]))
    judge(jitted, nested, (make(1.0)[0], {"scale": 1, "name": "abc"}, make(1.0)[2]))
    judge(jitted, nested, make(4.5))
    assert jitted.stats.programs == 3 and jitted.stats.replays == 3


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (None, 2.0),
        ("a", "b"),
        (slice(None), slice(1, 3)),
        (slice(0, 2), slice(0, 3)),
        (range(2), range(3)),
        (np.dtype("f4"), np.dtype("f8")),
        (np.dtype("<i4"), np.dtype(">i4")),
        (np.float32, np.int64),
        (np.add, np.multiply),
        (abs, len),
        ("same", ("s", "t")),
        ([0], [0, 1]),
        ({"k": 1}, {"j": 1}),
        (Ellipsis, None),
        (True, False),
        (frozenset({1}), frozenset({2})),
        (b"a", b"b"),
        pytest.param(object(), object(), id="objects"),
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore::npcompile.jit.NotCompiledWarning")
def test_options_decide(one: Any, other: Any) -> None:
    """Whatever is not data leads to an answer of its own."""

    def chosen(x, option):
        if option is one:
            x = x + 1
        if isinstance(option, slice):
            return x[option] * 2
        if isinstance(option, range | list):
            return [x[i] * 2 for i in option]
        if isinstance(option, type | np.dtype):
            return x.astype(option)
        if isinstance(option, np.ufunc):
            return option(x, x)
        if callable(option):
            return option(x)
        if isinstance(option, str | bytes | frozenset | dict):
            return x * (2 if option == other else 3)
        return x * 2 if option is None or option is True else x * 3

    jitted = npcompile.jit(chosen)
    for option in (one, other, one, other):
        same(jitted(array(), option), chosen(array(), option))


# -- functions of all kinds --------------------------------------------------------------------------


class Model:
    """Methods of every kind, jitted."""

    scale = 3.0

    def __init__(self, weight: float) -> None:
        self.weight = weight

    @npcompile.jit
    def apply(self, x):
        return x * self.weight

    @npcompile.jit
    @staticmethod
    def shift(x, by=1.0):
        return x + by

    @npcompile.jit
    @classmethod
    def twice(cls, x):
        return x * 2

    @staticmethod
    @npcompile.jit
    def half(x):
        return x / 2

    @classmethod
    @npcompile.jit
    def third(cls, x):
        return x / 3

    def plain(self, x):
        return x - self.weight


def test_methods() -> None:
    x = array()
    one, other = Model(2.0), Model(5.0)
    for model in (one, other, one, other):
        same(model.apply(x), x * model.weight)
        same(Model.apply(model, x), x * model.weight)
        same(model.shift(x), x + 1.0)
        same(Model.shift(x, by=2.0), x + 2.0)
        same(model.twice(x), x * 2)
        same(Model.half(x), x / 2)
        same(Model.third(x), x / 3)
    assert Model.__dict__["apply"].stats.programs == 1
    bound = npcompile.jit(one.plain)
    for _ in range(2):
        same(bound(x), x - 2.0)


def test_it_looks_like_the_function() -> None:
    jitted = npcompile.jit(nested)
    assert jitted.__name__ == "nested" and jitted.__wrapped__ is nested and jitted.__module__ == __name__
    assert npcompile.jit(wait=True)(nested).__doc__ == nested.__doc__
    with pytest.raises(TypeError):
        npcompile.jit(3)


# -- torch -------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::npcompile.jit.NotCompiledWarning")
def test_tensors_in() -> None:
    def through_numpy(t):
        return torch.from_numpy(t.numpy() * 2 + 1)

    def by_numpy(t):
        return np.sin(np.asarray(t)) * 2

    for fn in (through_numpy, by_numpy):
        jitted = npcompile.jit(fn)
        for start in (1.0, 2.0, 3.0):
            tensor = torch.from_numpy(array(start=start))
            got, want = jitted(tensor), fn(tensor)
            assert type(got) is type(want) and bool((got == want).all())


# -- read-only memory --------------------------------------------------------------------------------


def increment(x, y):
    y[0] = 7.0
    x += 1
    return x


def test_a_read_only_array_is_not_written() -> None:
    """NumPy's exception, at the first call and where a program for a writeable one is there."""
    jitted = npcompile.jit(increment)
    for _ in range(2):
        judge(jitted, increment, (array(), array()))
    for _ in range(3):
        x, y = read_only(array()), array()
        plain = copy.deepcopy(y)
        with pytest.raises(ValueError, match="read-only"):
            jitted(x, y)
        with pytest.raises(ValueError, match="read-only"):
            increment(read_only(array()), plain)
        assert np.array_equal(x, array()) and np.array_equal(y, plain)


def test_no_warning_of_our_own() -> None:
    """Read-only memory and empty arrays pass through torch without its warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        jitted = npcompile.jit(combine)
        for _ in range(2):
            jitted(read_only(array()), read_only(array()))
