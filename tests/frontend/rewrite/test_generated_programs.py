"""Random programs do rewritten what they do as written: values, exceptions, order, lines, columns."""

from __future__ import annotations

import ast
import itertools
import linecache
import warnings
from typing import Any

from hypothesis import example, given, reject
from hypothesis import strategies as st

from tests.frontend.rewrite.operation_log import outcome, rewritten

_NUMBERS = itertools.count()
_BINARY = ("+", "-", "*", "/", "//", "%", "@", ">>", "&", "|", "^")  # none that makes huge numbers
_COMPARE = ("<", "<=", ">", ">=", "==", "!=", "is", "is not", "in", "not in")
_BREAKS = st.sampled_from([" ", " ", " ", "\n    "])

_atoms = st.one_of(
    st.builds('t("{}", {})'.format, st.sampled_from("abcd"), st.integers(0, 3)),
    st.sampled_from(
        ["x", "y", "z", "G", "len", "0", "1", "-2", "3.5", "()", "(1, 2)", '"s"', "None", "missing"]
    ),
)


def _operations(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    def form(text: str, *parts: Any) -> st.SearchStrategy[str]:
        return st.builds(text.format, *parts)

    names = st.sampled_from(["x", "y", "v", "w"])
    return st.one_of(
        form("({}{}{} {})", inner, _BREAKS, st.sampled_from(_BINARY), inner),
        form("({} {} 2)", inner, st.sampled_from(["**", "<<"])),
        form(
            "({} {} {}{}{} {})",
            inner,
            st.sampled_from(_COMPARE),
            inner,
            _BREAKS,
            st.sampled_from(_COMPARE),
            inner,
        ),
        form("({} {} {})", inner, st.sampled_from(_COMPARE), inner),
        form("({}{}{} {})", inner, _BREAKS, st.sampled_from(["and", "or"]), inner),
        form("({} and {} or {})", inner, inner, inner),
        form("({} or{}{} and {})", inner, _BREAKS, inner, inner),
        form("({} {})", st.sampled_from(["not", "-", "~", "+"]), inner),
        form("({} if {}{}else {})", inner, inner, _BREAKS, inner),
        form("({}).attr", inner),
        form("({}\n    .attr(({})))", inner, inner),
        form("({})[{}]", inner, inner),
        form("({})[{}:{}, ...]", inner, inner, inner),
        form("t('f', {})", inner),
        form("t('g')({}, *{}, k={})", inner, inner, inner),
        form("[{}, {}]", inner, inner),
        form("({}, *{})", inner, inner),
        form("{{'k': {}, **{}}}", inner, inner),
        form("[{} for {} in {} if {}]", inner, names, inner, inner),
        form("sum({} for {} in t('n', 2) for w in ({}, 1) if w)", inner, names, inner),
        form("(z := {})", inner),
        form("(lambda v={}: {})()", inner, inner),
        form('f"{{{}!r:>5}}|{{w}}"', names),
    )


_expressions = st.recursive(_atoms, _operations, max_leaves=8)


def _statements(inner: st.SearchStrategy[list[str]]) -> st.SearchStrategy[list[str]]:
    def block(head: str, body: list[str]) -> list[str]:
        return [head, *("    " + line.replace("\n", "\n    ") for line in body)]

    return st.one_of(
        st.builds(lambda e, b, o: block(f"if {e}:", b) + block("else:", o), _expressions, inner, inner),
        st.builds(
            lambda e, b, o: block(f"for x, *y in [({e}, 1), (2, 3, 4)]:", b) + block("else:", o),
            _expressions,
            inner,
            inner,
        ),
        st.builds(
            lambda e, b: block(f"while t('n', 1) and len(log) < 2 and log.append({e}) is None:", b),
            _expressions,
            inner,
        ),
        st.builds(
            lambda b, e, h, f: block("try:", b) + block(f"except {e} as z:", h) + block("finally:", f),
            inner,
            st.sampled_from(["Exception", "(TypeError, NameError)", "ValueError if x else TypeError"]),
            inner,
            inner,
        ),
        st.builds(lambda e, b: block(f"with t('m', 0) as z, t('o', {e} is None):", b), _expressions, inner),
        st.builds(lambda e, b: [*block(f"def g(v, w={e}):", b), "z = g(1)"], _expressions, inner),
        st.builds(lambda a, b: a + b, inner, inner),
    )


_simple = st.one_of(
    st.builds(
        lambda name, e: [f"{name} = {e}"],
        st.sampled_from(["x", "y", "x = z", "x, y", "t('o').a", "w[0], x"]),
        _expressions,
    ),
    st.builds(
        lambda target, op, e: [f"{target} {op}= {e}"],
        st.sampled_from(["x", "z", "t('o').a", "t('o')[x]", "w[0]"]),
        st.sampled_from(_BINARY),
        _expressions,
    ),
    st.builds(lambda e: [f"return {e}"], _expressions),
    st.builds(lambda e: [f"assert {e}, x"], _expressions),
    st.builds(lambda e: [f"log.append({e})"], _expressions),
    st.sampled_from([["del z"], ["pass"], ["raise ValueError(x)"], ["del w[0]"]]),
)
_programs = st.recursive(_simple, _statements, max_leaves=6)


def _lines_of_statements(text: str, lines: set[int]) -> set[int]:
    """Return the lines of all statements, or of the heads of those with a body, that have one of these."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.stmt | ast.ExceptHandler):
            body = getattr(node, "body", None)
            end = body[0].lineno - 1 if body else node.end_lineno or node.lineno
            own = set(range(node.lineno, end + 1))
            found |= own if own & lines else set()
    return found


@given(_programs)
@example(["try:", '    x = (z\n        .attr((t("a", 0))))', "except Exception as z:", "    pass"])
def test_same(program: list[str]) -> None:
    body = ["def f(t, w, log):", "x, y = t('x', 2), 1", *program, "return x, y, w, log"]
    text = "\n".join([body[0], *("    " + line.replace("\n", "\n    ") for line in body[1:])]) + "\n"
    name = f"<generated {next(_NUMBERS)}>"
    space: dict[str, Any] = {"G": 11}
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # `1 is x` and the like
            try:
                exec(compile(text, name, "exec"), space)
            except SyntaxError:  # `:=` where it may not stand
                reject()
        fn = space["f"]
        expected, lines_expected, raising = outcome(lambda t: fn(t, [5], []), name)
        again = rewritten(fn)
        got, lines_got, _ = outcome(lambda t: again(t, [5], []), name)
        assert got == expected
        # An exception's traceback (in `got`) is the same. What a tracer sees besides is not: a hook is looked
        # up on its operation's line, which Python reaches only once the operands are there, and the lines of
        # the compiler's own clean-up code are accidents.
        exempt = _lines_of_statements(text, raising)
        differing = {line for _, line in lines_got ^ lines_expected}
        assert expected["error"] or differing <= exempt
    finally:
        del linecache.cache[name]
