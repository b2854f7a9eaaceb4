"""Graphs of loop regions: their blocks, the names that are live, and the statements that they refuse."""

from __future__ import annotations

import ast
import textwrap

import pytest

from npcompile.frontend.loops.source.control_flow import (
    Block,
    Branch,
    Compound,
    ControlFlow,
    Done,
    Iterate,
    Jump,
    Next,
    Return,
    control_flow,
    live_before,
)


def graph(text: str) -> ControlFlow:
    (loop,) = ast.parse(textwrap.dedent(text)).body
    assert isinstance(loop, ast.For | ast.While)
    return control_flow(loop)


def reached(flow: ControlFlow) -> list[Block]:
    found = [flow.blocks[0]]
    for block in found:
        found += [target for target in dict.fromkeys(block.targets) if target not in found]
    return found


def steps(flow: ControlFlow) -> list[str]:
    """Return the steps of the blocks that are reached, as text."""
    return [
        f"{step.state} = iter({ast.unparse(step.iterable)})"
        if isinstance(step, Iterate)
        else ast.unparse(step)
        for block in sorted(reached(flow), key=lambda block: block.number)
        for step in block.steps
    ]


EVERYTHING = """
for i in x:
    while a and b or not c:
        if i < 2 <= f(i):
            continue
        else:
            break
        never()
    else:
        for j, k in y:
            z = (j if k else i) or 5
            if z:
                return z
        return
    with lock:
        if i:
            break
        w = 1
    pass
else:
    done = True
"""


def test_every_block_ends_and_the_first_is_the_header() -> None:
    flow = graph(EVERYTHING)
    assert all(
        isinstance(block.end, Jump | Branch | Next | Compound | Return | Done) for block in flow.blocks
    )
    assert [block.number for block in flow.blocks] == list(range(len(flow.blocks)))
    assert flow.state == ".iterator0" and isinstance(flow.blocks[0].loop, ast.For)
    assert flow.stored == set("i j k z w done".split())
    assert sum(isinstance(block.end, Done) for block in reached(flow)) == 1


def test_loops_know_where_they_lead() -> None:
    flow = graph(EVERYTHING)
    headers = [block for block in reached(flow) if block.loop is not None]
    assert len(headers) == 3
    for header in headers:
        assert header.exhausted is not None and header.after is not None
        if isinstance(header.end, Next):
            assert header.end.exhausted is header.exhausted
        assert header.steps == []  # no step is needed to come to the iterator


def test_statements_with_break_in_them_end_their_block() -> None:
    (end,) = (block.end for block in graph(EVERYTHING).blocks if isinstance(block.end, Compound))
    assert isinstance(end, Compound) and isinstance(end.statement, ast.With)
    header = graph(EVERYTHING).blocks[0]
    assert end.continued.number == 0
    assert header.after is not None and end.broken.number == header.after.number


@pytest.mark.parametrize(
    "statement",
    [
        "with a:\n  for j in x:\n   break",
        "with a:\n  while x:\n   continue",
        "with a:\n  f = lambda: 1",
        "with a:\n  pass",
        "with a:\n  return 5",
    ],
)
def test_statements_that_stay_in_their_trip_are_steps(statement: str) -> None:
    flow = graph(f"for i in x:\n {statement}")
    assert len(steps(flow)) == 2


@pytest.mark.parametrize("inside", ["continue", "break", "with a:\n  break", "if a:\n  continue"])
def test_an_else_that_goes_on_with_a_loop_around_is_refused(inside: str) -> None:
    with pytest.raises(ValueError, match="loop around"):
        graph(f"for i in x:\n pass\nelse:\n {inside}")


def test_an_else_within_goes_on_with_the_loop_around_it() -> None:
    flow = graph("for i in x:\n for j in y:\n  pass\n else:\n  continue\n z = 1")
    inner = next(block for block in flow.blocks[1:] if block.loop is not None)
    assert inner.exhausted is not None
    assert isinstance(inner.exhausted.end, Jump) and inner.exhausted.end.target is flow.blocks[0]


def test_operands_of_chained_comparisons_are_evaluated_once() -> None:
    assert steps(graph("while a[0] < b[i] < c[i] < d:\n pass")) == [
        ".compared1 = a[0]",
        ".compared2 = b[i]",
        ".compared3 = c[i]",
    ]
    assert steps(graph("while 0 <= i < n:\n pass")) == []


@pytest.mark.parametrize(
    ("body", "name", "live"),
    [
        ("x = 1; f(x)", "x", False),
        ("f(x); x = 1", "x", True),
        ("x += 1", "x", True),
        ("del x", "x", True),
        ("x: int", "x", False),
        ("x: int; f(x)", "x", True),
        ("x: int = 1; f(x)", "x", False),
        ("x = [x for x in y]; f(x)", "y", True),
        ("z = [x for x in y]; f(x)", "x", True),
        ("z = a[0] and (x := 1); f(x)", "x", True),
        ("if a: x = 1\n f(x)", "x", True),
        ("if a: x = 1\n else: x = 2\n f(x)", "x", False),
        ("with a:\n  x = 1\n f(x)", "x", True),
        ("with a:\n  if x: break", "x", True),
        ("with a:\n  x += 1", "x", True),
        ("(x, [*y]) = a; f(x, y)", "x", False),
        ("(x, [*y]) = a; f(x, y)", "y", False),
        ("a[x] = 1", "x", True),
        ("return x", "x", True),
        ("for x in y: f(x)", "x", False),
        ("for x in y: pass\n f(x)", "x", True),
        ("while x: x = 0", "x", True),
        ("x = x if a else y", "x", True),
        ("x = a or x", "x", True),
        ("x = 1 < a[0] < x", "x", True),
    ],
)
def test_names_are_live_that_may_be_read_first(body: str, name: str, live: bool) -> None:
    flow = graph(f"for i in r:\n {body}")
    assert (name in flow.live[flow.blocks[0]]) == live
    assert "i" not in flow.live[flow.blocks[0]] and ".iterator0" in flow.live[flow.blocks[0]]


def test_names_are_live_before_a_step() -> None:
    body = graph("for i in r:\n x = y\n z = x").blocks[1]
    after = frozenset({".iterator0"})
    assert live_before(body, after) == {".iterator0", ".item0", "y"}
    assert live_before(body, after, 1) == {".iterator0", "y"}
    assert live_before(body, after, 2) == {".iterator0", "x"}


def test_names_that_a_region_may_bind() -> None:
    flow = graph(
        """
        for i, (j, *k) in r:
            import a.b, c as d
            def f(p): q = 1
            class G: s = 1
            with o as w: [t for t in u]
            try: (v := 1)
            except E as e: pass
            del m
        """
    )
    assert flow.stored == set("i j k a d f G w v e m".split())
