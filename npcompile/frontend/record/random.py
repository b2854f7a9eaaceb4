"""Random draws: each replay makes the recorded calls of NumPy's generators again.

The registry lists the two handlers. The size of a draw is decided, or follows from lengths in a shape-generic
program, so the numbers that are drawn decide nothing. With `fast_random=True` a draw takes two words of the
generator's stream, and steps compute the numbers from them.
"""

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
    """Return True for an argument that may be a count, or a list or tuple of counts."""
    return type(arg) in (int, tuple, list) or isinstance(arg, np.integer)


def _is_plain(arg: Any) -> bool:
    """Return True if an argument runs no code of the user's.

    The `__index__` and `__array__` of a user's class may give another size at each call.
    """
    if type(arg) in (tuple, list):
        return all(map(_is_plain, arg))
    return is_array(arg) or type(arg) in _PLAIN or isinstance(arg, np.generic | np.dtype | type)


def call_fast_draw(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Do a draw by two words of the stream, with `fast_random=True`."""
    if recording.fast_random and (draw := fast_random.draw_of(fn, args, kwargs)) is not None:
        return draw_fast(recording, draw)
    return PASS


def call_draw(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Do a draw, or seed a generator, and note that each replay does it again."""
    if is_draw(fn):
        followed = fn not in purity.PICKS or _is_followed_pick(recording, args, kwargs)
        place = purity.DRAWS.get(fn, 1) + 1
        if is_array(kwargs.get("size")) or any(map(is_array, args[place : place + 1])):
            followed = False  # its items would have to be decided
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
    """Return True if the dtype and the shape of the values to pick from, or to mix, are known."""
    source = source_of(args[1:], kwargs)
    if type(source) in (tuple, list) and recording.builder.tracked.get(source) is None:  # made inside
        return bool(source) and all(type(item) in NUMBERS for item in source)
    if is_array(source):
        return (
            source.ndim > 0 and computed(source.dtype) is not None and not recording.builder.by_data(source)
        )
    return type(source) in (int, range) or isinstance(source, np.integer)


def _drawn(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> Any:
    """Note a draw, which changes nothing but the stream of the generator.

    Its size is decided, or follows from lengths in a shape-generic program: the numbers decide nothing.
    """
    builder = recording.builder
    if fn in purity.PICKS:
        for source in filter(is_array, (*args, *kwargs.values())):
            builder.asked(source)
            lengths = tuple(builder.length(source, axis) for axis in range(source.ndim))
            builder.ref(lengths, not builder.general)
    refs = tuple(map(functools.partial(_parameter, recording), args))
    named = {key: _parameter(recording, arg) for key, arg in kwargs.items()}
    if any(isinstance(ref, fx.Node) for ref in (*refs, *named.values())):
        settle(recording)  # the draw may raise: stores come before it
    node = builder.add("opaque", Call(fn.__name__, fn), refs, named, builder.value(result))
    attributes(node).inert = True
    return builder.result(node, result)


def _seeded(
    recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any], result: None
) -> None:
    """Note that a generator is seeded, which changes nothing but its stream."""
    settle(recording)  # the call may raise: stores come before it
    return recording.builder.effect(Call(fn.__name__, fn), args, kwargs, True, result)


def _parameter(recording: Recording, arg: Any) -> Any:
    """Return an argument of a draw as an argument of its step.

    Counts and integers are decided, except those that follow from lengths in a shape-generic program.
    """
    builder = recording.builder
    if type(arg) in (tuple, list):
        return type(arg)(map(functools.partial(_parameter, recording), arg))
    node = builder.tracked.node(arg) if _counts(arg) else None
    return builder.ref(arg, _counts(arg), builder.general and node in builder.sizes | builder.counts)


def draw_fast(recording: Recording, draw: fast_random.Draw) -> Any:
    """Take two words of the generator's stream, and compute the random numbers from them by steps."""
    if recording.on:
        recording.note(_decide_draw, recording, draw, None)
    start = _draw_word(recording, fast_random.first_word, draw.source, draw.check, *draw.parameters)
    step = _draw_word(recording, fast_random.second_word, draw.source)
    return draw.of(start, step, functools.partial(_arithmetic, recording))


def _arithmetic(recording: Recording, function: Any, *operands: Any) -> Any:
    """Run a function of `catalog/fast_random.py` on the hooks."""
    rewritten = rewrite(function)
    if not recording.on or not isinstance(rewritten, Rewritten):
        return function(*operands)
    return run(recording, rewritten, function, operands, {})


def _draw_word(recording: Recording, function: Any, *args: Any) -> Any:
    """Take a word of the generator's stream. Nothing else changes, so what was read stays valid."""
    word = do(function, *args)
    return recording.note(_note_word, recording, function, args, word) if recording.on else word


def _note_word(recording: Recording, function: Any, args: tuple[Any, ...], word: Any) -> Any:
    """Note the opaque call that takes a word of the stream."""
    result = recording.builder.opaque(Call(function.__name__, function), args, {}, word)
    node = recording.builder.tracked.node(result)
    assert node is not None
    attributes(node).inert = True
    return result


def _decide_draw(recording: Recording, draw: fast_random.Draw, _: None) -> None:
    """Decide the sizes and integers of a draw before the generator is touched."""
    builder = recording.builder
    builder.ref(draw.size, True)
    builder.ref(tuple(item for item in draw.parameters if type(item) is int), True)
    builder.constant((*draw.ends, *draw.shape))
    builder.constant(tuple(item for item in draw.parameters if builder.tracked.get(item) is None))
    for known in (draw.source, draw.check):
        if builder.tracked.get(known) is None:
            builder.tracked.keep(known, None)
