"""Grows whole Python programs around arrays: stores, branches, loops, exceptions, generators, effects.

Every array of a program has the shape of its first argument (or is a row of one), so that most statements
mean something whatever the order; all numbers are small and dyadic, so that answers are exact.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

from tests.programs.library_templates import EXPRESSIONS, STATEMENTS

PRELUDE = Path(__file__).with_name("python_program_prelude.py").read_text() + "\n\n"


class PythonGrower:
    """One random program of `program(a, b, k, t, d)`: its source in `source`."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.lines: list[str] = []
        self.arrays = ["a", "b"]
        self.numbers = ["k"]
        self.made = 0
        self.budget = rng.randint(6, 16)
        self.nested = rng.random() < 0.5
        self.yields = rng.random() < 0.1
        self.declares = rng.random() < 0.3
        if self.declares:
            self.put(0, "global K")
        if self.nested:
            self.put(0, "c = 0", "def bump(by=1):", "    nonlocal c", "    c += by", "    return c")
            self.put(0, "w = a * 0.5", "def seen():", "    return w % 4")
            self.arrays.append("w")
        while self.budget > 0:
            self.statement(0, False)
        shown = ", ".join([*self.arrays, *self.numbers, *(["c", "seen()"] if self.nested else [])])
        self.put(0, f"return {shown}, t.n")

    @property
    def source(self) -> str:
        return PRELUDE + "def program(a, b, k, t, d):\n" + "".join(f"    {line}\n" for line in self.lines)

    # -- expressions ---------------------------------------------------------------------------------------

    def pick(self, *choices: str) -> str:
        return self.rng.choice(choices)

    def array(self, depth: int = 2) -> str:
        """An expression whose value has the programs' shape, below 4 or so."""
        if depth == 0 or self.rng.random() < 0.25:
            return self.pick(*self.arrays, *self.arrays, "t.x", "t.y")
        one, two = self.array(depth - 1), self.array(depth - 1)
        number = self.number(depth - 1)
        simple: tuple[str, ...] = (
            f"wrap({one} + {two})",
            f"({one} - {two}) % 4",
            f"{one} * 0.5",
            f"({one} * {number}) % 4",
        )
        numpy: tuple[str, ...] = (
            f"np.where({one} > {two}, {one}, {two})",
            f"np.abs({one})",
            f"np.minimum({one}, {two})",
        )
        more = (f"np.roll({one}, 1, axis=0)", f"{one}[::-1]", f"np.sort({one}, axis=0)", f"{one}.copy()")
        calls: tuple[str, ...] = (
            f"helper({one}, {two})",
            f"helper({one}, {two}, w={number})",
            f"looping({one}, {number})",
        )
        calls += (f"rec({one}, {number})", f"total({one}, {two}, z=0.5)", f"memo({one})", f"t({one})")
        calls += (f"total(*[{one}, {two}])", "t.half", "t.force()", 't["u"]', f"(lambda v: v * 0.5)({one})")
        drawn = (f"({one} + STREAM.integers(0, 4)) % 4", f"({one} + np.random.randint(0, 3)) % 4")
        lazy: tuple[str, ...] = (
            f"sum(wrap(v) for v in ({one}, {two}))",
            f"[{one}, {two}][{self.number(0)} % 2]",
        )
        lazy += (f"list(rows({one}, 2))[-1]", f"({one} if {self.test(depth - 1)} else {two})")
        lazy += (f"wrap({one} + G[0])", f"wrap({one} + D['n'])", f"[v * 0.5 for v in ({one}, {two})][0]")
        library = tuple(self.filled(line) for line in self.rng.sample(EXPRESSIONS, 3))
        if self.nested:
            calls += ("seen()", f"({one} + bump()) % 4")
        groups = [simple, simple, numpy, more, calls, calls, drawn, lazy, library]
        return f"({self.pick(*self.rng.choice(groups))})"

    def filled(self, template: str) -> str:
        """A template with arrays, numbers and a test of the program's."""
        return template.format(
            one=self.pick(*self.arrays),
            two=self.pick(*self.arrays),
            number=self.number(0),
            other=self.number(0),
            test=self.test(0),
        )

    def library(self, depth: int, loop: bool) -> None:
        """What Python's own library does."""
        lines = self.rng.choice(STATEMENTS)
        self.put(depth, *self.filled("\n".join(lines)).split("\n"))

    def number(self, depth: int = 1) -> str:
        if depth == 0 or self.rng.random() < 0.4:
            return self.pick(*self.numbers, "2", "3", "K", "(t.n % 4)")
        one = self.array(depth - 1)
        return self.pick(
            f"int({one}.sum() % 3)",
            f"len({one})",
            f"int({one}.max())",
            f"({self.number(0)} + 1) % 5",
            "(D['n'] % 3)",
        )

    def test(self, depth: int = 1) -> str:
        one, two = self.array(0), self.array(0)
        value = (
            f"{one}.sum() > {two}.sum()",
            f"np.any({one} > 2.5)",
            f"{one}[0].sum() > 1",
            f"{one}.max() > 2",
        )
        plain = (
            f"{self.number(0)} > 1",
            f"{self.number(0)} % 2 == 0",
            f"0 < {self.number(0)} <= 2",
            "t.n < 4",
        )
        other = ("'z' in d", "t.hist", "len(LOG) % 2", "isinstance(t, Heavy)", "d.get('z') is None")
        both = (f"not {one}.any()", f"{self.number(0)} and {one}.sum() > 2", f"{one}.min() < 1 or t.n > 3")
        return self.pick(*self.rng.choice([value, value, plain, other, both]))

    # -- statements ----------------------------------------------------------------------------------------

    def put(self, depth: int, *lines: str) -> None:
        self.lines += ["    " * depth + line for line in lines]

    def new(self, kind: str = "x") -> str:
        self.made += 1
        return f"{kind}{self.made}"

    def within(self, depth: int, loop: bool, count: int = 0) -> None:
        """A nested body. Names first bound in it are forgotten after it."""
        arrays, numbers = list(self.arrays), list(self.numbers)
        for _ in range(count or self.rng.randint(1, 3)):
            self.statement(depth, loop)
        self.arrays, self.numbers = arrays, numbers

    def statement(self, depth: int, loop: bool) -> None:
        self.budget -= 1
        kinds: list[Callable[[int, bool], None]] = [
            self.assign,
            self.assign,
            self.write,
            self.store,
            self.effect,
        ]
        kinds += [self.assign, self.store, self.library]
        if depth < 3 and self.budget > 0:
            kinds += [self.branch, self.loop, self.loop, self.whole, self.attempt, self.manage]
        if self.rng.random() < 0.12:
            kinds = [self.leave]
        self.rng.choice(kinds)(depth, loop)

    def assign(self, depth: int, loop: bool) -> None:
        name = self.pick(*self.arrays) if self.rng.random() < 0.5 else self.new()
        form = self.rng.randint(0, 9)
        if form == 0:
            one, two = self.pick(*self.arrays), self.pick(*self.arrays)
            self.put(depth, f"{one}, {two} = {self.array(1)}, {self.array(1)}")
        elif form == 1:
            number = self.new("n")
            self.put(depth, f"{number} = {self.number(2)}")
            self.numbers.append(number)
        elif form == 2:
            number = self.pick(*self.numbers)
            self.put(depth, self.pick(f"{number} += 1", f"{number} = ({number} + {self.number(0)}) % 7"))
        elif form == 3:
            self.put(depth, f"{self.pick(*self.arrays)} = {name} = {self.array()}")
            self.arrays.append(name)
        elif form == 4:
            number = self.new("n")
            self.put(depth, f"{name} = ({number} := {self.number()}) * {self.array(1)} % 4")
            self.numbers.append(number)
            self.arrays.append(name)
        else:
            self.put(depth, f"{name} = {self.array()}")
            self.arrays.append(name)
        self.arrays, self.numbers = list(dict.fromkeys(self.arrays)), list(dict.fromkeys(self.numbers))

    def write(self, depth: int, loop: bool) -> None:
        one, two = self.pick(*self.arrays), self.array(1)
        view = self.new("v")
        forms = [
            (f"{one} += {two}", f"{one} %= 4"),
            (f"{one} *= 0.5",),
            (f"{one}[1:] = {one}[:-1] * 0.5",),
            (f"{one}[:-1] += {one}[1:]", f"{one} %= 4"),
            (f"{one}[{one} > 2] = {self.number()}",),
            (f"{one}[...] = {two}",),
            (f"{view} = {one}[1:]", f"{view} *= 0.5", f"{view}[0] = {self.number()}"),
            (f"np.add({one}, 0.5, out={one})", f"np.minimum({one}, 4, out={one})"),
            (f"{one}[{self.number()} % len({one})] = {self.number()}",),
            (f"in_place({one}, {two})",),
            (f"{one}.fill({self.number()})",),
            ("t.x += 0.5", "t.x %= 4"),
            (f"t.table['u'][0] = {self.number()}",),
        ]
        self.put(depth, *self.rng.choice(forms))

    def store(self, depth: int, loop: bool) -> None:
        one, number = self.array(), self.number()
        forms = [
            f"t.x = {one}",
            f"t.y = {one}",
            f"t.half = {one}",
            f"t.n += {number}",
            f"t.hist.append({one})",
            f"t.hist.append({number})",
            f't["u"] = {one}',
            f'd["z"] = {one}',
            f'd["n"] = d.get("n", 0) + {number}',
            'D["n"] += 1',
            f't.table["k"] += {number}',
            f"LOG.append({one}.sum())",
            f"setattr(t, 'extra', {one})",
            f"t += {self.array(1)}",
            "t.step(0.5)",
            f"k = t.run({number})",
            "t.__dict__.pop('extra', None)",
            f"d.update(q={one}, r={number})",
        ]
        self.put(depth, self.rng.choice(forms))

    def effect(self, depth: int, loop: bool) -> None:
        one = self.array(1)
        forms = [
            f"print('sum', {one}.sum(), {self.number()})",
            f"print(f'{{{self.pick(*self.arrays)}.max():.3f}} {{{self.number(0)}}}')",
            f"LOG.append({self.number()})",
            f"LOG.extend([{self.number()}, 'e'])",
            f"np.random.seed({self.number()})",
            f"D.setdefault('w', []).append({self.number()})",
        ]
        if self.nested:
            forms += [
                "bump()",
                f"bump({self.number()})",
                f"w = {one}",
                f"w = {one}",
                "LOG.append(seen().sum())",
            ]
        if self.yields:
            forms += [f"yield {one}", f"yield {self.number()}"]
        self.put(depth, self.rng.choice(forms))

    def branch(self, depth: int, loop: bool) -> None:
        self.put(depth, f"if {self.test()}:")
        self.within(depth + 1, loop)
        if self.rng.random() < 0.3:
            self.put(depth, f"elif {self.test()}:")
            self.within(depth + 1, loop)
        if self.rng.random() < 0.5:
            self.put(depth, "else:")
            self.within(depth + 1, loop)

    def loop(self, depth: int, loop: bool) -> None:
        arrays, numbers = list(self.arrays), list(self.numbers)
        i, r, s = self.new("i"), self.new("r"), self.new("s")
        g = self.new("g")  # nothing else changes it: every loop ends
        one, two = self.array(1), self.array(1)
        forms: list[tuple[list[str], list[str], list[str]]] = [
            ([f"for {i} in range({self.rng.randint(0, 5)}):"], [i], []),
            ([f"for {i} in range({self.number()} % 6):"], [i], []),
            ([f"for {i} in range({self.number()} % 6):"], [i], []),
            ([f"for {i} in range(4, {self.rng.randint(0, 3)}, -1):"], [i], []),
            ([f"for {r} in [{one}, {two}]:"], [], [r]),
            ([f"for {i}, {r} in enumerate([{one}, {two}, {one}]):"], [i], [r]),
            ([f"for {r}, {s} in zip([{one}, {two}], ({two}, {one})):"], [], [r, s]),
            ([f"for {r} in reversed([{one}, {two}]):"], [], [r]),
            ([f"for {s} in {one}:", f"    {r} = {two} * {s} % 4"], [], [r]),
            ([f"for {i}, {s} in enumerate({one}):", f"    {r} = ({two} + {s}) % 4"], [i], [r]),
            ([f"for {s}, {r} in list(d.items()):", f"    {r} = {r} * {one} % 4"], [], [r]),
            ([f"for {r} in rows({one}, {self.rng.randint(1, 4)}):", f"    {r} = {r} % 4"], [], [r]),
            (
                [
                    f"{i} = 0",
                    f"{g} = 0",
                    f"while {g} < 5 and {i} < 4 and ({self.test()}):",
                    f"    {i}, {g} = {i} + 1, {g} + 1",
                ],
                [i],
                [],
            ),
            (
                [
                    f"{i} = 0",
                    f"{g} = 0",
                    f"while {i} < {self.rng.randint(1, 5)} and {g} < 5:",
                    f"    {i} += 1",
                    f"    {g} += 1",
                ],
                [i],
                [],
            ),
            (
                [
                    f"{r} = {one}",
                    f"{g} = 0",
                    f"while {r}.max() > 0.25 and {g} < 9:",
                    f"    {r} = {r} * 0.5",
                    f"    {g} += 1",
                ],
                [],
                [r],
            ),
        ]
        head, counters, bound = self.rng.choice(forms)
        self.put(depth, *head)
        self.numbers += counters
        self.arrays += bound
        self.within(depth + 1, True)
        if self.rng.random() < 0.35:
            self.put(depth + 1, f"if {self.test()}:", "    " + self.pick("break", "continue"))
            if self.rng.random() < 0.5:
                self.within(depth + 1, True, 1)
        self.arrays, self.numbers = arrays, numbers
        if self.rng.random() < 0.3:
            self.put(depth, "else:")
            self.within(depth + 1, loop)
        if self.rng.random() < 0.3:  # the name that the loop leaves bound; an error where it did not run
            self.put(depth, f"LOG.append({(counters + bound)[0]})")

    def whole(self, depth: int, loop: bool) -> None:
        """A few statements that belong together."""
        name, one = self.new(), self.array()
        self.put(
            depth,
            *self.rng.choice(
                [
                    [f"{name} = {one}", f"LOG.append({name}.sum())", f"del {name}"],
                    [f"p = Pair({one}, {self.array(1)})", "p = replace(p, q=p.p * 0.5, n=1)"]
                    + ["p.tags.append(p.n)", "LOG.append((p.q.sum(), p.n, p.tags))"],
                    [f"it = rows({one}, 3)", "LOG.append(next(it).sum())", "LOG.append(len(list(it)))"],
                    ["K = (K + 1) % 4"] if self.declares else ["D['n'] += K"],
                    [f"G[0] = {self.number()} % 4"],
                    ["fs = [lambda v, i=i: v * i % 4 for i in range(3)]", f"d['f'] = [f({one}) for f in fs]"],
                    [f"m = [{self.pick(*self.arrays)}, {self.array(1)}]", "m[0] += 0.5", "m[0] %= 4"],
                    [f"first, *rest = {one}", "LOG.append((first, len(rest)))"],
                    [f"d['c'] = {{i: v * 0.5 for i, v in enumerate({one}) if i != 1}}"],
                    [f"match {self.number(0)}:", "    case 1:", f"        a = {one}", "    case _:"]
                    + [f"        b = {self.array(1)}"],
                ]
            ),
        )

    def attempt(self, depth: int, loop: bool) -> None:
        self.put(depth, "try:")
        self.within(depth + 1, loop)
        risky = [
            f"a[{self.number()} + 2] += 1",
            f"LOG.append(refuse({self.array(1)}))",
            f"raise KeyError({self.number(0)})",
            f"LOG.append(d['missing'] + {self.array(1)})",
            f"assert {self.test()}, 'no'",
            f"b[9] = {self.array(1)}",
            f"{self.pick(*self.arrays)} = refuse({self.array(1)}) + a[{self.number()}]",
            f"a[1:] = {self.array(1)}",
        ]
        self.put(depth + 1, self.rng.choice(risky))
        if self.rng.random() < 0.6:
            self.within(depth + 1, loop, 1)
        caught = self.rng.random() < 0.9
        if caught:
            self.put(
                depth, self.pick("except (LookupError, ValueError) as error:", "except Exception as error:")
            )
            self.put(depth + 1, "LOG.append(str(error))")
            if self.rng.random() < 0.6:
                self.within(depth + 1, loop)
            if self.rng.random() < 0.1:
                self.put(depth + 1, "raise RuntimeError('again') from error")
            if self.rng.random() < 0.3:
                self.put(depth, "else:")
                self.within(depth + 1, loop)
        if not caught or self.rng.random() < 0.3:
            self.put(depth, "finally:")
            self.within(depth + 1, loop)

    def manage(self, depth: int, loop: bool) -> None:
        name = self.new()
        managers = [f"guard('m', {self.array(1)}) as {name}", "suppress(KeyError, ValueError)"]
        self.put(depth, f"with {self.pick(*managers, 'np.errstate(all=None)')}:")
        self.within(depth + 1, loop)
        if self.rng.random() < 0.3:
            self.put(depth + 1, self.pick("d['missing']", f"LOG.append(refuse({self.array(1)}))"))
            self.within(depth + 1, loop, 1)

    def leave(self, depth: int, loop: bool) -> None:
        if depth == 0:
            self.assign(depth, loop)
            return
        ways = [f"return {self.array(1)}, {self.number(0)}", f"raise ValueError({self.number(0)})"]
        ways += ["break", "continue"] * 2 if loop else []
        self.put(depth, f"if {self.test()}:", "    " + self.rng.choice(ways))
