"""Tells which objects call a Python function at each item of arrays, and what answers their calls natively.

`frontend/elementwise_calls.py` registers the answers; recordings and Python between blocks ask for them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Answer = Callable[..., Any]

_answers: dict[type, Answer] = {}
_pending: list[Callable[[], bool]] = []  # tell if native code is there


def note_pending(is_done: Callable[[], bool]) -> None:
    """Note that native code of a function is being compiled. is_done: tells if it is there."""
    _pending.append(is_done)


def are_compiled() -> bool:
    """Tell if no native code of such functions is being compiled: until it is there, calls are no measure."""
    if _pending:
        _pending[:] = [is_done for is_done in _pending if not is_done()]
    return not _pending


def register(kind: type) -> Callable[[Answer], Answer]:
    """Register what answers calls of the objects of a class: it takes the object and the arguments."""

    def registered(answer: Answer) -> Answer:
        _answers[kind] = answer
        return answer

    return registered


def answer_of(function: Any) -> Answer | None:
    """Return what answers calls of an object; None for one that calls no Python function at each item."""
    answer = _answers.get(type(function))
    if answer is not None and type(function) is np.ufunc:
        return answer if function.ntypes == 1 and set(function.types[0]) <= {"O", "-", ">"} else None
    return answer


@dataclass(frozen=True)
class AnsweredNatively:
    """An object that calls a Python function at each item, as a program calls it."""

    answer: Answer
    function: Any

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.answer(self.function, *args, **kwargs)
