"""What `explain` says of each example: its programs, host calls and kernels, and what stays Python."""

from __future__ import annotations

from typing import NamedTuple

import pytest

import npcompile
from tests.test_examples import CALLS, TABLE, Row, beside_each_other, load, name_of

__all__ = ["beside_each_other"]  # a fixture of each test here, too


class Explained(NamedTuple):
    """programs: of the function, its blocks and the functions that it calls between them. host_calls: steps
    that no op takes. kernels: what is compiled together. left: statements that Python carries out."""

    programs: int
    host_calls: int
    kernels: int
    left: int


# After six calls. A row may get better; then its numbers are tightened here.
EXPLAINED = {
    "life-example": Explained(2, 0, 6, 0),
    "gray_scott-one_step": Explained(1, 0, 2, 0),
    "gray_scott-example": Explained(3, 0, 4, 2),
    "boids-example": Explained(10, 15, 16, 5),
    "lattice_boltzmann-example": Explained(6, 0, 12, 1),
    "finite_volume-example": Explained(6, 0, 7, 1),
    "spectral-example": Explained(3, 0, 25, 0),
    "spectral-rings": Explained(1, 0, 1, 0),
    "particle_in_cell-example": Explained(3, 0, 8, 1),
    "particle_in_cell-histogram": Explained(1, 2, 3, 0),
    "ray_tracing-example": Explained(19, 6, 17, 17),
    "gpt-example": Explained(5, 2, 15, 0),
    "autograd-example": Explained(1, 0, 7, 0),
    "kalman-one_step": Explained(1, 0, 3, 0),
    "kalman-outlier": Explained(1, 0, 2, 0),
    "kalman-example": Explained(5, 0, 8, 1),
    "gaussian_mixture-example": Explained(9, 0, 18, 2),
    "gaussian_mixture-classify": Explained(1, 0, 7, 0),
    "convolution-example": Explained(1, 0, 7, 0),
    "convolution-inference": Explained(1, 0, 4, 0),
    "group_by-example": Explained(3, 3, 3, 0),
    "group_by-table": Explained(1, 0, 1, 0),
    "group_by-accumulated": Explained(3, 9, 9, 0),
    "group_by-months": Explained(1, 0, 4, 0),
    "stretch_moves-one_move": Explained(1, 0, 3, 0),
    "stretch_moves-example": Explained(5, 0, 8, 0),
}


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
@pytest.mark.parametrize("row", TABLE, ids=name_of)
def test_what_an_example_became(monkeypatch: pytest.MonkeyPatch, row: Row) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    entry = getattr(load(row.module), row.entry)
    for seed in range(CALLS):
        jitted, args = entry(seed=seed, **row.size)
        jitted(*args)
    jitted, args = entry(seed=CALLS, **row.size)
    found = npcompile.explain(jitted, *args)
    now = Explained(
        programs=len(found.all_programs),
        host_calls=sum(step.became == "host call" for step in found.steps),
        kernels=sum(len(program.kernels) for program in found.all_programs),
        left=len(found.left),
    )
    assert now == EXPLAINED[name_of(row)], f"{found.text('program')}\nif that is better, the row is now {now}"
    cut = found.why_cut and not found.all_programs  # else what is not recorded as a whole is, in blocks
    assert bool(found.strict_error) == bool(found.reasons or now.host_calls or cut)
    for program in found.all_programs:
        for step in program.steps:
            assert step.became != "kernel" or step.kernel is not None
    text = found.text("program")
    assert text.startswith(f"{found.name} (") and all(str(part) in text for part in found.left)
