"""Random expressions for loop programs: indices, numbers, conditions, slices.

`random_programs.py` puts them into statements. `ExpressionGrower` knows of each name in reach if it holds
integers, real numbers, complex numbers, truth values or arrays of those, so that most expressions make sense.
Their values do not depend on the order of additions: floats that NumPy adds up are small whole numbers.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass


@dataclass
class Array:
    """A name for an array. group: "b", "i", "f" or "c", what its elements are."""

    name: str
    group: str
    rank: int = 1
    long: bool = True  # as long as `a`
    exact: bool = False  # holds small whole numbers throughout


class ExpressionGrower:
    """Writes expressions of the names in reach."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.used: set[str] = set()  # helper functions that are called
        self.arrays: list[Array] = []
        self.ints, self.reals, self.complexes, self.flags = ["k", "n"], ["x", "s"], ["h"], ["w"]
        self.loops: list[str] = []  # indices that the loops around count

    # Choices

    def one_in(self, count: int) -> bool:
        return self.rng.randrange(count) == 0

    def choose(self, *forms: tuple[int, Callable[[], str]]) -> str:
        """Return what one of the forms gives. forms: each with its weight."""
        weights, makers = zip(*forms, strict=True)
        return self.rng.choices(makers, weights)[0]()

    def pick(self, *texts: str) -> str:
        return self.rng.choice(texts)

    def array(
        self, groups: str = "bifc", rank: int = 1, long: bool = False, exact: bool = False
    ) -> Array | None:
        found = [
            one
            for one in self.arrays
            if one.group in groups and one.rank == rank and one.long >= long and one.exact >= exact
        ]
        return self.rng.choice(found) if found else None

    def index(self) -> str:
        """Return an index that is mostly within arrays as long as `a`."""
        loop = self.rng.choice(self.loops) if self.loops else self.pick("0", "1", "k")
        return self.choose(
            (8, lambda: loop),
            (3, lambda: f"{loop} - 1"),
            (5, lambda: f"({loop} + {self.rng.randrange(1, 4)}) % n"),
            (2, lambda: f"idx[{loop}]"),
            (2, lambda: f"n - 1 - {loop}"),
            (1, lambda: f"{loop} // 2"),
            (1, lambda: self.pick("-1", "0", "-n")),
            (1, lambda: f"-{loop}"),
            (1, lambda: f"{loop} + 1"),
            (2, lambda: f"({self.rng.choice(self.ints)}) % n"),
            (1, lambda: "int(z) % n"),
        )

    def element(self, groups: str) -> str | None:
        """Return an element of an array whose group is one of these."""
        if self.one_in(3) and (array := self.array(groups, rank=2)):
            form = self.pick("{}[{}, {}]", "{}[{}, {}]", "{}[{}][{}]")
            return form.format(array.name, self.index(), self.index())
        if self.one_in(12) and "i" in groups:
            return f"TABLE[{self.index()}]"
        if array := self.array(groups):
            index = self.index() if array.long else f"({self.index()}) % len({array.name})"
            return f"{array.name}[{index}]"
        return None

    def slice(self) -> str:
        loop = self.rng.choice(self.loops) if self.loops else "1"
        return self.pick(
            *(":", "1:", ":-1", "::-1", "::2", ":n // 2"),
            *(f":{loop}", f"{loop}:", f"{loop} + 1:", f"{loop}::-1", f":{loop}:-1", f"{loop} - 1:{loop} + 1"),
        )

    def integer(self, depth: int = 2) -> str:
        def inner() -> str:
            return self.integer(depth - 1)

        atoms = (
            (4, lambda: self.rng.choice([*self.ints, *self.loops])),
            (2, lambda: str(self.rng.randrange(10))),
            (4, lambda: self.element("i") or self.rng.choice(self.ints)),
            (1, lambda: self.pick("K", "len(a)", "idx[0]", "a.shape[0]", "m.shape[1]", "int(x)")),
        )
        if depth <= 0 or self.one_in(4):
            return self.choose(*atoms)
        return self.choose(
            (6, lambda: f"({inner()} {self.pick('+', '-')} {inner()})"),
            (3, lambda: f"({inner()} * {self.pick('2', '3', '-1', '31', '0x9E3779B9')})"),
            (3, lambda: f"({inner()} {self.pick('//', '%')} {self.divisor(inner)})"),
            (3, lambda: f"({inner()} {self.pick('&', '|', '^')} {inner()})"),
            (1, lambda: f"({inner()} >> {self.rng.randrange(4)})"),
            (1, lambda: f"(({inner()} & 255) << {self.rng.randrange(1, 9)})"),
            (1, lambda: f"({self.pick('-', '~', '+')}{inner()})"),
            (1, lambda: f"abs({inner()})"),
            (2, lambda: f"{self.pick('min', 'max')}({inner()}, {inner()})"),
            (1, lambda: f"int({self.real(depth - 1)})"),
            (1, lambda: f"round({self.real(depth - 1)})"),
            (1, lambda: f"math.floor({self.real(depth - 1)})"),
            (1, lambda: f"divmod({inner()}, {self.divisor(inner)})[{self.rng.randrange(2)}]"),
            (1, lambda: f"({inner()} % 7) ** {self.rng.randrange(4)}"),
            (1, lambda: f"pow({inner()} % 5, {self.rng.randrange(3)})"),
            (2, lambda: f"({inner()} if {self.condition(depth - 1)} else {inner()})"),
            (1, lambda: f"({inner()} {self.pick('and', 'or')} {inner()})"),
            (1, lambda: f"np.{self.pick('int64', 'int32', 'uint8', 'int8')}({inner()} % 100)"),
            (1, lambda: self.called("factorial", f"{inner()} % 5")),
            (1, lambda: f"bool({inner()})"),
            (1, self.count_of),
        )

    def divisor(self, inner: Callable[[], str]) -> str:
        return self.choose(
            (4, lambda: self.pick("2", "3", "5", "-3", "7", "256")),
            (2, lambda: f"({inner()} | 1)"),
            (1, inner),
        )

    def count_of(self) -> str:
        """Return an integer that a whole array gives."""
        if self.one_in(2) and (array := self.array("ifb")):
            return f"int(np.{self.pick('argmin', 'argmax')}({array.name}))"
        if array := self.array("b") or self.array("i", exact=True):
            return f"int({array.name}[{self.slice()}].{self.pick('sum', 'any', 'all')}())"
        return "len(a)"

    def real(self, depth: int = 2) -> str:
        def inner() -> str:
            return self.real(depth - 1)

        atoms = (
            (4, lambda: self.rng.choice(self.reals)),
            (2, lambda: self.pick("0.5", "2.0", "-1.25", "0.1", "1e-3", "3", "EPS", "0.0")),
            (6, lambda: self.element("f") or self.element("i") or "x"),
            (2, lambda: self.integer(depth - 1)),
            (1, lambda: self.pick("z[()]", "float(z)", "s", "float(k)")),
        )
        if depth <= 0 or self.one_in(4):
            return self.choose(*atoms)
        return self.choose(
            (8, lambda: f"({inner()} {self.pick('+', '-')} {inner()})"),
            (5, lambda: f"({self.factor()} * {inner()})"),
            (4, lambda: f"({inner()} / {self.denominator(inner)})"),
            (1, lambda: f"({inner()} {self.pick('//', '%')} {self.denominator(inner)})"),
            (1, lambda: f"float({self.factor()}) ** {self.pick('2', '3', '0.5', '2.0', '-1')}"),
            (1, lambda: f"({self.pick('-', '+')}{inner()})"),
            (1, lambda: f"abs({inner()})"),
            (2, lambda: f"{self.pick('min', 'max')}({inner()}, {inner()})"),
            (1, lambda: f"float({inner()})"),
            (1, lambda: f"round(float({inner()}), {self.rng.randrange(3)})"),
            (1, lambda: f"math.{self.pick('sin', 'cos', 'atan', 'fabs', 'tanh')}({inner()})"),
            (1, lambda: f"math.sqrt({self.pick('abs', 'abs', '')}({inner()}))"),
            (1, lambda: f"math.{self.pick('exp', 'log', 'log1p')}({inner()})"),
            (1, lambda: f"math.{self.pick('copysign', 'fmod', 'hypot', 'atan2')}({inner()}, {inner()})"),
            (1, lambda: f"np.{self.pick('sqrt', 'abs', 'floor', 'sign', 'square')}({inner()})"),
            (1, lambda: f"np.{self.pick('maximum', 'minimum', 'add', 'subtract')}({inner()}, {inner()})"),
            (1, lambda: f"np.{self.pick('float32', 'float64', 'float16')}({inner()})"),
            (1, lambda: f"divmod({inner()}, {self.denominator(inner)})[1]"),
            (3, lambda: f"({inner()} if {self.condition(depth - 1)} else {inner()})"),
            (1, lambda: f"({inner()} {self.pick('and', 'or')} {inner()})"),
            (2, lambda: self.called(self.pick("scaled", "larger", "settled"), inner(), inner())),
            (3, self.reduction),
            (1, lambda: f"abs({self.complex(depth - 1)})" if self.array("c") else "x"),
            (
                1,
                lambda: (
                    f"({self.complex(depth - 1)}).{self.pick('real', 'imag')}" if self.array("c") else "s"
                ),
            ),
        )

    def factor(self) -> str:
        """Return a number that is no Python int, so that products do not grow without end."""
        texts = [self.pick("0.5", "x", "s", "1.5"), f"float({self.rng.choice(self.reals)})"]
        return self.pick(*texts, self.element("f") or "x")

    def denominator(self, inner: Callable[[], str]) -> str:
        return self.choose(
            (3, lambda: self.pick("2", "3.0", "0.25", "-4")),
            (4, lambda: f"(abs({inner()}) + 1)"),
            (1, inner),
        )

    def reduction(self) -> str:
        """Return a number that a slice gives, which does not depend on the order of its elements."""
        whole = self.array("if", exact=True)
        assert whole is not None
        name, part = whole.name, self.slice()
        texts = [
            f"{name}[{part}].{self.pick('sum', 'sum', 'prod', 'max', 'min', 'mean')}()",
            f"np.{self.pick('sum', 'max', 'mean')}({name}[{part}])",
            f"np.dot({name}[{part}], {name}[{part}])",
            f"({name}[{part}] @ {name}[{part}])",
            f"sum({name}[{part}])",
            f"np.linalg.norm({name}[{part}])",
            f"np.outer({name}, {name})[{self.index()}, {self.index()}]",
            f"{name}[{part}].{self.pick('argmin', 'argmax')}()",
            f"{name}[idx[{part}]].sum()",
            f"{name}[{name} > {self.pick('1', 'x')}].sum()",
        ]
        if array := self.array("if"):
            texts.append(f"{array.name}[{self.slice()}].{self.pick('min', 'max')}()")
        return self.pick(*texts)

    def complex(self, depth: int = 2) -> str:
        def inner() -> str:
            return self.complex(depth - 1)

        if depth <= 0 or self.one_in(3):
            return self.choose(
                (2, lambda: self.rng.choice(self.complexes)),
                (4, lambda: self.element("c") or "h"),
                (1, lambda: self.pick("1j", "(2 - 1j)")),
                (1, lambda: self.real(depth - 1)),
            )
        return self.choose(
            (4, lambda: f"({inner()} {self.pick('+', '-')} {inner()})"),
            (2, lambda: f"({self.pick('0.5', 'x', 'h', 's')} * {inner()})"),
            (1, lambda: f"({inner()} / {self.pick('2', '4.0', 's')})"),
            (1, lambda: f"(-{inner()})"),
            (1, lambda: f"complex({self.real(depth - 1)}, {self.real(depth - 1)})"),
            (1, lambda: f"np.conj({inner()})"),
            (1, lambda: f"({inner()} if {self.condition(depth - 1)} else {inner()})"),
        )

    def condition(self, depth: int = 2) -> str:
        def number() -> str:
            return self.real(depth - 1) if self.one_in(2) else self.integer(depth - 1)

        def compare() -> str:
            return self.pick("<", "<=", ">", ">=", "==", "!=")

        simple = (
            (5, lambda: f"{number()} {compare()} {number()}"),
            (2, lambda: self.rng.choice(self.flags)),
            (2, lambda: self.element("b") or "w"),
            (1, lambda: f"{self.integer(depth - 1)} % 2 == {self.rng.randrange(2)}"),
        )
        if depth <= 0 or self.one_in(2):
            return "(" + self.choose(*simple) + ")"
        return self.choose(
            (2, lambda: f"({number()} {compare()} {number()} {compare()} {number()})"),
            (
                2,
                lambda: f"({self.condition(depth - 1)} {self.pick('and', 'or')} {self.condition(depth - 1)})",
            ),
            (1, lambda: f"(not {self.condition(depth - 1)})"),
            (1, lambda: f"bool({number()})"),
            (1, lambda: f"math.{self.pick('isnan', 'isfinite')}({self.real(depth - 1)})"),
            (1, lambda: f"({self.any_of()})"),
        )

    def any_of(self) -> str:
        array = self.array("ifb")
        if array is None:
            return "w"
        test = array.name if array.group == "b" else f"({array.name} > {self.integer(0)})"
        return f"{test}[{self.slice()}].{self.pick('any', 'all')}()"

    def called(self, name: str, *args: str) -> str:
        self.used.add(name)
        return f"{name}({', '.join(args)})"

    def value_for(self, group: str, depth: int = 2) -> str:
        """Return a value to be stored in an array of a group."""
        if group == "b":
            return self.condition(depth)
        if group == "c":
            return self.complex(depth)
        if group == "i":
            value = self.integer(depth)
            return value if self.one_in(3) else f"({value}) % {self.pick('100', '64', '2')}"
        return self.real(depth)
