"""Random draws: calls of NumPy's generators, made again at each replay; those that `fast_random=True` takes
over are two words of the generator's stream, then arithmetic."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from torch import fx

from npcompile.frontend.catalog import fast_random, purity
from npcompile.frontend.ops.table import computed
from npcompile.frontend.program.array_facts import is_array
from npcompile.frontend.program.call_steps import Call
from npcompile.frontend.program.draw_shapes import is_draw, source_of
from npcompile.frontend.program.signature import NUMBERS
from npcompile.frontend.record.handlers import PASS
from npcompile.frontend.record.recording import Recording
from npcompile.frontend.record.stores import settle
from npcompile.frontend.record.user_functions import run
from npcompile.frontend.rewrite.call_sites import do
from npcompile.frontend.rewrite.rewriter import Rewritten, rewrite
from npcompile.lower.plan.attributes import attributes

DRAW_METHOD = type(np.random.Generator.random)
_PLAIN = frozenset([*NUMBERS, bool, str, range, type(None)])


def _counts(arg: Any) -> bool:
    return type(arg) in (int, tuple, list) or isinstance(arg, np.integer)


def _is_plain(arg: Any) -> bool:
    """Whether it decides sizes by what it is: `__index__` and `__array__` of the user's may give any."""
    if type(arg) in (tuple, list):
        return all(map(_is_plain, arg))
    return is_array(arg) or type(arg) in _PLAIN or isinstance(arg, np.generic | np.dtype | type)


def call_fast_draw(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if recording.fast_random and (draw := fast_random.draw_of(fn, args, kwargs)) is not None:
        return draw_fast(recording, draw)
    return PASS


def call_draw(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if is_draw(fn):
        followed = fn not in purity.PICKS or _is_followed_pick(recording, args, kwargs)
        place = purity.DRAWS.get(fn, 1) + 1
        if is_array(kwargs.get("size")) or any(map(is_array, args[place : place + 1])):
            followed = False  # what is in it would have to be decided
        if followed and kwargs.get("out") is None and all(map(_is_plain, (*args[1:], *kwargs.values()))):
            result = do(fn, *args, **kwargs)
            return recording.note(_drawn, recording, fn, args, kwargs, result)
    if fn in purity.SEEDS:
        given = args if fn is np.random.seed else args[1:]
        if all(map(_is_plain, (*given, *kwargs.values()))):
            result = do(fn, *args, **kwargs)
            return recording.note(_seeded, recording, fn, args, kwargs, result)
    return PASS


def _is_followed_pick(recording: Recording, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether the dtype and the shape of what is picked or mixed are decided by what is known."""
    source = source_of(args[1:], kwargs)
    if type(source) in (tuple, list) and recording.builder.tracked.get(source) is None:  # made inside
        return bool(source) and all(type(item) in NUMBERS for item in source)
    if is_array(source):
        return (
            source.ndim > 0 and computed(source.dtype) is not None and not recording.builder.by_data(source)
        )
    return type(source) in (int, range) or isinstance(source, np.integer)


def _drawn(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> Any:
    """Random numbers: their count is decided, so that what is drawn decides nothing. In a program for
    many lengths it follows from them."""
    builder = recording.builder
    if fn in purity.PICKS:
        for source in filter(is_array, (*args, *kwargs.values())):
            builder.asked(source)
            lengths = tuple(builder.length(source, axis) for axis in range(source.ndim))
            builder.ref(lengths, not builder.general)
    refs = tuple(map(functools.partial(_parameter, recording), args))
    named = {key: _parameter(recording, arg) for key, arg in kwargs.items()}
    if any(isinstance(ref, fx.Node) for ref in (*refs, *named.values())):
        settle(recording)  # it may raise
    node = builder.add("opaque", Call(fn.__name__, fn), refs, named, builder.value(result))
    attributes(node).inert = True
    return builder.result(node, result)


def _seeded(
    recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any], result: None
) -> None:
    """The stream begins anew: nothing else is changed by that."""
    settle(recording)  # it may raise
    return recording.builder.effect(Call(fn.__name__, fn), args, kwargs, True, result)


def _parameter(recording: Recording, arg: Any) -> Any:
    """Counts, and integers, are decided, but for such as follow from lengths in a program for many."""
    builder = recording.builder
    if type(arg) in (tuple, list):
        return type(arg)(map(functools.partial(_parameter, recording), arg))
    node = builder.tracked.node(arg) if _counts(arg) else None
    return builder.ref(arg, _counts(arg), builder.general and node in builder.sizes | builder.counts)


def draw_fast(recording: Recording, draw: fast_random.Draw) -> Any:
    if recording.on:
        recording.note(_decide_draw, recording, draw, None)
    start = _draw_word(recording, fast_random.first_word, draw.source, draw.check, *draw.parameters)
    step = _draw_word(recording, fast_random.second_word, draw.source)
    return draw.of(start, step, functools.partial(_arithmetic, recording))


def _arithmetic(recording: Recording, function: Any, *operands: Any) -> Any:
    rewritten = rewrite(function)
    if not recording.on or not isinstance(rewritten, Rewritten):
        return function(*operands)
    return run(recording, rewritten, function, operands, {})


def _draw_word(recording: Recording, function: Any, *args: Any) -> Any:
    """A call that changes the generator alone: what was read from outside stays read."""
    word = do(function, *args)
    return recording.note(_note_word, recording, function, args, word) if recording.on else word


def _note_word(recording: Recording, function: Any, args: tuple[Any, ...], word: Any) -> Any:
    result = recording.builder.opaque(Call(function.__name__, function), args, {}, word)
    node = recording.builder.tracked.node(result)
    assert node is not None
    attributes(node).inert = True
    return result


def _decide_draw(recording: Recording, draw: fast_random.Draw, _: None) -> None:
    """What decides the draw is decided before the generator is touched: sizes, and integers."""
    builder = recording.builder
    builder.ref(draw.size, True)
    builder.ref(tuple(item for item in draw.parameters if type(item) is int), True)
    builder.constant((*draw.ends, *draw.shape))
    builder.constant(tuple(item for item in draw.parameters if builder.tracked.get(item) is None))
    for known in (draw.source, draw.check):
        if builder.tracked.get(known) is None:
            builder.tracked.keep(known, None)
