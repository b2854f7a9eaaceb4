"""Statements of cut functions whose arrays may stay on a device: they settle the table of these arrays, and
loops may do trips at once."""

from __future__ import annotations

import ast

import pytest

from npcompile.frontend.rewrite.resident_statements import resident

# -- the statements ------------------------------------------------------------------------------------------

WRITTEN = {
    "x = .block0(x, y)": "x = .block0(x, y)",
    "x, y = y, x": "x, y = y, x",
    "k += 1": ".resident.look(k)\nk += 1",
    "x[0] = k": ".resident.look(k, x)\nx[0] = k",
    "g(x)": ".resident.settle()\ng(x)",
    "a, b = x": ".resident.look(x)\na, b = x",
    "y: Unknown = x": ".resident.look(x)\ny: Unknown = x",
    "y: Unknown = k + 1": ".resident.look(k)\ny: Unknown = k + 1",
    "print(k, err)": ".resident.look(print, k, err)\nprint(k, err)",
    "del x": "del x",
    "y = [v for v in x]": ".resident.settle()\ny = [v for v in x]",
    "if err < 3:\n    pass": "if .resident.look(err) or err < 3:\n    pass",
    "if k > 0 and last > 1:\n    pass": "if .resident.settle() or (k > 0 and last > 1):\n    pass",
    "while .block1(x):\n    pass": "while .resident.taken(.block1(x)):\n    pass",
    "for i in range(n):\n    pass": ".resident.look(range, n)\nfor i in range(n):\n    pass",
    "for i in range(n):\n    x = .block0(x)\n    k += x[0]": (
        ".resident.look(range, n)\n"
        "for i in range(n):\n    x = .block0(x)\n    .resident.look(k, x)\n    k += x[0]"
    ),
    "for v in x:\n    pass": ".resident.iterate(x)\nfor v in x:\n    pass",
    "for i, v in enumerate(x):\n    pass": ".resident.iterate(x)\nfor i, v in enumerate(x):\n    pass",
    "for v in g(x):\n    pass": ".resident.stop()\nfor v in g(x):\n    pass",
}
_DOT = "dot_"  # stands for the dot with which names of ours begin


def parsed(text: str) -> list[ast.stmt]:
    tree = ast.parse(text.replace(".block", _DOT + "block").replace(".resident", _DOT + "resident"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id.startswith(_DOT):
            node.id = "." + node.id.removeprefix(_DOT)
    return tree.body


def made_of(text: str, head: str = "def f():") -> ast.FunctionDef:
    """Return a function of these statements whose arrays may stay on a device."""
    function = ast.parse(f"{head}\n    pass").body[0]
    assert isinstance(function, ast.FunctionDef)
    function.body = parsed(text)
    made = resident(function, lambda name: True, ())
    assert isinstance(made, ast.FunctionDef)
    return made


@pytest.mark.parametrize("text", WRITTEN)
def test_statements(text: str) -> None:
    made = made_of(text)
    body = made.body[0]
    assert isinstance(body, ast.With)
    assert list(map(ast.dump, body.body)) == list(map(ast.dump, parsed(WRITTEN[text])))


def test_a_loop_that_only_calls_blocks_may_do_trips_at_once() -> None:
    made = made_of("for i in range(n):\n    x, y = .block0(x, z)\n    y = z")
    *_, begun, loop = made.body[0].body  # type: ignore[attr-defined]
    trip = (
        2,
        ("x", "y", "z"),
        1,
        ((0, -1, None, (0, 2), (0, 1), True), (-1, -1, None, (2,), (1,), False)),
        False,
    )
    assert ast.unparse(begun) == ".trips0 = .resident.begin(range(n))"
    last = ast.unparse(ast.fix_missing_locations(loop)).splitlines()[-1].strip()
    assert last == f"i, x, y = .resident.trips({trip}, .trips0, (.block0,), (), i, x, y, z)"


def test_a_loop_whose_blocks_take_its_item_has_trips_that_draw_it() -> None:
    made = made_of("for i in range(n):\n    x = .block0(x, i)")
    assert ast.unparse(ast.fix_missing_locations(made)).splitlines()[2:] == [
        "        .resident.look(range, n)",
        "        .trips0 = .resident.begin(range(n))",
        "        for i in .trips0:",
        "            x = .block0(x, i)",
        "            .item, i, x = .resident.trips((2, ('i', 'x'), 1, "
        "((0, -1, None, (1, 0), (1,), False),), True), .trips0, (.block0,), (), None, i, x)",
    ]


def test_a_loop_in_which_python_works_on_numbers_may_do_trips_at_once() -> None:
    made = made_of(
        "while err > n:\n    x, err = .block0(x)\n    if err < 0:\n        break\n    k += 1", "def f(n):"
    )
    loop = made.body[0].body[-1]  # type: ignore[attr-defined]
    steps = (
        (-1, 0, True, (1, 3), (), False),
        (0, -1, None, (0,), (0, 1), True),
        (-1, 1, False, (1,), (), False),
        (-1, 2, None, (2,), (2,), False),
    )
    trip = (3, ("x", "err", "k", "n"), 1, steps, False)
    functions = "(lambda err, n: err > n, lambda err: err < 0, lambda k: k + 1)"
    last = ast.unparse(ast.fix_missing_locations(loop)).splitlines()[-1].strip()
    assert (
        last
        == f".item, x, err, k = .resident.trips({trip}, None, (.block0,), {functions}, None, x, err, k, n)"
    )


@pytest.mark.parametrize(
    "body",
    [
        "while err > n and other:\n    x, err = .block0(x)",  # other may have no value
        "while err > n:\n    x, err = .block0(x)\n    k = g(err)",
        "while err > n:\n    x, err = .block0(x)\n    if err:\n        pass\n    else:\n        k = 1",
        "while err > n:\n    k += 1",
    ],
)
def test_other_loops_do_trips_one_by_one(body: str) -> None:
    made = made_of(body, "def f(n):")
    assert "trips" not in ast.unparse(ast.fix_missing_locations(made))


def test_a_generator_keeps_nothing_on_the_device() -> None:
    function = ast.parse("def f(x):\n    yield x").body[0]
    assert isinstance(function, ast.FunctionDef)
    assert resident(function, lambda name: True, ()) is None
