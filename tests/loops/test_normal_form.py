"""Statements in normal form do what they do as written: results, exceptions, lines, order of calls, state."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from npcompile.frontend.loops.source.normal_form import TEMPORARY, is_opaque, is_temporary, normal_form

BUILTINS = frozenset(
    "abs min max round int float bool complex len divmod pow sum range enumerate zip".split()
)

# The function in which statements are executed. Calls are logged; `bump` binds a variable of the function
# anew, `more` ends loops.
FUNCTION = """
def run(a, m, s, g, box, log, left):
    i, j, n, x, y = 0, 1, 3, 2, 1.5
    def f(value):
        log.append(("f", repr(value), m.tolist()))
        a[len(log) % 4] += 1
        return 7 if isinstance(value, np.ndarray) else value
    def bump(value):
        nonlocal x, i
        log.append(("bump", repr(value)))
        x, i = value, i + 1
        return x
    def more(value=1):
        log.append(("more", repr(value)))
        left[0] -= 1
        return left[0] > 0 and value
    for _ in range(1):
        try:
            pass
        finally:
            log.append(locals())
"""


def is_pure_call(node: ast.Call) -> bool:
    function = node.func
    if isinstance(function, ast.Attribute):
        return isinstance(function.value, ast.Name) and function.value.id in ("np", "math")
    return isinstance(function, ast.Name) and function.id in BUILTINS


STABLE = frozenset("a m s j n y g log f bump more ValueError s.append s.pop log.append".split())


def is_stable(node: ast.expr) -> bool:
    """Tell of names of `FUNCTION`: its calls bind x and i, statements may leave v and w unbound."""
    return ast.unparse(node) in STABLE


class Box:
    def __init__(self) -> None:
        self.v = 1.0

    def add(self, value: Any) -> Any:
        self.v = self.v + value
        return self


def state(value: Any) -> Any:
    """Return a value as something to compare to the last bit."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, list | tuple):
        return type(value).__name__, [state(item) for item in value]
    if isinstance(value, Box):
        return state(value.v)
    if callable(value) or isinstance(value, enumerate | zip | range):
        return type(value).__name__
    return type(value).__name__, repr(value)


def outcome(body: list[ast.stmt]) -> dict[str, Any]:
    """Execute statements in `FUNCTION`: what they return or raise, on which line, and all that is left."""
    module = ast.parse(FUNCTION)
    loop = module.body[0].body[-1]  # type: ignore[attr-defined]
    loop.body[0].body = body
    space: dict[str, Any] = {"np": np}
    exec(compile(module, "<statements>", "exec"), space)
    rng = np.arange(12.0)
    arguments = [rng[:4] - 1, rng[4:10].reshape(2, 3), [3, 1, 2], (np.ones(2), 5), Box(), [], [6]]
    log: list[Any] = arguments[5]  # type: ignore[assignment]
    raised, lines = None, []
    result = None
    with np.errstate(all="ignore"):
        try:
            result = space["run"](*arguments)
        except Exception as error:
            raised = type(error), str(error)
            traceback = error.__traceback__
            while traceback is not None:
                lines.append(traceback.tb_lineno)
                traceback = traceback.tb_next
    names = {name: state(value) for name, value in log.pop().items() if not name.startswith(".")}
    return {"returned": state(result), "raised": raised, "lines": lines[1:], "names": names}


def check(source: str) -> list[ast.stmt]:
    """Assert that normal forms do what a source does; returns the one with stable names."""
    body = ast.parse(source).body
    as_written = ast.dump(ast.Module(body, []), include_attributes=True)
    want = outcome(ast.parse(source).body)
    found: list[ast.stmt] = []
    stabilities: tuple[Callable[[ast.expr], bool], ...] = (lambda node: False, is_stable)
    for stable in stabilities:
        found = normal_form(body, is_pure_call, stable)
        assert ast.dump(ast.Module(body, []), include_attributes=True) == as_written
        text = "\n".join(map(ast.unparse, found))
        assert outcome(found) == want, text
        assert list(faults(found)) == [], text
        again = "\n".join(map(ast.unparse, normal_form(found, is_pure_call, stable)))
        assert again == text
    return found


def effects(node: ast.AST) -> int:
    """Count the effects within an expression."""
    calls = [part for part in ast.walk(node) if isinstance(part, ast.Call) and not is_pure_call(part)]
    return len(calls) + sum(isinstance(part, ast.NamedExpr) for part in ast.walk(node))


def faults(body: list[ast.stmt]) -> Iterator[str]:
    """Yield the statements that are not in normal form."""
    for node in body:
        match node:
            case ast.If(test) | ast.While(test):
                wrong = effects(test) > 0
            case ast.For(target, sequence):
                wrong = effects(sequence) > 0 or any(
                    isinstance(part, ast.Subscript | ast.Attribute | ast.Starred) for part in ast.walk(target)
                )
            case _ if is_opaque(node, is_pure_call):
                wrong = False
            case ast.Try() | ast.With():  # their bodies count; handlers are as written
                wrong = False
            case (
                ast.Expr(ast.Call() as call)
                | ast.Assign([ast.Name()], ast.Call() as call)
                | ast.Raise(ast.Call() as call)
            ):
                wrong = effects(call) > (not is_pure_call(call))
            case ast.Assign(targets):
                names = targets[0].elts if isinstance(targets[0], ast.Tuple) else []
                parts = [name.value if isinstance(name, ast.Starred) else name for name in names]
                wrong = len(targets) > 1 or effects(node) > 0 or not all(map(is_temporary, parts))
            case _:
                wrong = effects(node) > 0
        if wrong:
            yield ast.unparse(node)
        for field in ("body", "orelse", "finalbody"):
            if not is_opaque(node, is_pure_call):
                yield from faults(getattr(node, field, []))


@pytest.mark.parametrize(
    ("source", "normal"),
    [
        ("a[0], a[j] = a[j], a[0]", ".t1 = a[j]\n.t2 = a[0]\na[0] = .t1\na[j] = .t2"),
        ("v = s.pop() + f(y)", ".t1 = s.pop()\n.t2 = f(y)\nv = .t1 + .t2"),
        (
            "a[f(j)] += f(y)",
            ".t1 = f(j)\n.t2 = a[.t1]\n.t3 = f(y)\n.t2 += .t3\na[.t1] = .t2",
        ),
        ("a[i] += y", "a[i] += y"),
        ("y += f(1)", ".t1 = f(1)\ny += .t1"),
        ("x += bump(1)", ".t1 = x\n.t2 = bump(1)\n.t1 += .t2\nx = .t1"),
        ("v = x + bump(5)", ".t1 = x\n.t2 = bump(5)\nv = .t1 + .t2"),
        ("v = bump(5) + x", ".t1 = bump(5)\nv = .t1 + x"),
        ("v = w = a[2]", ".t1 = a[2]\nv = .t1\nw = .t1"),
        ("x, y = y, x + y", ".t1 = y\n.t2 = x + y\nx = .t1\ny = .t2"),
        ("v, w = divmod(n, 2)", ".t1, .t2 = divmod(n, 2)\nv = .t1\nw = .t2"),
        ("(v, w), n = (1, j), 0", "v = 1\nw = j\nn = 0"),
        ("s.append(s.pop() + 1)", ".t1 = s.pop()\ns.append(.t1 + 1)"),
        ("v = np.sqrt(f(2.0))", ".t1 = f(2.0)\nv = np.sqrt(.t1)"),
        ("v = f(1) and a[1] > 2", ".t1 = f(1)\nv = .t1 and a[1] > 2"),
        ("v = y and f(1)", ".t1 = y\nif .t1:\n    .t1 = f(1)\nv = .t1"),
        ("while s and s.pop() > 1:\n    n += 1", None),
        (
            "while (v := more()):\n    n += 1\nelse:\n    n = 0",
            "while True:\n    .t1 = more()\n    v = .t1\n    .t2 = not .t1\n    if .t2:\n        break\n"
            "    n += 1\nif .t2:\n    n = 0",
        ),
        ("for a[1], v in enumerate(s):\n    pass", None),
        ("for v in sorted(s):\n    pass", ".t1 = sorted(s)\nfor v in .t1:\n    pass"),
        ("raise ValueError(f(1))", ".t1 = f(1)\nraise ValueError(.t1)"),
        ("return f(1)", ".t1 = f(1)\nreturn .t1"),
        ("if [f(v) for v in s]:\n    n = 1", ".t1 = [f(v) for v in s]\nif .t1:\n    n = 1"),
        ("v = [f(w) for w in s] + [f(1)]", "v = [f(w) for w in s] + [f(1)]"),
    ],
)
def test_forms(source: str, normal: str | None) -> None:
    found = check(source)
    if normal is not None:
        assert "\n".join(map(ast.unparse, found)) == normal


@pytest.mark.parametrize(
    "source",
    """
    v = w + f(1)
    v = a[9] + f(1)
    v = f(1) + a[9]
    a[9] += f(1)
    a[f(1)] = v = x = bump(3)
    x = a[x] = bump(1)
    a[bump(1)] = x
    a[x] = bump(0)
    a[x], x = bump(1), bump(2)
    x, a[x] = 1, bump(2)
    x, i = i, x
    m[0], m[1] = m[1], m[0]
    m[0], m[1] = m[1] + 0, m[0]
    m[f(0):f(2), f(1)] += f(2)
    m[x - 2] += bump(1)
    m[0][f(1)] -= m[1, f(2)]
    m[:, 1:] *= m[:, :f(2)]
    a[:] = a[::-1]
    a += f(a)
    s += [f(1)]
    g[0][0] += f(1)
    g[0] += f(1)
    g[1] += f(1)
    s[f(0)], *v = s
    v, *a[f(1)] = f(s)
    v, w = f(1), f(2), f(3)
    (v, w), n = f(1), f(2)
    n, (v, w) = f(1), (1, f(2), 3)
    n, (v, w) = f((1, 2, 3))
    [v, w] = [f(1), x]
    v: int = f(2) + f(3)
    v: int
    y = f(1) if bump(0) else f(2)
    y = x if a[f(1)] > 0 else f(2)
    y = x + (f(1) if x else 2) + x
    y = f(0) or f(2) or x
    y = 0 or x and f(3) and a[9]
    y = a and f(3)
    y = not f(2) or 0 < bump(4) < 9 < f(1) < x
    y = 0 < bump(4) < x
    y = x < 3 < f(5) < a[f(9)]
    y = a[9] < 1 < f(0)
    y = (v := f(1)) + v
    y = x + (x := 3) + x
    y = y + max(j, (j := 5)) + j
    s.append(s.append(1))
    s.missing(f(1))
    (lambda: s)().append(f(1))
    box.add(f(2)).v += box.add(f(3)).v
    box.v += box.add(f(3)).v
    box.add(1).add(f(box.v)).add(box.v)
    log.append(len(log))
    y = [x, f(1), bump(9), x]
    y = {f(1): f(2), x: bump(3)}
    y = {x, f(1)}
    y = f"{x}{f(1)}"
    y = f"{x}{y}"
    y = f(*s)
    y = max(*s, f(1))
    y = max(f(1), key=f) if 0 else max([f(1)], key=f)
    y = np.add(f(1), a, out=a)[f(2)]
    assert f(0), bump(1)
    assert x, bump(1)
    assert f(1)
    assert x < n
    raise f(1) from f(2)
    raise ValueError(a[9])
    raise ValueError(x) from f(1)
    raise KeyError from None
    f(1)
    x
    -f(1)
    f(1) + missing
    f(1) and bump(2)
    del s[f(0)]
    import math
    v = (yield_ := f(1))
    return
    return a[f(1)], x
    if f(0): pass
    if x and f(0) or a[9]: pass
    if a: pass
    if a and f(1): pass
    while more(): n += 1
    while more() and n < 5: n += 1
    while left[0] > 1 and [more(v) for v in s]: n += 1
    while n: n -= 1
    for v in f(s): f(v)
    for v, (w, y) in enumerate(zip(s, m.tolist())): f(v)
    for v, w in f([(1, 2), (3,)]): f(v)
    for s[0] in range(f(3)): f(s[0])
    for v, *w in f([(1, 2), (3,)]): f(v)
    for _ in [more() for _ in s]: pass
    n = max(*s, x) + f(1)
    n = f(max(*s)) + f(*s[:1]) + bump(2)
    n = max(bump(7), *s) + x
    n = max(*box.missing) + f(1)
    f(*s)
    """.strip().splitlines(),
)
def test_statements(source: str) -> None:
    check(source.strip())


@pytest.mark.parametrize(
    "source",
    [
        """
        for v in range(9):
            while more():
                if v == 2:
                    break
            else:
                if f(v) > 4:
                    break
                continue
            n += 1
        else:
            n = f(n)
        """,
        """
        while bump(n - 1) or s:
            n -= 1
            if n < 0:
                s.pop()
                continue
            if n < -1:
                return n
        else:
            y = 3
        """,
        """
        if f(0):
            n = 1
        elif bump(0) or f(x):
            n = 2
        elif a[f(9)]:
            n = 3
        """,
        """
        try:
            a[f(9)] = f(1)
        except IndexError as error:
            n = f(3)
        with np.errstate() as v:
            x += bump(1)
        """,
        """
        def inner(v=f(1)):
            return f(v) + f(2)
        n = inner() + inner(x)
        """,
        """
        n = (x +
             f(1) +
             a[9])
        """,
        """
        box.add(f(1)
            ).missing(
            f(2))
        """,
        """
        while (more() and
               a):
            n += 1
        """,
        """
        match f(1):
            case 1:
                n = f(2)
        """,
        """
        for v in (0, 1, 2, 5, 7.0, None, "a", a[0], m, [3]):
            match f(v):
                case 0:
                    n = f(2)
                case 1 | 5 if more():
                    continue
                case None:
                    x = bump(9)
                case -1 | "a" as w:
                    n = f(w)
                case y if y == 7 and (n := f(y)):
                    break
                case _:
                    n += 1
        """,
        """
        match f([1, 2]):
            case [v, w] if f(v):
                n = w
        """,
    ],
)
def test_blocks(source: str) -> None:
    check(textwrap.dedent(source))


def test_temporaries_are_numbered_from_the_last_one_on() -> None:
    first = normal_form(ast.parse("v = f(1) + f(2)").body, is_pure_call)
    both = normal_form([*first, *ast.parse("v = f(1) + f(2)").body], is_pure_call)
    stored = [part.id for node in both for part in ast.walk(node) if is_temporary(part)]  # type: ignore[attr-defined]
    assert set(stored) == {f"{TEMPORARY}{number}" for number in range(1, 5)}


# Random statements

_names = st.sampled_from(["i", "j", "n", "x", "y", "v", "w"])
_atoms = st.one_of(
    _names, _names, st.integers(0, 3).map(str), st.sampled_from(["2.5", "a[j]", "m[0, i]", "s[-1]"])
)


def _form(text: str, *parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.builds(text.format, *parts)


def _expressions(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    compare = st.sampled_from(["<", "<=", "==", "!="])
    return st.one_of(
        _form("({} {} {})", inner, st.sampled_from(["+", "-", "*", "/", "//", "%"]), inner),
        _form("f({})", inner),
        _form("bump({})", inner),
        _form("more({})", inner),
        _form("box.add({}).v", inner),
        st.sampled_from(["s.pop()", "s.append(x)"]),
        _form("a[int({})]", inner),
        _form("m[{}, int({})]", st.sampled_from(["0", "-1", "i", "j"]), inner),
        _form("m[{}, {}:int({})].sum()", st.sampled_from(["0", "f(1)"]), _names, inner),
        _form("(np.sqrt({}) if {} else {})", inner, inner, inner),
        _form("({} {} {})", inner, st.sampled_from(["and", "or"]), inner),
        _form("({} and {} or {})", inner, inner, inner),
        _form("({} {} {} {} {})", inner, compare, inner, compare, inner),
        _form("(not {})", inner),
        _form("max({}, {})", inner, inner),
        _form("divmod({}, {})[0]", inner, inner),
        _form("({} := {})", st.sampled_from(["x", "v", "w"]), inner),
        _form("abs({})", inner),
        _form("len([{}, {}])", inner, inner),
    )


_values = st.recursive(_atoms, _expressions, max_leaves=6)
_targets = st.one_of(
    _names,
    _names,
    st.sampled_from(["a[i]", "a[f(1)]", "m[0]", "m[:, 1]", "s[0]", "box.v", "box.add(1).v", "a[x:]", "g[0]"]),
    _form("a[int({})]", _values),
)


def _indented(head: str, body: str) -> str:
    return head + "\n" + textwrap.indent(body, "    ")


def _compound(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    ends = st.one_of(st.just("pass"), inner, st.sampled_from(["break", "continue", "return x, y"]))
    tail = st.builds(lambda test, end: _indented(f"if {test}:", end), _values, ends)
    body = st.builds("{}\n{}".format, inner, tail)
    otherwise = st.one_of(st.just(""), st.builds(lambda part: "\n" + _indented("else:", part), inner))
    heads = st.one_of(
        st.sampled_from(
            ["for v in range(2):", "for i, (v, w) in enumerate(zip(s, a)):", "for a[0], x in f([(1, 2)]):"]
        ),
        st.sampled_from(
            ["while more():", "while left[0] > 0 and more():", "while (v := more()) and s.pop():"]
        ),
    )
    return st.one_of(
        st.builds("{}\n{}".format, inner, inner),
        st.builds(lambda test, part, rest: _indented(f"if {test}:", part) + rest, _values, inner, otherwise),
        st.builds(lambda head, part, rest: _indented(head, part) + rest, heads, body, otherwise),
    )


_operators = st.sampled_from(["+", "-", "*", "/", "//", "%"])
_simple = st.one_of(
    _form("{} = {}", _targets, _values),
    _form("{} = {}", _targets, _values),
    _form("{} = {} = {}", _targets, _targets, _values),
    _form("{}, {} = {}, {}", _targets, _targets, _values, _values),
    _form("({}, {}), {} = ({}, {}), {}", _targets, _targets, _targets, _values, _values, _values),
    _form("{}, {} = divmod({}, {})", _targets, _targets, _values, _values),
    _form("{} {}= {}", _targets, _operators, _values),
    _form("{} {}= {}", _targets, _operators, _values),
    _form("s.append({})", _values),
    _form("{}", _values),
    _form("assert {}, {}", _values, _values),
)
_programs = st.recursive(_simple, _compound, max_leaves=6)


@given(_programs)
@example("for v in range(2):\n    x, a[x] = bump(v), f(x) if x else s.pop()")
def test_random_statements(source: str) -> None:
    body = f"for _ in range(2):\n{textwrap.indent(source, '    ')}"
    check(body)
