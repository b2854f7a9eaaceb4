"""States of iterators: reading one takes no item, and an iterator made of it gives what the first gives."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npcompile.frontend.loops.run.iterators import (
    Counted,
    Items,
    Numbers,
    Zipped,
    iterator_of,
    one_back,
    state_of,
)

KNOWN: dict[str, Callable[[], Any]] = {
    "range": lambda: iter(range(2, 20, 3)),
    "range down": lambda: iter(range(10, 0, -3)),
    "range of nothing": lambda: iter(range(5, 0)),
    "range at the edge": lambda: iter(range(2**63 - 4, 2**63 - 1)),
    "range beyond 64 bits": lambda: iter(range(2**70, 2**70 + 4)),
    "long range": lambda: iter(range(0, 2**70, 2**68)),
    "reversed range": lambda: reversed(range(2, 20, 3)),
    "reversed long range": lambda: reversed(range(2**70, 2**70 + 3)),
    "list": lambda: iter([3, 1.5, None]),
    "no list": lambda: iter([]),
    "tuple": lambda: iter((3, 1.5)),
    "array": lambda: iter(np.arange(4.0)),
    "rows": lambda: iter(np.arange(6).reshape(3, 2)),
    "no array": lambda: iter(np.empty((0, 2))),
    "reversed list": lambda: reversed([3, 1.5, None]),
    "reversed no list": lambda: reversed([]),
    "reversed tuple": lambda: reversed((3, 1.5)),
    "reversed no tuple": lambda: reversed(()),
    "reversed array": lambda: reversed(np.arange(4.0)),
    "reversed no array": lambda: reversed(np.empty(0)),
    "enumerate": lambda: enumerate([3, 1.5, None]),
    "enumerate from": lambda: enumerate(np.arange(3), -5),
    "enumerate beyond 64 bits": lambda: enumerate(range(4), 2**63 - 2),
    "zip": lambda: zip(range(3), [1, 2, 3], np.arange(3.0), strict=False),
    "zip of one length": lambda: zip((1, 2), range(2), strict=True),
    "zip of two lengths": lambda: zip((1, 2), range(3), strict=True),
    "zip of shorter": lambda: zip(range(3), [1], range(5), strict=False),
    "zip of nothing": lambda: zip(),
    "enumerate zip": lambda: enumerate(zip([1, 2], reversed((3, 4)), strict=False), 7),
    "ndindex": lambda: np.ndindex(2, 1, 3),
    "ndindex of nothing": lambda: np.ndindex(3, 0),
    "ndenumerate": lambda: np.ndenumerate(np.arange(4.0).reshape(2, 2).T),
    "flat": lambda: np.arange(6).reshape(3, 2)[::2].flat,
    "zip enumerate": lambda: zip(enumerate([1, 2]), enumerate(enumerate((5, 6))), strict=False),
}


# NumPy's iterators that cannot be placed: others, that give the same items, go on.
UNPLACED = (np.ndindex, np.ndenumerate, np.flatiter)


def taken(iterator: Any) -> list[Any]:
    """Return the items that are left, or the exception at their end, as something to compare."""
    found: list[Any] = []
    while len(found) < 50:
        try:
            item = next(iterator)
        except StopIteration:
            break
        except ValueError as error:
            return [*found, str(error)]
        found.append((type(item), repr(item)))
    return found


def after(make: Callable[[], Any], count: int) -> Any:
    iterator = make()
    for _ in range(count):
        next(iterator, None)
    return iterator


@pytest.mark.parametrize("count", range(5))
@pytest.mark.parametrize("name", KNOWN)
def test_an_iterator_goes_on_from_its_state(name: str, count: int) -> None:
    make = KNOWN[name]
    if name == "zip of two lengths" and count > 2:
        return  # it has raised
    iterator = after(make, count)
    state, again = state_of(iterator), state_of(iterator)
    assert state is not None and again is not None
    made = iterator_of(state)
    assert taken(made) == taken(after(make, count))
    if not isinstance(iterator, UNPLACED):
        assert type(iterator_of(state)) is type(iterator) or taken(after(make, count)) == []
    assert taken(iterator_of(again)) == taken(iterator)  # which has given nothing yet


@pytest.mark.parametrize("count", range(1, 6))
@pytest.mark.parametrize("name", KNOWN)
def test_one_back_gives_the_last_item_again(name: str, count: int) -> None:
    make = KNOWN[name]
    if len(taken(make())) - (name == "zip of two lengths") < count:
        return  # the last item was taken before
    state = state_of(after(make, count))
    assert state is not None
    assert taken(iterator_of(one_back(state))) == taken(after(make, count - 1))
    again = state_of(iterator_of(one_back(state)))
    assert again is not None
    assert taken(iterator_of(again)) == taken(after(make, count - 1))


def test_states_are_numbers_and_sources() -> None:
    array, items = np.arange(4), [1, 2, 3]
    assert state_of(after(lambda: iter(range(0, 9, 2)), 2)) == Numbers(4, 2, 3)
    assert state_of(iter(range(9, 0, -4))) == Numbers(9, -4, 3)
    state = state_of(after(lambda: enumerate(zip(array, reversed(items), strict=False), 5), 1))
    assert isinstance(state, Counted) and state.next == 6
    assert isinstance(state.items, Zipped) and not state.items.strict
    one, other = state.items.parts
    assert isinstance(one, Items) and one.source is array and (one.place, one.step) == (1, 1)
    assert isinstance(other, Items) and other.source is items and (other.place, other.step) == (1, -1)


class OwnList(list[Any]):
    pass


class OwnDeque(deque[Any]):
    pass


class OwnArray(np.ndarray[Any, Any]):
    pass


class OwnEnumerate(enumerate[Any]):
    pass


class Sequence:
    def __len__(self) -> int:
        return 3

    def __getitem__(self, place: int) -> int:
        if place > 2:
            raise IndexError
        return place


UNKNOWN: dict[str, Callable[[], Any]] = {
    "list of its own": lambda: iter(OwnList([1])),
    "array of its own": lambda: iter(np.arange(3).view(OwnArray)),
    "reversed list of its own": lambda: reversed(OwnList([1])),
    "reversed array of its own": lambda: reversed(np.arange(3).view(OwnArray)),
    "reversed sequence": lambda: reversed(Sequence()),
    "sequence": lambda: iter(Sequence()),
    "generator": lambda: (x for x in (1, 2)),
    "enumerate of its own": lambda: OwnEnumerate([1]),
    "enumerate of a generator": lambda: enumerate(x for x in (1, 2)),
    "zip of a generator": lambda: zip([1], (x for x in (1, 2)), strict=False),
    "frozenset": lambda: iter(frozenset({1})),
    "deque of its own": lambda: iter(OwnDeque([1])),
    "map": lambda: map(abs, [1]),
    "list itself": lambda: [1, 2],
    "masked array": lambda: iter(np.ma.array([1, 2])),
    "matrix": lambda: iter(np.zeros((2, 2)).view(np.matrix)),
}


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
@pytest.mark.parametrize("name", UNKNOWN)
def test_other_iterators_have_no_state_and_lose_no_item(name: str) -> None:
    make = UNKNOWN[name]
    iterator = make()
    assert state_of(iterator) is None
    assert taken(iter(iterator)) == taken(iter(make()))


def test_iterators_that_others_hold_have_no_state() -> None:
    inner = iter([1, 2, 3])
    assert state_of(enumerate(inner)) is None
    assert state_of(zip([1], inner, strict=False)) is None
    assert state_of(zip(inner, inner, strict=False)) is None
    assert state_of(enumerate(zip([1], enumerate(inner), strict=False))) is None
    pairs = zip(*[iter([1, 2, 3, 4])] * 2, strict=False)
    assert state_of(pairs) is None
    assert taken(pairs) == taken(zip([1, 3], [2, 4], strict=False))
    assert taken(inner) == taken(iter([1, 2, 3]))


def test_an_iterator_at_its_end_stays_there() -> None:
    items = [1]
    iterator = after(lambda: iter(items), 2)
    state = state_of(iterator)
    assert state is not None
    items.append(2)
    assert taken(iterator_of(state)) == taken(iterator) == []


@pytest.mark.parametrize("make", [iter, reversed])
@pytest.mark.parametrize("left", range(5))
@pytest.mark.parametrize("grown", range(5))
@pytest.mark.parametrize("count", range(5))
def test_lists_may_change_meanwhile(make: Any, left: int, grown: int, count: int) -> None:
    def run(by_state: bool) -> tuple[list[Any], list[int]]:
        items = [1, 2, 3, 4]
        iterator = after(lambda: make(items), count)
        del items[left:]
        if by_state:
            state = state_of(iterator)
            assert state is not None
            iterator = iterator_of(state)
        items.extend([7, 8, 9, 10][:grown])
        return taken(iterator), items

    assert run(by_state=True) == run(by_state=False)
