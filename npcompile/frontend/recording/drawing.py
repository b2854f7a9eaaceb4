"""Random draws that `fast_random=True` takes over: two words of the generator's stream, then arithmetic."""

from __future__ import annotations

from typing import Any

from npcompile.frontend import draws
from npcompile.frontend.program import Call
from npcompile.frontend.recording.following import Following
from npcompile.frontend.recording.place import do
from npcompile.frontend.rewrite import Rewritten, rewrite


class Drawing(Following):
    """The numbers of a draw, as steps of the program."""

    def call(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
        if self.fast_random and (draw := draws.taken(fn, args, kwargs)) is not None:
            return self._draw(draw)
        return super().call(fn, *args, **kwargs)

    def _draw(self, draw: draws.Draw) -> Any:
        if self.on:
            self._note(self._settle, draw, None)
        start = self._word(draws.first_word, draw.source, draw.check, *draw.parameters)
        step = self._word(draws.second_word, draw.source)
        return draw.of(start, step, self._arithmetic)

    def _arithmetic(self, function: Any, *operands: Any) -> Any:
        rewritten = rewrite(function)
        if not self.on or not isinstance(rewritten, Rewritten):
            return function(*operands)
        return self.run(rewritten, function, operands, {})

    def _word(self, function: Any, *args: Any) -> Any:
        """A call that changes the generator alone: what was read from outside stays read."""
        word = do(function, *args)
        return self._note(self._key, function, args, word) if self.on else word

    def _key(self, function: Any, args: tuple[Any, ...], word: Any) -> Any:
        result = self.notes.opaque(Call(function.__name__, function), args, {}, word)
        node = self.notes.tracked.node(result)
        assert node is not None
        node.meta["inert"] = True
        return result

    def _settle(self, draw: draws.Draw, _: None) -> None:
        """What decides the draw is decided before the generator is touched: sizes, and integers."""
        notes = self.notes
        notes.ref(draw.size, True)
        notes.ref(tuple(item for item in draw.parameters if type(item) is int), True)
        notes.constant((*draw.ends, *draw.shape))
        notes.constant(tuple(item for item in draw.parameters if notes.tracked.get(item) is None))
        for known in (draw.source, draw.check):
            if notes.tracked.get(known) is None:
                notes.tracked.keep(known, None)
