"""Grows random NumPy programs: statements over arrays and numbers, each tried on NumPy as it is written."""

from __future__ import annotations

import ast
import contextlib
import io
import random
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from npcompile.frontend.ops.write_order import is_read_late
from tests.programs.mask_statement_generator import picked, stored

DTYPES = ["f8"] * 8 + ["i8"] * 4 + ["f4"] * 2 + ["?", "i4", "u1", "i1", "c16", "f2"]
SHAPES = [(4,)] * 3 + [(3, 4)] * 5 + [(4, 4)] * 3 + [(2, 3, 4), (1, 4), (3, 1), (), (0, 4), (1,)]
LAYOUTS = ["C"] * 5 + ["F", "strided", "reversed", "reversed rows", "transposed", "read-only"]
PRELUDE = """import numpy as np

G = np.arange(12.0).reshape(3, 4)
S = 2.5
K = 3


def helper(p, q):
    r = p * 2
    r += q
    return r


def scale_in_place(p, q):
    p *= q
    return p[::-1]


"""


@dataclass
class Program:
    """A program's source, and how its arguments are made: one row each, ("array", shape, dtype, layout),
    ("part", of which, index), ("same", as which), ("int",) or ("float",)."""

    arguments: list[tuple[Any, ...]]
    lines: list[str] = field(default_factory=list)
    returned: str = "None"

    @property
    def source(self) -> str:
        names = ", ".join(f"a{place}" for place in range(len(self.arguments)))
        body = "".join(f"    {line}\n" for line in [*self.lines, f"return {self.returned}"])
        return f"{PRELUDE}def program({names}):\n{body}"

    def make(self, rng: random.Random, numbers: bool = True, longer: int = 0) -> tuple[Any, ...]:
        """Fresh arguments. numbers: with numbers of their own; else those of the first call. longer: by so
        much is each axis longer that has two elements or more."""
        fixed = random.Random(5)
        made: list[Any] = []
        for kind, *spec in self.arguments:
            if kind == "array":
                shape, dtype, layout = spec
                grown = tuple(n + longer if n > 1 else n for n in shape)
                made.append(_array(rng, grown, dtype, layout))
            elif kind == "part":
                made.append(eval(f"array{spec[1]}", {"array": made[spec[0]]}))
            elif kind == "same":
                made.append(made[spec[0]])
            elif kind == "int":
                made.append(rng.choice([0, 1, 1, 2, 3, -1, 7]) if numbers else fixed.choice([1, 2, 3]))
            else:
                value = rng.choice([0.0, -0.0, 0.5, -1.5, 2.0, 300.0, float("nan")])
                made.append(value if numbers else fixed.choice([0.5, 2.0]))
        return tuple(made)


def _array(rng: random.Random, shape: tuple[int, ...], dtype: str, layout: str) -> np.ndarray:
    def filled(shape: tuple[int, ...]) -> np.ndarray:
        values = [rng.choice([0, 1, 2, 3, -1, -2, 5, 0.25, -0.5, 4]) for _ in range(int(np.prod(shape)))]
        with np.errstate(all="ignore"):
            whole = (
                np.array(values, float).astype("i8")
                if np.dtype(dtype).kind in "iu"
                else np.array(values, float)
            )
            return whole.astype(dtype).reshape(shape)

    if layout == "F":
        return np.asfortranarray(filled(shape))
    if layout == "strided":
        return filled(tuple(2 * n for n in shape))[tuple(slice(None, None, 2) for _ in shape)]
    if layout == "reversed":
        return filled(shape)[tuple(slice(None, None, -1) for _ in shape)]
    if layout == "reversed rows" and shape:
        return filled(shape)[::-1]
    if layout == "transposed":
        return filled(shape[::-1]).T
    made = filled(shape)
    if layout == "read-only":
        made.flags.writeable = False
    return made


class Grower:
    """Grows one program; `rng` decides everything."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.count = 0
        self.indent = ""

    def grow(self) -> Program:
        rng = self.rng
        arguments: list[tuple[Any, ...]] = []
        for _ in range(rng.randint(1, 3)):
            arguments.append(("array", rng.choice(SHAPES), rng.choice(DTYPES), rng.choice(LAYOUTS)))
        places = range(len(arguments))
        if rng.random() < 0.25:
            arguments.append(("same", rng.choice(places)))
        if rng.random() < 0.35:
            index = rng.choice(["[1:]", "[:-1]", "[1:-1]", "[::-1]", "[::2]", "[...]", ".T", "[:, 1:]"])
            arguments.append(("part", rng.choice(places), index))
        arguments += [("int",)] * rng.randint(0, 2) + [("float",)] * rng.randint(0, 1)
        self.program = Program(arguments)
        try:
            first = self.program.make(random.Random(rng.random()), numbers=False)
        except IndexError:  # a part of an array that has no such part
            self.program.arguments = [row for row in arguments if row[0] != "part"]
            first = self.program.make(random.Random(rng.random()), numbers=False)
        space: dict[str, Any] = {}
        exec(PRELUDE, space)
        self.space = space
        self.env: dict[str, Any] = {f"a{place}": value for place, value in enumerate(first)}
        for _ in range(rng.randint(3, 18)):
            self.step()
        names = list(self.env)
        picked = [rng.choice(names) for _ in range(rng.randint(1, 4))]
        self.program.returned = rng.choice(
            [
                f"({', '.join(picked)},)",
                picked[0],
                f"{{'x': {picked[0]}, 'y': [{picked[-1]}]}}",
            ]
        )
        return self.program

    # -- what there is -------------------------------------------------------------------------------

    def pick(self, wanted: Callable[[Any], bool]) -> str:
        names = [name for name, value in self.env.items() if wanted(value)]
        if not names:
            return "G"
        return self.rng.choice(names[-4:] if self.rng.random() < 0.5 else names)

    def array(self) -> str:
        return self.pick(lambda value: isinstance(value, np.ndarray)) if self.rng.random() < 0.95 else "G"

    def operand(self) -> str:
        roll = self.rng.random()
        if roll < 0.65:
            return self.array()
        if roll < 0.8:
            return self.pick(lambda value: not isinstance(value, np.ndarray))
        return self.rng.choice(
            ["1", "2", "-1", "0", "0.5", "-0.0", "3.0", "S", "K", "True", "np.float32(2)", "4"]
        )

    def number(self) -> str:
        name = self.pick(lambda value: type(value) in (int, float))
        return name if name != "G" and self.rng.random() < 0.7 else self.rng.choice(["1", "2", "0.5", "K"])

    def index(self) -> str:
        """A basic index."""
        n = self.pick(lambda value: type(value) is int)
        n = n if n != "G" else "1"
        return self.rng.choice(
            [
                "0",
                "-1",
                "1:",
                ":-1",
                "::-1",
                "::2",
                "1:-1",
                "...",
                ":, 0",
                ":, ::-1",
                "..., 1:",
                "1:, :-1",
                "None",
            ]
            + [
                "::-2",
                "2:0:-1",
                "..., 0",
                "...,  None",
                f"{n}",
                f":{n}",
                f"{n}:",
                "0, 1:",
                ":0",
                "1, 1",
                "()",
            ]
        )

    def whole(self) -> str:
        """Small whole numbers, which add up exactly in every dtype."""
        return f"np.clip(np.rint({self.array()}), -9, 9)"

    # -- statements ----------------------------------------------------------------------------------

    def step(self) -> None:
        roll = self.rng.random()
        if roll < 0.06:
            self.block(f"if {self.condition()}:")
        elif roll < 0.1:
            self.block(self.rng.choice(["for i in range(3):", f"for i in range({self.index_number()}):"]))
        else:
            self.attempt(self.statement())

    def index_number(self) -> str:
        name = self.pick(lambda value: type(value) is int)
        return name if name != "G" else "2"

    def condition(self) -> str:
        return self.rng.choice(
            [
                f"{self.number()} > 1",
                f"{self.array()}.any()",
                f"{self.array()}.shape[0] > 3",
                f"{self.number()}",
            ]
            + [f"np.max({self.array()}) > 2", f"{self.array()}.size and {self.number()} != 2"]
        )

    def block(self, head: str) -> None:
        """A statement with a body that makes no new names."""
        body = [self.statement(writes=True) for _ in range(self.rng.randint(1, 2))]
        self.attempt("\n".join([head, *(f"    {line}" for line in body)]))

    def reads_late(self, text: str) -> bool:
        """Tell if a statement stores under a mask that lies elsewhere on the array.

        NumPy reads such a mask in words while it writes: where the array begins in memory decides the answer.
        """
        pairs = []
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
                pairs.append((node.value, node.slice))
            elif isinstance(node, ast.Call) and ast.unparse(node.func) == "np.copyto":
                pairs += [(node.args[0], keyword.value) for keyword in node.keywords]
        for pair in pairs:
            try:
                array, mask = (eval(ast.unparse(part), self.space, self.env) for part in pair)
            except Exception:
                continue
            if isinstance(mask, np.ndarray) and mask.dtype == bool and is_read_late(mask, array):
                return True
        return False

    def attempt(self, text: str) -> None:
        """Take a statement into the program if NumPy takes it, and has one answer to it."""
        if self.reads_late(text):
            return
        try:
            with (
                np.errstate(all="ignore"),
                warnings.catch_warnings(),
                contextlib.redirect_stdout(io.StringIO()),
            ):
                warnings.simplefilter("ignore")
                exec(compile(text, "statement", "exec"), self.space, self.env)
        except Exception:
            return
        self.env.pop("i", None)
        self.program.lines += text.split("\n")

    def new(self) -> str:
        self.count += 1
        return f"v{self.count}"

    def statement(self, writes: bool = False) -> str:
        kinds = WRITES if writes or self.rng.random() < 0.35 else VALUES
        text = self.rng.choice(kinds)(self)
        return text if kinds is WRITES else f"{self.new()} = {text}"


BINARY = ["+", "-", "*", "/", "//", "%", "<", "<=", ">", ">=", "==", "!=", "&", "|", "^"]
UNARY = [
    "np.abs({})",
    "-{}",
    "np.floor({})",
    "np.sign({})",
    "np.isnan({})",
    "np.logical_not({})",
    "~{}",
    "+{}",
]
UNARY += [
    "np.square({})",
    "np.sqrt(np.abs({}))",
    "np.rint({})",
    "np.conjugate({})",
    "np.signbit(np.nan_to_num({}))",  # nobody says which sign a NaN has
    "{}.real",
]
# Which of 0.0 and -0.0 is the greater depends on NumPy's own loops: + 0 takes the sign away.
BOTH = [
    "np.minimum({}, {}) + 0",
    "np.maximum({}, {}) + 0",
    "np.fmax({}, {}) + 0",
    "np.copysign({}, np.nan_to_num({}))",
    "np.multiply({}, {})",
]
BOTH += [
    "np.logical_and({}, {})",
    "np.hypot({}, 0 * {})",
    "helper({}, {})",
    "np.where({}, 1, {})",
    "np.add({}, {})",
]
BOTH += ["np.concatenate([{}, {}])", "np.stack([{}, {}])", "np.outer({}, {})", "np.equal({}, {})", "[{}, {}]"]
REDUCTIONS = ["max", "min", "any", "all", "argmax", "argmin", "max"]
AXES = ["", "0", "-1", "axis=0, keepdims=True", "axis=-1, keepdims=True", "axis=None", "axis=(0, 1)"]
MOVED = ["{}.T", "{}.reshape(-1)", "{}.ravel()", "{}.copy()", "np.transpose({})", "np.swapaxes({}, 0, -1)"]
MOVED += ["np.squeeze({})", "np.expand_dims({}, 0)", "np.flip({})", "np.atleast_2d({})", "np.asarray({})"]
MOVED += [
    "np.broadcast_to({}, (3, 4))",
    "np.zeros_like({})",
    "np.ones({}.shape)",
    "np.full_like({}, 2)",
    "{}.flatten()",
]
MOVED += [
    "np.moveaxis({}, 0, -1)",
    "np.array({})",
    "np.array({}).T",
    "np.roll({}, 1)",
    "np.diagonal({})",
    "np.sort({})",
]
NUMBERS = [
    "{} + 1",
    "{} * 2",
    "-{}",
    "{} / 2",
    "{} // 2",
    "{} % 3",
    "abs({})",
    "float({})",
    "min({}, 2)",
    "max(0, {})",
]
NUMBERS += ["{} ** 2", "{} > 1", "round({})", "int({} * 2)", "{} + S", "{} * K", "divmod({}, 2)"]
NUMBERS += ["(-1) ** {}", "2.0 ** -{}", "-{} // 2", "{} % -3", "({} > 1) - 1", "not {}", "round({}, 1)"]
AUGMENTED = ["+=", "-=", "*=", "/=", "//=", "%=", "&=", "|="]


def _get_many(g: Grower) -> str:
    x = g.array()
    return g.rng.choice(
        [
            f"{x}[[0, -1]]",
            f"{x}[np.array([1, 0, 1])]",
            f"{x}[{x} > 0]",
            f"{x}[..., [0, 1]]",
            f"{x}[[0, 1], [1, 0]]",
        ]
        + [
            f"{x}[{g.array()}]",
            f"np.take({x}, [0, 2])",
            f"{x}[np.abs({g.array()}).astype(int) % max(len({x}), 1)]",
        ]
    )


def _sums(g: Grower) -> str:
    form = g.rng.choice(
        ["np.sum({}, {})", "np.cumsum({}, 0)", "np.mean({} * 4, {})", "np.count_nonzero({}, {})"]
    )
    return form.format(g.whole(), g.rng.choice(["axis=0", "axis=-1", "axis=None", "axis=1"]))


def _number(g: Grower) -> str:
    x = g.array()
    more = [
        f"len({x})",
        f"{x}.shape[0]",
        f"{x}.size",
        f"float({x}.max() + 0)",
        f"int(np.sum({g.whole()}))",
        f"{x}.max() + 0",
    ]
    return g.rng.choice([*(form.format(g.number()) for form in g.rng.sample(NUMBERS, 3)), *more])


def _host(g: Grower) -> str:
    return g.rng.choice(["np.unique({})", "np.nonzero({})[0]", "np.median({})", "{}.tolist()"]).format(
        g.array()
    )


VALUES: list[Callable[[Grower], str]] = [
    *[lambda g: f"{g.operand()} {g.rng.choice(BINARY)} {g.operand()}"] * 5,
    lambda g: g.rng.choice(UNARY).format(g.array()),
    *[lambda g: g.rng.choice(BOTH).format(g.operand(), g.operand())] * 2,
    lambda g: f"np.where({g.array()} > 0, {g.operand()}, {g.operand()})",
    lambda g: f"{g.array()}.{g.rng.choice(REDUCTIONS)}({g.rng.choice(AXES)}) + 0",
    _sums,
    *[lambda g: f"{g.array()}[{g.index()}]"] * 4,
    *[lambda g: g.rng.choice(MOVED).format(g.array())] * 2,
    lambda g: (
        f"{g.array()}.astype({g.rng.choice(['float', 'int', 'bool', repr('f4'), 'np.uint8', 'complex'])})"
    ),
    *[_get_many] * 2,
    *[picked] * 2,
    *[_number] * 2,
    _host,
    lambda g: f"scale_in_place({g.array()}, {g.operand()})",
    lambda g: f"(lambda z: z + {g.operand()})({g.array()})",
    lambda g: f"[q * 2 for q in {g.array()}]",
]
WRITES: list[Callable[[Grower], str]] = [
    *[lambda g: f"{g.array()}[{g.index()}] = {g.operand()}"] * 3,
    lambda g: f"{(x := g.array())}[{g.index()}] = {x}[{g.index()}]",
    lambda g: f"{g.array()}[{g.index()}] {g.rng.choice(AUGMENTED)} {g.operand()}",
    *[lambda g: f"{g.array()} {g.rng.choice(AUGMENTED)} {g.operand()}"] * 2,
    lambda g: f"{(x := g.array())}[{x} > {g.number()}] = {g.rng.choice([g.number(), g.operand()])}",
    *[stored] * 2,
    lambda g: f"{g.array()}[{g.rng.choice(['[0, -1]', 'np.array([1, 0])', '[0, 0]'])}] = {g.operand()}",
    lambda g: f"{g.array()}[{g.array()}] = {g.operand()}",
    lambda g: (
        f"np.{g.rng.choice(['add', 'multiply', 'logical_or'])}({g.operand()}, {g.operand()}, out={g.array()})"
    ),
    lambda g: f"np.add({(x := g.array())}[1:], {x}[:-1], out={x}[1:])",
    lambda g: f"np.copyto({g.array()}, {g.operand()}{g.rng.choice(['', ', where=' + g.array()])})",
    lambda g: f"np.subtract({g.operand()}, 1, out={g.array()}, where={g.array()} > 0)",
    lambda g: f"{g.array()}.fill({g.number()})",
    lambda g: f"print({g.array()}[..., :1])",
]
