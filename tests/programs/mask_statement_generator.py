"""Statements of grown programs that reduce what masks pick, and store under masks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from tests.programs.array_program_generator import Grower

BINARY = ["+", "-", "*", "/", "//", "%", "<", "<=", ">", ">=", "==", "!=", "&", "|", "^"]
AUGMENTED = ["+=", "-=", "*=", "/=", "//=", "%=", "&=", "|="]


def under(g: Grower, x: str) -> str:
    """A mask for an array: one that is there, over its first axes, or a comparison."""
    shape = np.shape(g.env.get(x, g.space["G"]))
    there = [
        name
        for name, value in g.env.items()
        if isinstance(value, np.ndarray) and value.dtype == bool and value.ndim
        if value.shape == shape[: value.ndim]
    ]
    if there and g.rng.random() < 0.7:
        return g.rng.choice([f"{g.rng.choice(there)}", f"~{g.rng.choice(there)}"])
    compared = f"{x} {g.rng.choice(['>', '<=', '!='])} {g.number()}"
    return g.rng.choice([compared, f"({compared}) & ({x} < 4)", f"np.logical_or({compared}, {x} == 1)"])


def picked(g: Grower) -> str:
    """What is made of the elements under a mask."""
    x = g.array()
    y = g.rng.choice([x, g.array()])
    m = under(g, x)
    forms = [
        "np.clip(np.rint({x}), -9, 9)[{m}].sum()",
        "np.clip(np.rint({x}), -9, 9)[{m}].sum(axis=0)",
        "np.mean(np.clip(np.rint({x}), -9, 9)[{m}])",
        "{x}[{m}].max() + 0",
        "np.min({x}[{m}] * 2, axis=-1) + 0",
        "({x}[{m}] {op} {y}[{m}]).any()",
        "np.all({x}[{m}] > {n})",
        "len({x}[{m}])",
        "np.count_nonzero({x}[{m}] {op} {n})",
        "{x}[{m}].size + {n}",
        "np.where({x}[{m}] > {n}, {x}[{m}], 0).max() + 0",
        "{x}[{m}] {op} {y}[{m}]",
    ]
    return g.rng.choice(forms).format(x=x, y=y, m=m, n=g.number(), op=g.rng.choice(BINARY))


def stored(g: Grower) -> str:
    """A store under a mask of what is made of the elements under it."""
    x = g.array()
    y = g.rng.choice([x, g.array()])
    forms = [
        "{x}[{m}] = {x}[{m}] {op} {y}[{m}]",
        "{x}[{m}] = {y}[{m}]",
        "{x}[{m}] {aug} {y}[{m}]",
        "{x}[{m}] {aug} {n}",
        "{x}[{m}] = -{x}[{m}] + {n}",
        "{x}[::-1][{m}] = {x}[{m}] * {n}",
    ]
    text = g.rng.choice(forms)
    return text.format(
        x=x, y=y, m=under(g, x), n=g.number(), op=g.rng.choice(BINARY), aug=g.rng.choice(AUGMENTED)
    )
