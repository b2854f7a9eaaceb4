"""Random programs on Python ints around 64 bits: functions that mask, shift, compare and store them.

`test_random_wide_ints.py` compares them with plain Python. Statements often keep 64 bits of what they
assign, so values stay about as large; others do not, and native code leaves there.
"""

from __future__ import annotations

import random

ARGUMENTS = "u, s, out, n, a, b, c, x"
MASKS = ("MASK", "0xFFFFFFFFFFFFFFFF", "0x7FFFFFFFFFFFFFFF", "0xFFFFFFFF", "0x8000000000000000", "255")
NUMBERS = (
    *("0", "1", "2", "3", "7", "-1", "-5", "31", "33", "63", "64", "0x9E3779B97F4A7C15", "0x100000001B3"),
    *("9223372036854775807", "9223372036854775808", "18446744073709551615", "-9223372036854775808"),
)
HEADER = "import math\n\nimport numpy as np\n\nMASK = 0xFFFFFFFFFFFFFFFF\n\n"
HELPERS = "def rotated(v, k):\n    return ((v << k) | (v >> (64 - k))) & MASK\n\n\n"


class WideIntGrower:
    """Writes a function of loops over wide ints."""

    def __init__(self, rng: random.Random, name: str) -> None:
        self.rng = rng
        self.ints = ["a", "b", "c", "h", "i"]
        lines = ["h, f, w = a, 0.5, False", "for i in range(n):"]
        lines += self.block(rng.randrange(3, 7), 1)
        lines += ["    out[i] = " + self.masked(2), "return a, b, c, h, f, w"]
        body = "".join(f"    {line}\n" for line in lines)
        self.source = f"def {name}({ARGUMENTS}):\n{body}\n\n"

    def pick(self, *texts: str) -> str:
        return self.rng.choice(texts)

    def block(self, count: int, depth: int) -> list[str]:
        lines = []
        for _ in range(count):
            lines += self.statement(depth)
        return ["    " + line for line in lines]

    def statement(self, depth: int) -> list[str]:
        name = self.pick("a", "b", "c", "h", "h")
        form = self.rng.randrange(12)
        if form < 4:
            return [f"{name} = {self.masked(3)}"]
        if form < 6:
            operator = self.pick("^", "+", "*", "-", "|", "<<", ">>", "//", "%", "&")
            by = self.pick("1", "13", "17", "33") if operator in "<<>>" else self.integer(1)
            return [f"{name} {operator}= {by}", f"{name} &= {self.pick(*MASKS)}"]
        if form == 6:
            return [f"{name} = {self.integer(2)}"]
        if form == 7:
            return [f"f = {self.real()}"]
        if form == 8:
            return [f"w = {self.condition()}"]
        if form == 9:
            return [f"out[{self.pick('i', '(h & 3) % n', 'int(u[i]) % n')}] = {self.masked(2)}"]
        if depth < 3 and form == 10:
            return [
                f"if {self.condition()}:",
                *self.block(2, depth + 1),
                "else:",
                *self.block(1, depth + 1),
            ]
        if depth < 3:
            return [f"for _ in range({self.pick('2', '3', 'h % 4')}):", *self.block(2, depth + 1)]
        return [f"{name} = {self.masked(2)}"]

    def masked(self, depth: int) -> str:
        value = self.integer(depth)
        mask = self.pick(*MASKS)
        return self.pick(
            f"({value}) & {mask}", f"{mask} & ({value})", f"({value}) % 2**64", f"({value}) % (1 << 64)"
        )

    def integer(self, depth: int) -> str:
        def inner() -> str:
            return self.integer(depth - 1)

        if depth <= 0 or self.rng.randrange(5) == 0:
            return self.pick(
                *self.ints, *self.ints, self.pick(*NUMBERS), "int(u[i])", "int(s[i])", "u[i].item()"
            )
        form = self.rng.randrange(22)
        if form < 8:
            return f"({inner()} {self.pick('+', '-', '*', '^', '|', '&')} {inner()})"
        if form < 11:
            return (
                f"({inner()} {self.pick('<<', '>>')} {self.pick('1', '7', '31', '63', f'({inner()} & 63)')})"
            )
        if form < 13:
            return f"({inner()} {self.pick('//', '%')} {self.pick('3', '10', '-7', f'({inner()} | 1)')})"
        if form == 13:
            return f"({self.pick('-', '~', '+')}{inner()})"
        if form == 14:
            return f"rotated({inner()} & MASK, {self.pick('5', '32', f'{inner()} & 31')})"
        if form == 15:
            return f"({inner()} if {self.condition()} else {inner()})"
        if form == 16:
            return f"{self.pick('min', 'max')}({inner()}, {inner()})"
        if form == 17:
            return f"({inner()}).{self.pick('bit_length', 'bit_count')}()"
        if form == 18:
            return f"abs({inner()})"
        if form == 19:
            return f"int({inner()} / 3)"
        if form == 20:
            return f"({inner()} {self.pick('and', 'or')} {inner()})"
        return f"({self.condition()} + {inner()})"

    def condition(self) -> str:
        compare = self.pick("<", "<=", ">", ">=", "==", "!=")
        other = self.pick(self.integer(1), "f", "x", "u[i]", "s[i]", "0", "1 << 63", "True")
        return self.pick(f"({self.integer(1)} {compare} {other})", f"(not {self.integer(1)})")

    def real(self) -> str:
        value = self.integer(1)
        return self.pick(
            f"{value} / ({self.integer(1)} | 1)",
            f"float({value})",
            f"{value} * 0.5",
            f"x * ({value})",
            f"math.sqrt(abs({value}))",
            f"f * 0.5 + ({value})",
            f"x - {value}",
        )


def source_of(seed: int, count: int) -> tuple[str, list[str]]:
    """Return a module of functions, and their names."""
    rng = random.Random(seed)
    names = [f"wide_{at}" for at in range(count)]
    return HEADER + HELPERS + "".join(WideIntGrower(rng, name).source for name in names), names
