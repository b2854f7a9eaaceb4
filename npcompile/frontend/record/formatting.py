"""Texts: f-strings, `str`, `%` and `format` of traced values are steps, and what is made of them decides."""

from __future__ import annotations

from typing import Any

from npcompile.diagnostics.reason import Cause
from npcompile.frontend.graph.builder_values import Unfollowed
from npcompile.frontend.graph.memmaps import refuse_text
from npcompile.frontend.program.array_facts import is_numpy
from npcompile.frontend.program.signature import NUMBERS
from npcompile.frontend.program.text_steps import Format, Piece, fresh_text, join
from npcompile.frontend.record.attributes_items import Access
from npcompile.frontend.rewrite.call_sites import do
from npcompile.frontend.rewrite.hooks import Hooks
from npcompile.lower.plan.values import Value

_plain = Hooks()


class Texts(Access):
    """What is made into text."""

    def format(self, value: Any, conversion: Any, spec: str) -> str:
        result = _plain.format(value, conversion, spec)
        if not self.on or not (self.builder.traced(value) or id(value) in self.builder.objects):
            return result
        if id(value) in self.builder.objects or self.builder.traced(spec):
            self.stop(Cause.OBJECT_TO_TEXT())
            return result
        piece = Piece(result)
        self.note(self._piece, value, Format(conversion, spec), piece)
        return piece

    def _piece(self, value: Any, function: Format, piece: Piece) -> Piece:
        ref = self.builder.ref(value)
        refuse_text(ref, piece)
        node = self.builder.add("host", function, (ref,), {}, Value("object"))
        self.builder.tracked.keep(piece, node)
        return piece

    def text(self, *parts: str) -> str:
        if not any(type(part) is Piece for part in parts):
            return _plain.text(*parts)
        result = "".join(parts)
        return self.note(self._made_text, join, parts, {}, result) if self.on else result

    def shown_as(self, fn: Any, args: tuple[Any, ...]) -> str | None:
        """What `str` or `repr` gives of a number, an array or a text; None for anything else."""
        if len(args) != 1 or not (is_numpy(args[0]) or type(args[0]) in (*NUMBERS, bool, type(None))):
            return None
        result: str = do(fn, *args)
        return self.note(self._made_text, fn, args, {}, result) if self.builder.traced(*args) else result

    def _made_text(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], result: str) -> str:
        """Note a text that a function of traced values has made; returns it as an object of its own."""
        builder = self.builder
        refs = tuple(
            builder.tracked.node(arg) or arg if isinstance(arg, str) else builder.ref(arg) for arg in args
        )
        named = {key: builder.ref(arg) for key, arg in kwargs.items()}
        refuse_text((refs, named), result)
        own = fresh_text(result)
        if own is None:
            raise Unfollowed(Cause.TEXT_OF_ONE())
        node = builder.add("host", function, refs, named, Value("object"))
        builder.tracked.keep(own, node)
        return own
