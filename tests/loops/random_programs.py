"""Random loop programs: a module's source with a function `program` and the arguments of its four calls.

`LoopGrower` writes nested loops over elements, slices, rows and indices of arrays of every dtype and layout.
A program that makes no sense to Python is mostly written anew, so most run to their end, and some raise.
A kernel may round powers and transcendental functions of NumPy's otherwise: `e` alone holds values of those,
and nothing reads it. Complex arrays are not multiplied.
"""

from __future__ import annotations

import random
import warnings
from typing import Any

import numpy as np

from tests.loops.random_expressions import Array
from tests.loops.random_features import HEADER, FeatureGrower, indented

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
FLOATS = ("float16", "float32", "float64")
COMPLEXES = ("complex64", "complex128")
DTYPES = ("bool", *INTEGERS, *FLOATS, *FLOATS, *COMPLEXES)
TRIES = 12  # programs that are written until one makes sense
MEANINGFUL = (IndexError, ZeroDivisionError, OverflowError, ValueError, UnboundLocalError)

HELPERS = {
    "scaled": "def scaled(v, p):\n    return v * 0.5 + p\n",
    "larger": "def larger(v, p):\n    if v > p:\n        return v\n    return p + 1\n",
    "settled": "def settled(v, p):\n    for _ in range(3):\n        v = v * 0.5 + p\n        if v > 9:\n"
    "            break\n    return v\n",
    "factorial": "def factorial(d):\n    return 1 if d < 2 else d * factorial(d - 1)\n",
    "put": "def put(array, at, v):\n    array[at] = v\n    return at\n",
    "smallest": "def smallest(array, start):\n    at = start\n    for one in range(start, len(array)):\n"
    "        if array[one] < array[at]:\n            at = one\n    return at\n",
}


NAMES = "a, b, c, m, idx, e, z, s, x, k, h, w"


def program_source(rng: random.Random) -> str:
    """Return a program that makes sense, mostly."""
    for _ in range(TRIES):
        source = LoopGrower(rng).source
        error = first_error(source)
        chance = 1.0 if error is None else 0.7 if isinstance(error, MEANINGFUL) else 0.03
        if rng.random() < chance:
            break
    return source


def first_error(source: str) -> Exception | None:
    """Return what the first or third call raises."""
    space: dict[str, Any] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(source, "<random loop program>", "exec"), space)
        for call in (0, 2):
            try:
                space["program"](*space["arguments"](call))
            except Exception as error:
                return error
    return None


def group_of(dtype: str) -> str:
    kind = np.dtype(dtype).kind
    return "i" if kind == "u" else kind


class LoopGrower(FeatureGrower):
    """Writes one program. source: its module."""

    def __init__(self, rng: random.Random) -> None:
        super().__init__(rng)
        self.trips = 0  # variables that count the trips of `while` loops
        self.nesting = 0  # loops around
        made = self.arguments()
        body = self.program()
        helpers = "".join("\n\n" + text for name, text in HELPERS.items() if name in self.used)
        program = [f"def program({NAMES}):", *indented(body)]
        arguments = ["def arguments(call):", *indented(made), f"    return {NAMES}"]
        self.source = f"{HEADER}{helpers}\n\n" + "\n".join([*program, "", "", *arguments, ""])

    # Arguments

    def values(self, count: str, dtype: str, whole: bool = False) -> str:
        """Return an expression for an array of so many elements."""
        kind = np.dtype(dtype).kind
        low = {"b": 0, "u": 0}.get(kind, self.rng.randrange(6))
        period = 2 if kind == "b" else self.rng.randrange(3, 12)
        text = f"((np.arange({count}) * {self.rng.choice((3, 5, 7))} + v) % {period} - {low})"
        if kind in "fc" and not whole:
            text = f"({text} / {self.rng.choice((1, 2, 4, 3))})"
        if kind == "c":
            text = f"({text} * (1 - 0.5j))" if not whole else f"({text} + 1j)"
        swapped = self.one_in(30) and dtype != "bool"
        name = (
            repr(np.dtype(dtype).newbyteorder(">").str)
            if swapped
            else "bool"
            if kind == "b"
            else f"np.{dtype}"
        )
        return f"{text}.astype({name})"

    def layout(self, name: str, dtype: str) -> list[str]:
        """Return statements that make a 1-d array of n elements, contiguous or not."""
        plain = [f"{name} = {self.values('n', dtype)}"]
        return self.rng.choice(
            [
                plain,
                plain,
                [f"{name} = {self.values('n', dtype)}[::-1]"],
                [f"{name} = {self.values('2 * n', dtype)}[::2]"],
                [f"{name} = {self.values('n + 2', dtype)}[1:-1]"],
                [f"{name} = {self.values('3 * n', dtype)}.reshape(n, 3)[:, 1]"],
            ]
        )

    def arguments(self) -> list[str]:
        rng = self.rng
        lengths = [rng.randrange(3, 6) if not self.one_in(15) else rng.randrange(3)]
        lengths = [lengths[0], lengths[0], lengths[0] + rng.randrange(3), lengths[0]]
        seeds = [rng.randrange(5)] * 2 + [rng.randrange(5)] * 2
        lines = [f"n, v = {list(zip(lengths, seeds, strict=True))}[call]"]
        first, second, third = (rng.choice(DTYPES) for _ in range(3))
        second = first if rng.random() < 0.5 else second
        third = self.rng.choice([first, "float64", third])
        if self.one_in(5):
            second = first
            views = ("a", "a[::-1]", "base[n // 2 : n // 2 + n]", "base[1 : n + 1]", "base[::2]")
            base = self.values("2 * n", first)
            lines += [f"base = {base}", "a = base[:n]", f"b = {rng.choice(views)}"]
        else:
            lines += self.layout("a", first) + self.layout("b", second)
        for name, dtype in (("a", first), ("b", second)):
            self.arrays.append(Array(name, group_of(dtype)))
            if self.one_in(4) and dtype != "bool":
                kind = np.dtype(dtype).kind
                special = {"f": ("np.nan", "np.inf", "-0.0", "1e4"), "c": ("np.nan", "complex(-0.0, np.inf)")}
                most = (f"np.iinfo(np.{dtype}).max", f"np.iinfo(np.{dtype}).min")
                lines.append(f"{name}[{rng.randrange(4)} :][:1] = {rng.choice(special.get(kind, most))}")
        if self.one_in(25):
            lines.append("a.flags.writeable = False")
        whole = rng.choice(("int64", "float64", "float64", "float32", "float16", "uint8", "int16"))
        lines.append(f"c = {self.values('n', whole, whole=True)}")
        self.arrays.append(Array("c", group_of(whole), exact=True))
        columns = "n" if rng.random() < 0.7 else "n + 2"
        text = f"{self.values(f'n * ({columns})', third)}.reshape"
        lines += rng.choice(
            [
                [f"m = {text}(n, {columns})"],
                [f"m = np.asfortranarray({text}(n, {columns}))"],
                [f"m = {text}({columns}, n).T"],
                [f"m = {text}(n, {columns})[::-1]"],
                [f"m = {text}(n, {columns})[:, ::-1]"],
                [f"m = np.repeat({text}(n, {columns}), 2, axis=1)[:, ::2]"],
            ]
        )
        self.arrays.append(Array("m", group_of(third), rank=2))
        self.wide = columns != "n"
        index = self.pick("intp", "int8", "uint8", "int32", "uint64", "int64")
        lines.append(f"idx = ((np.arange(n) * 2 + v) % max(n, 1)).astype(np.{index})")
        lines.append("e = np.zeros(4)")
        scalar = rng.choice((*INTEGERS, *FLOATS, *FLOATS))
        zero_d = rng.choice((*INTEGERS, *FLOATS))
        lines.append(f"z = np.array({rng.randrange(5)} + v, np.{zero_d})")
        lines.append(f"s = np.{scalar}({rng.randrange(1, 5)} + v)")
        numbers = self.pick("1.5", "-0.75", "0.1", "2.0", "0.0", "1e10")
        lines.append(f"x = {numbers} + v")
        lines.append(f"k = v + {rng.choice((0, 1, 2, 7, 1 << 40, (1 << 62) + 1))}")
        lines.append("h = complex(v, 0.5)")
        lines.append("w = v % 2 == 0")
        return lines

    # Statements

    def program(self) -> list[str]:
        rng = self.rng
        lines = ["n = len(a)"]
        for name, names, values in (
            ("q", self.ints, ("0", "k", "1", "int(s)", "n", "K")),
            ("p", self.ints, ("1", "0", "7", "k & 15")),
            ("r", self.reals, ("0.0", "0", "s", "x", "z[()]", "1.0")),
            ("y", self.reals, ("0.5", "x", "1", "np.float32(2)")),
            ("g", self.complexes, ("0j", "h", "np.complex64(1)")),
            ("ok", self.flags, ("False", "w", "True")),
        ):
            lines.append(f"{name} = {rng.choice(values)}")
            names.append(name)
        if self.one_in(2):
            lines += self.local_array("u")
        lines += self.draw_features()
        self.stack = not self.features and self.one_in(2)
        if self.stack:
            lines.append("stack = " + self.pick("[]", "[0, n]", "[1.5]", "[s] * 3", "[0] * n"))
            lines.append("rows = " + self.pick("[[], [], []]", "[[1], [], [2, 3]]", "[stack, [], stack]"))
            lines.append("pairs = " + self.pick("[]", "[(0, 0.5)]", "[(q, 1.0), (p, 2.0)]"))
        loops: list[str] = []
        for _ in range(self.rng.choice((1, 1, 1, 2))):
            loops += self.loop(0)
        if self.one_in(5):
            errors = self.pick("(IndexError, ZeroDivisionError)", "(ArithmeticError, ValueError, IndexError)")
            loops = ["try:", *indented(loops), f"except {errors} as error:", "    ok = str(error)"]
        found = rng.sample(["q", "p", "r", "y", "ok"], rng.randrange(2, 5))
        found += ["g"] if self.array("c") else []
        found += ["stack", "rows", "pairs"] if self.stack else []
        found += ["u"] if any(one.name == "u" for one in self.arrays) else []
        found += self.found_by_features()
        found += ["i"] if self.one_in(3) and any(line.lstrip().startswith("for i") for line in loops) else []
        return [*lines, *loops, f"return {', '.join(found)}"]

    def loop(self, depth: int) -> list[str]:
        """Return a loop; the variables that it binds are in reach of its body alone."""
        scopes = (self.arrays, self.ints, self.reals, self.complexes, self.flags, self.loops)
        kept = [len(one) for one in scopes]
        variable = "ijl"[depth]
        lines, head, first = self.head(variable)
        self.nesting += 1
        body = first + self.block(depth, self.rng.randrange(1, 5 - depth))
        self.nesting -= 1
        for scope, length in zip(scopes, kept, strict=True):
            del scope[length:]
        lines += [head, *indented(body)]
        if self.one_in(8):
            lines += ["else:", *indented(self.block(depth + 1, 1))]
        return lines

    def names_for(self, group: str) -> list[str]:
        """Return the names of values of a group, to be read or added to."""
        return {"b": self.flags, "i": self.ints, "f": self.reals, "c": self.complexes}[group]

    def head(self, variable: str) -> tuple[list[str], str, list[str]]:
        """Return what stands before a loop, its head, and how its body begins."""
        if self.stack and self.one_in(6):
            return [], self.list_head(variable), []
        kind = self.rng.randrange(10)
        if kind < 2:
            return self.while_head()
        if kind < 4:
            return [], self.items_head(variable), []
        if kind == 4:
            return [], self.rows_head(variable), []
        counts = ["n"] * 4 + ["1, n", "n - 1, -1, -1", "0, n, 2", "n - 1, 0, -1", "n - 2", "2, n"]
        if self.loops:
            around = self.rng.choice(self.loops)
            counts += [f"{around}, n", f"{around}", f"{around} + 1, n", f"{around}, -1, -1"]
        self.loops.append(variable)
        text = f"range({self.rng.choice(counts)})"
        if self.one_in(10):
            text = self.pick(f"reversed({text})", "idx", "idx[::-1]")
        return [], f"for {variable} in {text}:", []

    def while_head(self) -> tuple[list[str], str, list[str]]:
        self.trips += 1
        trip = f"t{self.trips}"
        if self.one_in(2):
            return self.moving_head(trip)
        self.loops.append(f"({trip} - 1)")
        if self.one_in(3):
            return [f"{trip} = 0"], "while True:", [f"{trip} += 1", f"if {trip} > n:", "    break"]
        condition = self.condition()
        test = self.pick(f"{trip} < n", f"{trip} < n and {condition}", f"{condition} and {trip} < n")
        return [f"{trip} = 0"], f"while {test}:", [f"{trip} += 1"]

    def moving_head(self, trip: str) -> tuple[list[str], str, list[str]]:
        """Return the head of a loop that moves an int up or down, from some place of an array to an end."""
        start, test, step, place = self.rng.choice(
            (
                ("n", "> 0", "-= 1", ""),
                ("n - 1", ">= 0", "-= 1", " + 1"),
                ("n - 1", ">= 1", "-= 2", " + 2"),
                ("0", "+ 1 < n", "+= 1", ""),
                ("k % 2", "< len(a)", "+= 2", " - 2"),
                ("-1", "< n - 1", "+= 1", ""),
            )
        )
        self.loops.append(f"({trip}{place})")
        also = f" and {self.condition()}" if self.one_in(3) else ""
        return [f"{trip} = {start}"], f"while {trip} {test}{also}:", [f"{trip} {step}"]

    def list_head(self, variable: str) -> str:
        """Return the head of a loop over items of lists, which the loop itself does not make longer."""
        if self.one_in(3):
            self.ints.append(f"{variable}v")
            self.reals.append(f"{variable}o")
            return f"for {variable}v, {variable}o in pairs[:4]:"
        self.reals.append(f"{variable}v")
        items = self.pick(
            "list(stack)", "stack[-4:]", "rows[q % 3][:4]", "rows[1][1:5]", "reversed(stack[:3])"
        )
        if self.one_in(2):
            return f"for {variable}v in {items}:"
        self.ints.append(f"{variable}k")
        return f"for {variable}k, {variable}v in enumerate({items}, 1):"

    def items_head(self, variable: str) -> str:
        """Return the head of a loop over elements of arrays."""
        one, other = (self.rng.choice([array for array in self.arrays if array.rank == 1]) for _ in range(2))
        part = self.pick("", "", f"[{self.slice()}]")
        self.names_for(one.group).append(f"{variable}v")
        if self.one_in(3):
            return f"for {variable}v in {one.name}{part}:"
        self.loops.append(variable)
        if self.one_in(2):
            return f"for {variable}, {variable}v in enumerate({one.name}{part}):"
        self.names_for(other.group).append(f"{variable}o")
        return (
            f"for {variable}, ({variable}v, {variable}o) in enumerate(zip({one.name}{part}, {other.name})):"
        )

    def rows_head(self, variable: str) -> str:
        """Return the head of a loop over rows, or over some arrays."""
        first, second = self.arrays[:2]
        if self.one_in(2) and first.group == second.group:
            self.arrays.append(Array(f"{variable}a", first.group))
            return f"for {variable}a in (a, b):"
        matrix = self.array(rank=2)
        assert matrix is not None
        self.loops.append(variable)
        self.arrays.append(Array(f"{variable}row", matrix.group, long=not self.wide))
        return f"for {variable}, {variable}row in enumerate({matrix.name}):"

    def block(self, depth: int, count: int) -> list[str]:
        arrays, loops = len(self.arrays), len(self.loops)
        lines = [line for _ in range(count) for line in self.statement(depth)]
        del self.arrays[arrays:], self.loops[loops:]
        return lines

    def statement(self, depth: int) -> list[str]:
        compound = self.rng.randrange(10)
        if compound < 2 and depth < 2:
            return self.loop(depth + 1)
        if self.nesting and self.one_in(16):
            return self.handled([line for _ in range(self.rng.choice((1, 2))) for line in self.simple()])
        if compound < 5:
            return self.branch(depth)
        return self.simple()

    def branch(self, depth: int) -> list[str]:
        lines = [f"if {self.condition()}:"]
        if self.one_in(3):
            ways = ["return q, r, ok", *["break", "continue"] * (2 if self.nesting else 0)]
            leaving = self.rng.choice(ways)
            return [*lines, *indented([*(self.simple() if self.one_in(2) else []), leaving])]
        lines += indented(self.block(depth + 1, 1))
        if self.one_in(4):
            lines += [f"elif {self.condition()}:", *indented(self.block(depth + 1, 1))]
        if self.one_in(2):
            lines += ["else:", *indented(self.block(depth + 1, 1))]
        return lines

    def simple(self) -> list[str]:
        forms = [
            (4, self.integer_assignment),
            (5, self.real_assignment),
            (6, self.element_store),
            (4, self.element_update),
            (2, self.swap),
            (3, self.slice_store),
            (2, self.row_statement),
            (1, self.other_statement),
        ]
        if self.stack:
            forms.append((4, self.stack_statement))
        if self.features:
            forms.append((8, self.feature_statement))
        weights, makers = zip(*forms, strict=True)
        return self.rng.choices(makers, weights)[0]()

    def integer_assignment(self) -> list[str]:
        name = self.pick("q", "p")
        if self.one_in(2):
            return [f"{name} = {self.integer()}"]
        change = self.pick(
            "+= {}", "-= {}", "^= {}", "&= {}", "|= {}", "*= 3", "//= 2", "%= 1000", "<<= 1", ">>= 1"
        )
        return [f"{name} {change.format(self.integer())}"]

    def real_assignment(self) -> list[str]:
        name = self.pick("r", "r", "y", "y", "x")
        if self.array("c") and self.one_in(3):
            return [f"g {self.pick('=', '+=', '-=')} {self.complex()}"]
        if self.one_in(2):
            return [f"{name} = {self.real()}"]
        change = self.pick(
            "+= {}", "+= {}", "-= {}", "*= 0.5", "/= 2", "/= (abs({}) + 1)", "-= EPS", "**= 2.0"
        )
        if change == "**= 2.0":
            return [f"{name} = float({name}) ** 2.0"]
        return [f"{name} {change.format(self.real())}"]

    def target(self) -> tuple[str, Array]:
        """Return an element to be written, and its array."""
        array = self.rng.choice([one for one in self.arrays if not one.exact])
        if array.rank == 2:
            return f"{array.name}[{self.index()}, {self.index()}]", array
        index = self.index() if array.long else f"({self.index()}) % len({array.name})"
        return f"{array.name}[{index}]", array

    def element_store(self) -> list[str]:
        target, array = self.target()
        return [f"{target} = {self.value_for(array.group)}"]

    def element_update(self) -> list[str]:
        target, array = self.target()
        operators = {"b": "& | ^", "i": "+ - ^ & |", "f": "+ - * /", "c": "+ - *"}[array.group].split()
        operator = self.rng.choice(operators)
        value = f"(abs({self.real()}) + 1)" if operator == "/" else self.value_for(array.group)
        return [f"{target} {operator}= {value}"]

    def swap(self) -> list[str]:
        target, array = self.target()
        other = f"{array.name}[{self.index()}]" if array.rank == 1 else f"{array.name}[{self.index()}, 0]"
        return [
            self.pick(
                f"{target}, {other} = {other}, {target}",
                f"q, p = p, {self.integer()}",
                f"r, y = y, {self.real()}",
                f"q, {target} = {self.integer()}, {self.value_for(array.group)}",
                f"q, p = divmod({self.integer()}, {self.divisor(self.integer)})",
                f"p = q = {self.integer()}",
            )
        ]

    def slice_store(self) -> list[str]:
        """Return a statement on a slice; its operands are slices of the same length, of any overlap."""
        array = self.array("bifc", long=True)
        if array is None or array.exact:
            return self.element_store()
        part = self.slice()
        target = f"{array.name}[{part}]"
        other = self.array({"b": "bif", "i": "i", "f": "if", "c": "ifc"}[array.group], long=True) or array
        source = f"{other.name}[{part}]"
        if self.one_in(6):
            target, source = self.rng.choice(
                [
                    (f"{array.name}[1:]", f"{other.name}[:-1]"),
                    (f"{array.name}[:-1]", f"{other.name}[1:]"),
                    (f"{array.name}[::-1]", f"{other.name}[:]"),
                    (f"{array.name}[:]", f"{other.name}[idx]"),
                    (f"{array.name}[idx]", f"{other.name}[:]"),
                ]
            )
        if array.group == "b":
            return [f"{target} = {source} {self.pick('>', '==', '!=')} {self.pick('0', '1', 'x')}"]
        whole = array.group == "i"
        scalar = self.pick("2", "K", "3") if whole else self.pick("x", "0.5", "2", "s", "y")
        value = self.pick(
            *(source, f"{source} + {scalar}", f"{source} * {scalar}", f"{source} - {source}", scalar),
            f"np.where({source} == 0, {source}, {scalar})",
            f"abs({source})" if array.group != "c" else f"-{source}",
            f"{source} & 7" if other.group == "i" else f"{source} / 4",
        )
        if self.one_in(3):
            update = self.rng.choice({"i": "+-^&", "f": "+-*", "c": "+-"}[array.group])
            return [f"{target} {update}= {value if other is array else scalar}"]
        return [f"{target} = {value}"]

    def row_statement(self) -> list[str]:
        matrix = self.array(rank=2)
        assert matrix is not None
        one, other = self.index(), self.index()
        group = matrix.group
        if self.one_in(2) and not any(array.name == "row" for array in self.arrays):
            column = self.one_in(3)
            self.arrays.append(Array("row", group, long=column or not self.wide))
            return [f"row = {matrix.name}[:, {one}]" if column else f"row = {matrix.name}[{one}]"]
        part = self.slice()
        scalar = {"b": "False", "i": "2", "f": self.pick("0.5", "x", "2"), "c": "0.5"}[group]
        operator = self.rng.choice({"b": "^", "i": "+-*", "f": "+-*", "c": "+-"}[group])
        return [
            self.pick(
                f"{matrix.name}[{one}, {part}] {operator}= {matrix.name}[{other}, {part}]",
                f"{matrix.name}[{one}, {part}] = {matrix.name}[{other}, {part}]",
                f"{matrix.name}[{part}, {one}] = {scalar}",
                f"{matrix.name}[{one}] {operator if group != 'b' else '|'}= {scalar}",
                f"{matrix.name}[:, {one}] = {matrix.name}[:, {other}]",
            )
        ]

    def local_array(self, name: str) -> list[str]:
        text, group = self.rng.choice(
            [
                ("np.zeros(n)", "f"),
                ("np.zeros(n, np.int64)", "i"),
                ("np.ones(n, np.float32)", "f"),
                ("np.arange(n)", "i"),
                ("np.arange(n, dtype=np.float32)", "f"),
                ("np.full(n, 2)", "i"),
                ("np.full(n, x)", "f"),
                ("np.zeros(n, bool)", "b"),
                ("np.zeros_like(a)", self.arrays[0].group),
                ("a.copy()", self.arrays[0].group),
                ("b.copy()", self.arrays[1].group),
                ("np.ones_like(b)", self.arrays[1].group),
            ]
        )
        if not any(array.name == name for array in self.arrays):
            self.arrays.append(Array(name, group))
        return [f"{name} = {text}"]

    def stack_statement(self) -> list[str]:
        return self.rng.choice(
            [
                [f"stack.append({self.integer()})"],
                [f"stack.append({self.real()})"],
                ["if len(stack) < 6:", f"    stack.append({self.index()})"],
                ["if stack:", f"    {self.pick('r', 'y')} = stack.pop()"],
                ["if stack:", f"    r = stack[{self.pick('-1', '0')}] + {self.real(1)}"],
                ["q = len(stack)"],
                ["y = stack.pop()"],
                ["if stack:", "    stack.append(stack.pop(0))"],
                ["if len(stack) < 9:", f"    stack.insert({self.index()}, {self.integer()})"],
                ["if stack:", f"    stack[{self.index()}] = {self.pick('r', 'q', 'y')}"],
                ["if len(stack) < 9:", f"    stack {self.pick('+=', '= stack +')} [{self.integer()}]"],
                ["if len(stack) < 9:", "    stack.extend(rows[q % 3])"],
                ["stack = " + self.pick("stack[1:]", "stack[:-1]", "rows[0]", "[]", "[q, p]")],
                [f"stack.{self.pick('clear', 'reverse')}()"],
                [f"rows[{self.pick('q % 3', '-1', '1')}].append({self.integer()})"],
                ["if rows[1]:", f"    p = rows[1][{self.pick('0', '-1')}] + {self.integer()}"],
                [f"rows[{self.pick('q % 3', '2')}] = {self.pick('stack', 'stack[:2]', 'rows[1]', '[p]')}"],
                [f"pairs.append(({self.integer()}, {self.real()}))"],
                ["if pairs:", "    p, y = pairs.pop()", f"    pairs.append((p, {self.real(1)}))"],
                ["for qq, yy in pairs[-2:]:", "    r = r + qq * yy"],
                ["if len(stack) > 1:", "    stack[0], stack[-1] = stack[-1], stack[0]"],
            ]
        )

    def other_statement(self) -> list[str]:
        if self.one_in(5):
            return self.local_array("t")
        array = self.rng.choice([one for one in self.arrays if not one.exact and one.rank == 1])
        number = f"(float({self.real()}) % 4)"
        rounded = self.pick(
            "np.exp({})", "np.sin({})", "np.tanh({})", "np.float64({}) ** 3", "np.float64({}) ** 0.5"
        )
        self.used |= {"put", "smallest"}
        return self.rng.choice(
            [
                [f"ok = {self.condition()}"],
                [f"q = put({array.name}, {self.index()}, {self.value_for(array.group)})"],
                [f"p = smallest(c, {self.index()})"],
                [f"e[{self.index()} & 3] = {rounded.format(number)}"],
                ["pass"],
                [f"z[()] = {self.integer(1)} % 50"],
                [f"z {self.pick('+', '-', '*')}= 1"],
            ]
        )
