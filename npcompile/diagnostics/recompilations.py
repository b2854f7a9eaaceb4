"""Says why a function was recorded more than once: another signature, or another decision on the way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np

from npcompile.diagnostics.reason import Cause, Reason
from npcompile.frontend.program.printing import guard_text
from npcompile.frontend.program.program import Program
from npcompile.frontend.program.signature import BY_NAME
from npcompile.lower.plan.attributes import source_place, step_of


class Naming(Protocol):
    """The parameters of a function: `runtime.binding.Binding`."""

    def names(self, count: int) -> list[str]:
        """Return the names of so many arguments."""


class Latest(Protocol):
    """The last recordings of one place: `tiering.recording_budget.RecordingBudget`."""

    latest: list[tuple[Any, Any]]
    cause: str | None
    why: Reason | None


class Recordings(Protocol):
    """A function that is recorded: `runtime.function.RecordedFunction`."""

    by_signature: dict[Any, Any]

    @property
    def argument_binding(self) -> Naming: ...

    @property
    def balance(self) -> Latest:
        """Return its last recordings."""


_ALIKE = "an earlier program went no further than its guards"


@dataclass(frozen=True)
class Recompilation:
    """A further recording. cause: the difference from the recordings before it."""

    kind: Literal["signature", "decision"]
    cause: str

    def __str__(self) -> str:
        return f"{'new signature' if self.kind == 'signature' else 'another decision'}: {self.cause}"


def recompilations(recorded: Recordings) -> tuple[Recompilation, ...]:
    """Those of one function, by signature in the order of the calls, then by decision."""
    found: list[Recompilation] = []
    known: list[tuple[Any, ...]] = []
    for key, state in recorded.by_signature.items():
        if state.answered:  # by a program that was there
            continue
        if known:
            found.append(_another_signature(recorded, known, key))
        known.append(key)
        programs = [entry.program for entry in state.entries]
        for place in range(1, len(programs)):
            found.append(Recompilation("decision", _decision(programs[:place], programs[place])))
    return tuple(found)


def why_recorded(recorded: Recordings, state: Any) -> Recompilation | None:
    """Return why the newest program of a signature was recorded; None where it is the function's first."""
    programs = [entry.program for entry in state.entries]
    if len(programs) > 1:
        return Recompilation("decision", _decision(programs[:-1], programs[-1]))
    keys = {key: one for key, one in recorded.by_signature.items() if one is state or one.entries}
    known = [key for key, one in keys.items() if one is not state]
    mine = [key for key, one in keys.items() if one is state]
    return _another_signature(recorded, known, mine[0]) if known and mine else None


def _another_signature(
    recorded: Recordings, known: list[tuple[Any, ...]], key: tuple[Any, ...]
) -> Recompilation:
    names = recorded.argument_binding.names(len(key))
    causes = min((_differences(names, old, key) for old in known), key=len)
    return Recompilation("signature", "; ".join(causes))


def why_given_up(recorded: Recordings) -> Reason:
    """Return why recording does not pay, and what was different the last time: worked out once a place."""
    balance = recorded.balance
    if balance.why is None:
        balance.why = Cause.OF_NO_USE(last_difference(recorded))
    return balance.why


def last_difference(recorded: Recordings) -> str:
    """Return what was different when a place was last recorded anew, as a detail; empty if unknown."""
    balance = recorded.balance
    if balance.cause is None:
        balance.cause = ""
        if len(balance.latest) == 2:
            (old, before), (new, program) = balance.latest
            causes = _differences(recorded.argument_binding.names(max(len(old), len(new))), old, new)
            cause = "; ".join(causes) or _decision([before], program)
            balance.cause = "" if cause == _ALIKE else f": the last time, {cause}"
    return balance.cause


def _differences(names: list[str], old: tuple[Any, ...], new: tuple[Any, ...]) -> list[str]:
    found = []
    if old[0] != new[0]:
        found.append(f"threads: {old[0]}, now {new[0]}")
    if old[1] != new[1]:
        found.append(f"device: {old[1] or 'cpu'}, now {new[1] or 'cpu'}")
    if old[2] != new[2]:
        names_of = [", ".join(one.name for one in key[2] or ()) or "nothing" for key in (old, new)]
        found.append(f"replaced of NumPy's and Python's own functions: {names_of[0]}, now {names_of[1]}")
    if len(old) != len(new):
        found.append("another number of arguments")
    for place, (one, other) in enumerate(zip(old[3:], new[3:], strict=False)):
        if one != other:
            found += _difference(names[place], one, other)
    return found


def _difference(name: str, old: Any, new: Any) -> list[str]:
    """Return what differs between the keys of one argument (see `signature.key_of`)."""
    if _is_array(old) and _is_array(new):
        if old[0] != new[0]:
            return [f"{name}: dtype {old[0]}, now {new[0]}"]
        if old[1] != new[1]:
            return [f"{name}: shape {old[1]}, now {new[1]}"]
        if old[2] != new[2]:
            return [f"{name}: strides {old[2]}, now {new[2]}"]
        writeable = ("read-only", "writeable")
        was, now = (writeable[bool(key[3] & 0x0400)] for key in (old, new))
        return [f"{name}: {was}, now {now}" if was != now else f"{name}: other alignment or contiguity"]
    if type(old) is tuple and type(new) is tuple and old and new and old[0] is new[0]:
        if old[0] in (tuple, list) and len(old) == len(new):
            pairs = enumerate(zip(old[1:], new[1:], strict=True))
            return [
                text
                for place, (one, other) in pairs
                if one != other
                for text in _difference(f"{name}[{place}]", one, other)
            ]
        by_name = old[0] is BY_NAME
        one_dict, other_dict = (old[1], new[1]) if by_name else (old, new)
        if one_dict[0] is dict and [key for key, _ in one_dict[1:]] == [key for key, _ in other_dict[1:]]:
            return [
                text
                for (key, one), (_, other) in zip(one_dict[1:], other_dict[1:], strict=True)
                if one != other
                for text in _difference(key if by_name else f"{name}[{key!r}]", one, other)
            ]
        if by_name:
            return [f"{_key_text(old)}, now {_key_text(new)}"]
    return [f"{name}: {_key_text(old)}, now {_key_text(new)}"]


def _is_array(key: Any) -> bool:
    return type(key) is tuple and len(key) == 4 and isinstance(key[0], np.dtype)


def _key_text(key: Any) -> str:
    if _is_array(key):
        return f"{key[0]}{list(key[1])}"
    if isinstance(key, type):
        return key.__name__
    if type(key) is tuple and key and key[0] is BY_NAME:
        return f"by name {', '.join(name for name, _ in key[1][1:])}"
    if type(key) is tuple and len(key) == 2 and isinstance(key[0], type):
        return repr(key[1]) if key[0] not in (tuple, list, dict) else f"a {key[0].__name__} of 1"
    if type(key) is tuple and key and key[0] in (tuple, list, dict):
        return f"a {key[0].__name__} of {len(key) - 1}"
    return str(key[0].__name__) if type(key) is tuple and key and isinstance(key[0], type) else str(key)


def _decision(earlier: list[Program], program: Program) -> str:
    """Return the first guard that is another than in the earlier program that is most like this one."""
    mine = _guards(program)
    shared = 0
    other: tuple[str, int | None] | None = None
    likest: list[tuple[str, int | None]] = []
    for before in earlier:
        theirs = _guards(before)
        common = 0
        while common < min(len(mine), len(theirs)) and mine[common] == theirs[common]:
            common += 1
        if common >= shared and common < len(theirs):
            shared, other, likest = common, theirs[common], theirs
    if other is None:
        further = next(
            (text for text in mine if all(text not in _guards(before) for before in earlier)), None
        )
        if further is None:
            return _ALIKE
        return f"line {further[1]}: {further[0]}" if further[1] else further[0]
    text, line = other
    where = f"line {line}: " if line else ""
    if shared < len(mine) and mine[shared] not in likest:
        return f"{where}{text} before, now {mine[shared][0]}"
    return f"{where}no longer {text}"


def _guards(program: Program) -> list[tuple[str, int | None]]:
    return [
        (guard_text(node), source_place(node).line)
        for node in program.graph.nodes
        if step_of(node) == "guard"
    ]
