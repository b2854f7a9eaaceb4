"""Recording: hooks that do exactly what Python does, on the real NumPy objects, and note what they did."""

from __future__ import annotations

import functools
from typing import Any

from npcompile.frontend.boundary.faults import guarded, noting
from npcompile.frontend.graph.unfollowed import Unfollowed
from npcompile.frontend.program.program import Program
from npcompile.frontend.record import (
    appended_lists,
    attributes_items,
    context_managers,
    exceptions,
    formatting,
    loops,
    operators,
    statements,
    unpacking,
    user_functions,
)
from npcompile.frontend.record.recording import Recording
from npcompile.frontend.record.registry import TABLES
from npcompile.frontend.record.stores import set_apart, settle


@guarded
class Recorder(Recording):
    """One recording of one call."""

    handlers = TABLES
    run = user_functions.run

    # Hooks that one function answers, whatever the types.
    passing = operators.passing
    compare_passed = operators.compare_passed
    truth_passed = operators.truth_passed
    format = formatting.format_field
    text = formatting.join_texts
    discard = statements.discard
    appending = appended_lists.appending
    delattr = attributes_items.delete_attribute
    load_global = attributes_items.load_global
    load_free = attributes_items.load_free
    store_global = attributes_items.store_global
    store_free = attributes_items.store_free
    imported = statements.imported
    loop = loops.loop
    delegate = loops.delegate
    unpack = unpacking.unpack
    unpack_star = unpacking.unpack_star
    merge = unpacking.merge
    manager = context_managers.enter_manager
    trying = exceptions.trying
    raising = exceptions.raising
    reraising = exceptions.reraising
    caught = exceptions.caught
    key = statements.take_key
    keys = statements.take_keys
    build = statements.build
    define = user_functions.define
    unsupported = statements.unsupported

    def __post_init__(self, filename: str, libraries: bool) -> None:
        super().__post_init__(filename, libraries)
        self.builder.settle = functools.partial(settle, self)

    def finish(self, name: str, answer: Any) -> Program | None:
        """The program, or None with `reason` set."""
        if (failed := self.builder.tracked.failed) is not None:
            self.faulted(noting(failed))
        if not self.active:
            return None
        try:
            settle(self)
            set_apart(self)
            program = self.builder.finish(name, answer)
            program.trips = tuple(self.own_trips)
            program.builtins = tuple(self.not_in_module.values())
            program.classes = tuple((kind, name, held) for (kind, name), held in self.held_by_class.items())
            program.functions = tuple(self.gone_into.items())
            return program
        except Unfollowed as unfollowed:
            self.stop(unfollowed.reason)
        except Exception as error:
            self.faulted(noting(error))
        return None
