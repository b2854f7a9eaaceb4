"""Statements of random loop programs on what a program has or has not: dicts, objects, heaps, functions.

A program of `random_programs.py` has at most two of the features below. Each has lines that come before the
loops, statements of its own within them, and names that the program returns.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.loops.random_expressions import Array
from tests.loops.random_tuples import TupleGrower

# The first lines of each module of random programs.
HEADER = """import heapq
import math
from collections import Counter, defaultdict, deque

import numpy as np

K = 3
EPS = 0.25
TABLE = np.array([3, 1, 4, 1, 5, 9, 2, 6])


def blend(one, other, third=2):
    return one * 2 + other - third


class Box:
    def __init__(self, count, level, items):
        self.count = count
        self.level = level
        self.items = items

    def add(self, v):
        self.count += 1
        self.level = self.level * 0.5 + v
        return self.level

    def put(self, at, v):
        self.items[at] = v
        self.count -= 2
        return self.count
"""


def indented(lines: list[str]) -> list[str]:
    return ["    " + line for line in lines]


class FeatureGrower(TupleGrower):
    """Writes the lines and statements of features. features: those that the program has."""

    features: list[str]

    def draw_features(self) -> list[str]:
        """Choose features, none or few to bound what compiling costs; return the lines before the loops."""
        makers = self.makers()
        self.features = self.rng.sample(sorted(makers), self.rng.choice((0, 0, 0, 1, 1, 2)))
        return [line for name in self.features for line in makers[name][0]()]

    def feature_statement(self) -> list[str]:
        return self.makers()[self.rng.choice(self.features)][1]()

    def found_by_features(self) -> list[str]:
        """Return the expressions of features that a program returns."""
        return [self.makers()[name][2] for name in self.features if self.makers()[name][2]]

    def makers(self) -> dict[str, tuple[Callable[[], list[str]], Callable[[], list[str]], str]]:
        """Return the lines before loops, a statement within them, and what is returned, of each feature."""
        return {
            "bits": (self.bits, self.bits_statement, "bits, count"),
            "box": (self.box, self.box_statement, "box.count, box.level"),
            "counts": (self.counts, self.counts_statement, "list(counts.items())"),
            "drawn": (self.drawn, self.drawn_statement, "rng.random()"),
            "heap": (self.heap, self.heap_statement, "heap, list(queue)"),
            "keyed": (self.keyed, self.keyed_statement, "keyed"),
            "listed": (self.listed, self.listed_statement, "np.array(listed), found"),
            "missing": (self.missing, self.missing_statement, "slots, list(before.items())"),
            "nested": (self.nested, self.nested_statement, ""),
            "orders": (self.orders, self.orders_statement, "mm, mm.strides"),
            "pairs": (self.pairs, self.pairs_statement, "pair, best, rest"),
            "seen": (self.seen, self.seen_statement, "sorted(seen), len(seen)"),
            "sorted": (self.sorted_parts, self.sorted_statement, "parts, hits"),
            "text": (self.text, self.text_statement, ""),
            "words": (self.words, self.words_statement, "words, list(tally.items())"),
        }

    # Bits of ints, which choose ways, and counters

    def bits(self) -> list[str]:
        self.ints.append("bits")
        return [
            f"bits, count = {self.pick('k', '1', '0xFFFF', '-5')}, {self.pick('0', '-3', 'k', '1 << 59')}"
        ]

    def bits_statement(self) -> list[str]:
        mask = self.pick("0xA001", "0xEDB88320", "0xFFFF", "7")
        test = self.pick("bits & 1", "bits & 4 == 0", "bits > 100", "bits % 2")
        return self.rng.choice(
            [
                [f"if {test}:", f"    bits = bits >> 1 ^ {mask}", "else:", "    bits >>= 1"],
                [f"bits = bits >> 1 ^ {mask} if {test} else bits >> 1"],
                [f"bits ^= {self.integer(1)} & 0xFFFF"],
                [f"bits = (bits * 31 + {self.integer(1)}) & {self.pick('0xFFFFFFFF', '0xFFFFFFFFFFFFFFFF')}"],
                [f"if {self.condition(1)}:", f"    count {self.pick('+= 1', '-= 1', '+= 8', '-= 7')}"],
                [f"count += {self.pick('1', '2', '-1')}"],
                [f"if {test}:", "    count += 1", "    bits += 2", "else:", "    bits = bits // 2"],
            ]
        )

    # Objects

    def box(self) -> list[str]:
        items = self.pick("a", "b", "m[0]", "np.zeros(n)", "c.copy()")
        self.ints.append("box.count")
        self.reals.append("box.level")
        return [f"box = Box({self.pick('0', 'k', '1')}, {self.pick('0.5', 'x', '1', 's')}, {items})"]

    def box_statement(self) -> list[str]:
        return self.rng.choice(
            [
                [f"r = box.add({self.real(1)})"],
                [f"q = box.put({self.index()}, {self.pick('1', '0', 'p % 2')})"],
                [f"box.count {self.pick('+=', '-=', '^=')} {self.integer(1)}"],
                [f"box.level = {self.real(1)}"],
                [
                    f"if len(box.items) > 1 and box.items[{self.index()}] == box.items[0]:",
                    "    box.count += 1",
                ],
            ]
        )

    # Dicts

    def counts(self) -> list[str]:
        kind = self.pick("{}", "{0: 1}", "defaultdict(int)", "Counter([1, 2, 1])", "{0.5: 2.5, 1: 1}")
        return [f"counts = {kind}"]

    def counts_statement(self) -> list[str]:
        key = self.choose(
            (5, lambda: f"({self.integer(1)}) % 5"),
            (1, lambda: f"({self.integer(1)}) & 1, {self.index()}"),
            (1, lambda: self.pick("True", "0.5", "n", "-1")),
            (1, lambda: f"int({self.real(1)}) % 7"),
        )
        return self.rng.choice(
            [
                [f"at = {key}", f"counts[at] = counts.get(at, 0) + {self.pick('1', '2', 'q % 9', 'x', 'y')}"],
                [f"at = {key}", "if at in counts:", f"    counts[at] += {self.pick('1', '0.5', 'p % 5')}"],
                [f"at = {key}", "if at not in counts:", f"    counts[at] = {self.integer(1)}"],
                [f"q = counts.setdefault({key}, {self.pick('0', 'p', '1')})"],
                [f"r = counts[{key}]"],
                ["if len(counts) > 3:", f"    p = counts.pop({key}, {self.pick('0', '7', 'q')})"],
                ["for at, some in counts.items():", "    y = y * 0.5 + some"],
                [
                    f"for at in {self.pick('counts', 'list(counts)', 'sorted(counts.values())')}:",
                    "    p = p ^ 1",
                ],
            ]
        )

    def seen(self) -> list[str]:
        return [f"seen = {self.pick('set()', '{1, 2}', '{k % 7}')}"]

    def seen_statement(self) -> list[str]:
        value = f"({self.integer(1)}) % {self.pick('7', '3', '100')}"
        return self.rng.choice(
            [
                [f"seen.add({value})"],
                [f"if {value} in seen:", f"    {self.pick('q += 1', 'ok = True', 'p = len(seen)')}"],
                [f"at = {value}", "if at not in seen:", "    seen.add(at)", "    p = p ^ at"],
                [f"seen.discard({value})"],
                ["q = q + len(seen)"],
            ]
        )

    # Random draws

    def drawn(self) -> list[str]:
        made = self.pick("np.random.default_rng(v)", "np.random.default_rng(7)", "np.random.RandomState(v)")
        return [f"rng = {made.replace('(v)', '(k % 97)')}"]

    def drawn_statement(self) -> list[str]:
        test = self.pick("rng.random() < 0.5", "rng.uniform() > x", "0.2 < rng.random() < y")
        return self.rng.choice(
            [
                ["r = r * 0.5 + rng.random()"],
                [f"y = rng.uniform({self.pick('-1', '0.5', 'x')}, {self.pick('2', '1.5', 'x + 1')})"],
                [f"if {test}:", f"    {self.pick('q += 1', 'p = p ^ 1', 'ok = not ok')}"],
                [f"x = {self.pick('x + rng.uniform()', 'rng.random()', 'rng.random() * x')}"],
            ]
        )

    # Heaps and queues

    def heap(self) -> list[str]:
        return [
            f"heap = {self.pick('[]', '[0]', '[(0, 1)]', '[(0.5, 0)]')}",
            f"queue = deque({self.pick('', '[0]', '[k, n]', '(1.5, 2)')})",
        ]

    def heap_statement(self) -> list[str]:
        item = self.pick("q", "({}, {})".format(self.pick("r", "q", "0.5"), self.index()), "y", "p % 9")
        return self.rng.choice(
            [
                ["if len(heap) < 9:", f"    heapq.heappush(heap, {item})"],
                ["if heap:", "    top = heapq.heappop(heap)"],
                ["if len(heap) > 1:", f"    heapq.heapreplace(heap, {item})"],
                ["if len(queue) < 6:", f"    queue.{self.pick('append', 'appendleft')}({self.integer(1)})"],
                ["if queue:", f"    p = queue.{self.pick('popleft', 'pop')}()"],
                ["q = q + len(queue)"],
                ["if queue:", f"    y = queue[{self.pick('0', '-1')}] + x"],
            ]
        )

    # Keys of items

    def keyed(self) -> list[str]:
        return [
            f"keyed = {self.pick('[3, -1, 2, -1]', '[(1, 0.5), (0, 2.0), (1, 0.5)]', 'list(range(k % 7))')}"
        ]

    def keyed_statement(self) -> list[str]:
        key = self.pick(
            *("lambda v: a[v]", "lambda v: (m[0, v] > 1, v)", "lambda v: -v % 3", "lambda v: keyed[0]"),
            *("abs", "lambda v: v[1]", "lambda v: x * v", "lambda v: abs(c[v % 3])"),
        )
        order = self.pick("", "", ", reverse=True", ", reverse=ok")
        items = self.pick("keyed", "range(len(keyed))", f"range(min(n, {self.index()}))", "a[1:3]")
        return self.rng.choice(
            [
                [f"p = {self.pick('min', 'max')}(range(1, n), key={key})"],
                [f"some = {self.pick('min', 'max')}({items}, key={key})"],
                [f"some = sorted({items}, key={key}{order})", "p = len(some)"],
                [f"keyed.sort(key={key}{order})"],
                ["if len(keyed) < 9:", "    keyed.append(keyed[0])"],
            ]
        )

    # Arrays of lists

    def listed(self) -> list[str]:
        return [
            f"listed = {self.pick('[]', '[0]', '[0.5] * 3', '[(0, 1)]', '[[0, 1], [2, 3]]')}",
            "found = a",
        ]

    def listed_statement(self) -> list[str]:
        item = self.pick(self.integer(1), self.real(1), "(p, q)", "(r, p)", "[q, 1]", "a[0]", "x")
        dtype = self.pick("", "", ", np.float32", ", dtype=float", ", dtype=np.int64", ", np.uint8", ", bool")
        return self.rng.choice(
            [
                ["if len(listed) < 20:", f"    listed.append({item})"],
                [f"found = np.{self.pick('array', 'asarray')}(listed{dtype})"],
                [f"found = np.array([{self.real(1)} for one in range({self.index()} % 5)]{dtype})"],
                ["q = q + len(found)"],
            ]
        )

    # Nested functions, comprehensions and generators

    def nested(self) -> list[str]:
        return self.rng.choice(
            [
                ["def inner(value):", f"    return value * {self.pick('EPS', 'K', 'k')} + n"],
                [f"inner = lambda value: value + {self.pick('k', 'h.imag', 'c[0]')}"],
                ["def inner(value):", "    if value > n:", "        return n", "    return value"],
            ]
        )

    def nested_statement(self) -> list[str]:
        whole = self.array("if", exact=True)
        assert whole is not None
        part = f"{whole.name}[{self.slice()}]"
        test = self.pick("one > 1", "one == K", "one % 2", "one")
        value = self.pick("one", "x", "q", "[]")
        used = self.pick("len(kept)", "max(kept, default=0)", "sum([one for one in kept])")
        return self.rng.choice(
            [
                [f"r = inner({self.real(1)})"],
                [f"q = int(inner({self.integer(1)} % 50))"],
                [f"r = sum(one * 2 for one in {part})"],
                [f"q = sum(1 for one in {part} if {test})"],
                [f"ok = {self.pick('any', 'all')}({test} for one in {part})"],
                [f"y = max([abs(one) for one in {part}])"],
                [
                    f"some = [one + {self.pick('1', 'x', 'q')} for one in {part}]",
                    "r = some[-1] if some else 0",
                ],
                [f"p = len([one for one in range(min({self.index()}, 99)) if one % 2])"],
                [f"q = len({{one {self.pick('% 3', '* x', '+ q')} for one in {part} if {test}}})"],
                [f"kept = {{one % 5: {value} for one in range({self.index()} % 9)}}", f"p = {used}"],
            ]
        )

    # New matrices, whose order in memory is that of their operands, and rows of tuples

    def orders(self) -> list[str]:
        group = next(one.group for one in self.arrays if one.name == "m")
        made = [("m.copy()", group), ("np.zeros_like(m)", group), ("np.zeros((n, 3))", "f")]
        made += [("np.zeros((3, n), order='F')", "f"), ("np.zeros((n, n), np.int16)", "i")]
        if group in "if":
            made += [("m + m", group), ("m * 2", group), ("m.T + 1", group)]
        text, kind = self.rng.choice(made)
        self.arrays.append(Array("mm", kind, rank=2, long=False))
        return [f"mm = {text}"]

    def orders_statement(self) -> list[str]:
        one, other = self.index(), self.index()
        values = ", ".join(self.pick("q % 9", "p % 5", "1", "0", "k % 3", "n") for _ in range(2))
        scalar = self.pick("1", "2")
        return self.rng.choice(
            [
                [f"mm[{one}, :2] = {values}"],
                [f"mm[{one}][:2] = {values}"],
                [f"mm[:2, {other}] = [{values}]"],
                [f"mm[{one}] = mm[{other}]"],
                ["mm = mm.copy()"],
                [f"mm = np.where(mm == {scalar}, mm, mm)"],
                ["mm = mm[::-1].copy()"],
                ["mm = np.abs(mm.real)"],  # NumPy rounds complex sizes by how they lie
            ]
        )

    # Texts

    def text(self) -> list[str]:
        value = self.pick('"12 3a-7"', '"2024"', '"abc def"', 'b"12,7;"', 'bytearray(b"0123456")')
        return [f"text = {value}"]

    def text_statement(self) -> list[str]:
        return self.rng.choice(
            [
                ["for ch in text:", "    if ch in text[:2]:", "        p += 1"],
                [f"if text[{self.index()}] == text[0]:", "    q += 1"],
                ["for ch in text:", "    q = (q * 31 + (ch if type(ch) is int else ord(ch))) % 1000003"],
                [f"p = len(text) + {self.integer(1)}"],
                [f"ok = text[{self.index()}] < text[-1]"],
            ]
        )

    # None beside numbers

    def missing(self) -> list[str]:
        return ["slots, before = [None] * 7, {0: None}"]

    def missing_statement(self) -> list[str]:
        at, value = self.index(), self.integer(1)
        if self.one_in(4):
            value = self.pick("None", "y", "0.5", "x[0]", "True")
        return self.rng.choice(
            [
                [f"if slots[{at}] is None or slots[{at}] < p:", f"    slots[{at}] = {value}"],
                [f"slots[{at}] = {value}"],
                [f"p += 1 if slots[{at}] is None else slots[{at}] > 0"],
                [f"before[{value}] = slots[{at}]"],
                [f"if before.get({at}) is not None:", "    q += 1"],
                ["for slot in slots:", "    if slot is not None:", "        q += slot > 2"],
                [f"slots.append(before.pop({at}, None))", "del slots[0]"],
            ]
        )

    # Strs that are items and keys

    def words(self) -> list[str]:
        return ['words, tally = ["ab", "c", "", "de_f", "é€"], {"ab": 1, "x y": 0}']

    def words_statement(self) -> list[str]:
        at = self.index()
        word = self.pick(f"words[{at}]", f"words[{at}][1:]", '"ab"', "words[-1] + words[0]", '"x"')
        return self.rng.choice(
            [
                [f"tally[{word}] = tally.get({word}, 0) + 1"],
                [f"if {word} in tally:", f"    q += tally[{word}] & 7"],
                [f"words[{at}] = {word}", "words[-1] = words[-1][:5]"],
                ["if len(words) < 9:", f"    words.append({word})"],
                [f"if {word} < words[0] or words[1] == {word}:", "    p += 1"],
                [f"q += len({word})", f'ok = {word} in ("c", "de_f") or "e" in words[{at}]'],
                ["for word in words:", '    tally[word] = len(word.split("_"))'],
            ]
        )

    # Exceptions handled within a loop

    def handled(self, body: list[str]) -> list[str]:
        """Return a `try` statement around statements."""
        errors = self.pick("IndexError", "(ArithmeticError, ValueError)", "ZeroDivisionError", "Exception")
        named = self.pick("", " as error")
        handler = self.pick(
            "q += 1", "ok = str(error)" if named else "ok = True", "r = 0.5", "pass", "continue"
        )
        lines = ["try:", *indented(body), f"except {errors}{named}:", f"    {handler}"]
        if self.one_in(5):
            lines += ["else:", "    p = p ^ 1"]
        if self.one_in(6):
            lines += ["finally:", "    y = y * 0.5"]
        return lines
