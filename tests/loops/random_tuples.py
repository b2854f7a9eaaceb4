"""Statements of random loop programs on tuples, `match`, and arrays that are sorted, counted and joined."""

from __future__ import annotations

from tests.loops.random_expressions import ExpressionGrower


class TupleGrower(ExpressionGrower):
    """Writes the lines and statements of two features of `random_features.py`."""

    def pairs(self) -> list[str]:
        return [
            f"pair, best = (k, {self.pick('n', '0', 'x')}), ({self.pick('0.5', '2', 'x')}, 1)",
            f"rest = [{self.pick('1', '0.5', 'k')}]",
        ]

    def pairs_statement(self) -> list[str]:
        three = f"{self.integer(1)}, {self.integer(1)}, {self.pick('p', '1', 'q')}"
        subject = self.pick(f"({self.integer(1)}) % 4", self.integer(1), "q", self.real(1))
        return self.rng.choice(
            [
                [f"pair = {self.integer(1)}, {self.pick(self.integer(1), self.real(1))}"],
                [
                    f"if pair {self.pick('==', '!=')} ({self.index()}, {self.pick('0', 'n', 'q')}):",
                    "    q += 1",
                ],
                [f"ok = (float({self.real(1)}), {self.index()}) {self.pick('<', '>=')} best"],
                [
                    f"if (float({self.real(1)}), 1) < best:",
                    f"    best = float({self.real(1)}), {self.index()}",
                ],
                [f"first, *rest = {three}", "q = first"],
                [f"*rest, last = {three}", "p = last"],
                ["q = q + len(rest)"],
                ["r = blend(*pair)"],
                [f"r = blend({self.index()}, *pair)"],
                ["y = float(max(*pair, 1))"],
                [
                    f"match {subject}:",
                    "    case 0:",
                    "        q += 1",
                    f"    case 1 | {self.pick('2', '-1', '0.5')} as at:",
                    "        p = p ^ 3",
                    f"    case at if at > {self.pick('n', '2', 'x')}:",
                    f"        y = y * 0.5 + {self.pick('1', 'x')}",
                    *self.rng.choice(
                        ([], ["    case _:", f"        {self.pick('ok = not ok', 'continue')}"])
                    ),
                ],
                [
                    f"for u, w in zip(range({self.pick('n', '3')}), {self.pick('a', 'rest')}, strict=True):",
                    "    y = y * 0.5 + u",
                ],
            ]
        )

    def sorted_parts(self) -> list[str]:
        return [f"parts, hits = np.arange({self.pick('n', '3')}), np.zeros(2, int)"]

    def sorted_statement(self) -> list[str]:
        whole = self.array("if", exact=True)
        assert whole is not None
        part = f"{whole.name}[{self.slice()}]"
        kind = self.pick("", "", ", kind='stable'")
        ends = self.pick("0, 1", "x, n", "0, 0", "x, 1")
        return self.rng.choice(
            [
                [f"hits = np.argsort({part}{kind})"],
                [f"hits = np.nonzero({part})[0]"],
                [f"hits = np.where({part} > {self.pick('1', 'x', 'n')})[0]"],
                ["if hits.size:", f"    q = int(hits[{self.pick('0', '-1')}])"],
                ["p = len(hits)"],
                [f"parts = np.concatenate((parts[-4:], {part}))"],
                [f"parts = np.append(parts[:5], {self.pick('1', '0.5', 'x', self.integer(1))})"],
                [f"hits = np.bincount(hits % 5, minlength={self.index()})"],
                [f"parts = np.linspace({ends}, {self.pick('n', '3', '0')})"],
                [f"q = q + int(np.eye({self.pick('n', '3')}, {self.index()}).sum())"],
                ["y = float('inf') if hits.size else y"],
                [f"p = len(list({part}))"],
                ["r = parts[0] if len(parts) else 0"],
            ]
        )
