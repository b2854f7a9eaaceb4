"""The tiers: what the quick one chooses, how files are put into parts, and what `--fuzz` prints to do."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests import fuzz, tiers
from tests.__main__ import parts, seconds_of_files

KNOWN = {"a.py::cheap": (10, 1.0), "a.py::dear": (2, 8.0), "b.py::dear": (3, 30.0)}
ITEMS = [f"a.py::cheap[{i}]" for i in range(10)] + ["a.py::dear[0]", "a.py::dear[1]", "b.py::dear[0]"]


def test_files_keep_to_their_budget_and_each_runs_one_test() -> None:
    found = tiers.chosen(dict.fromkeys(ITEMS, False), KNOWN, budget=0.55)
    assert found == {item for item in found if "cheap" in item} | {"b.py::dear[0]"}
    assert len(found) == 6
    assert tiers.chosen(dict.fromkeys(ITEMS, False), KNOWN, budget=100.0) == set(ITEMS)


def test_tests_of_which_nothing_is_known_are_taken_to_be_dear() -> None:
    items = dict.fromkeys([f"new.py::test_new[{i}]" for i in range(100)], False)
    assert 1 <= len(tiers.chosen(items, {})) <= tiers.BUDGET / tiers.NEW
    known = seconds_of_files(quick=False)
    assert all(known[tiers.file_of(name)] >= seconds for name, (_, seconds) in tiers.costs().items())


def test_marked_tests_are_the_ones_of_their_file() -> None:
    marked = {item: item == "a.py::dear[1]" for item in ITEMS}
    assert tiers.chosen(marked, KNOWN) == {"a.py::dear[1]", "b.py::dear[0]"}


@pytest.mark.parametrize("quick", [True, False])
def test_each_file_is_in_one_part(quick: bool) -> None:
    seconds = seconds_of_files(quick)
    found = parts(seconds, 2, 30.0)
    assert sorted(name for part in found for name in part) == sorted(seconds)


def test_processes_that_take_parts_in_turn_are_done_at_about_one_time() -> None:
    seconds = seconds_of_files(quick=False)
    for longer in (1.0, 2.0):  # than the costs say, of every third part
        done = [0.0, 0.0]
        for number, part in enumerate(parts(seconds, 2, 30.0)):
            first = done.index(min(done))
            done[first] += sum(seconds[name] for name in part) * (longer if number % 3 == 0 else 1.0)
        assert abs(done[0] - done[1]) <= 30.0 * longer + 1, done


def test_costs_name_functions_that_exist() -> None:
    root = Path(__file__).parent.parent
    for name in tiers.costs():
        file, _, function = name.partition("::")
        assert f"def {function.rpartition('::')[2]}(" in (root / file).read_text(), name


@pytest.mark.parametrize("kind", fuzz.KINDS)
def test_a_program_depends_on_its_kind_and_seed_alone(kind: str, tmp_path: Path) -> None:
    one, other = fuzz.KINDS[kind](5, tmp_path)[0], fuzz.KINDS[kind](5, tmp_path)[0]
    assert one == other != fuzz.KINDS[kind](6, tmp_path)[0]


def test_a_difference_is_printed_with_the_command_that_shows_it_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def wrong(seed: int, folder: Path) -> tuple[str, object]:
        def check() -> None:
            raise AssertionError("call 1: differs")

        return "def program(): ...", check

    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    monkeypatch.setitem(fuzz.KINDS, "array", wrong)
    assert fuzz.differs("array", 7, tmp_path, fuzz.COMPILED_EVERY, copying=True)
    printed = capsys.readouterr().out
    assert "call 1: differs" in printed and "def program(): ..." in printed
    assert "again: python -m tests.fuzz array --seed 7 --copying-device" in printed


def test_random_programs_run_for_the_seconds_given() -> None:
    command = [sys.executable, "-m", "tests", "--fuzz", "1", "--seed", "3"]
    done = subprocess.run(command, cwd=Path(__file__).parent.parent, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "programs, 0 wrong" in done.stdout
