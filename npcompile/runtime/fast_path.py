"""Puts the native runtime in front of recorded functions: it answers known signatures without Python.

Until it has been built, and where anything is not as usual, `RecordedFunction.__call__` answers in Python.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import torch

from npcompile.diagnostics.settings import config
from npcompile.frontend.catalog.assumed_modules import ASSUMED, replaced
from npcompile.frontend.eager import errstate
from npcompile.frontend.eager.ndarray import ndarray
from npcompile.frontend.program.guards import Diverged
from npcompile.frontend.program.signature import BY_VALUE, CLASSES_BY_VALUE, OWNERS
from npcompile.frontend.rewrite.recursion import Recursion
from npcompile.lower.native import native
from npcompile.lower.service import compiler
from npcompile.runtime.binding import Binding
from npcompile.runtime.current_device import computing, forced, used
from npcompile.runtime.growing_arguments import GrowingArguments
from npcompile.runtime.specialization import Specialization
from npcompile.tiering.backoff import Backoff
from npcompile.tiering.device_contest import DeviceContest

# Of whose instances the type alone does not say enough.
_NOT_BY_TYPE = (np.generic, np.memmap, torch.Tensor, ndarray)

# The runtime is looked for at LOOK calls that it might have answered, at twice as many, and so on: other
# processes build it, too. At BUILD calls it is built, though nothing may be there to be compiled; it is then
# looked for at one call in OFTEN.
LOOK, BUILD, OFTEN = 8, 64, 512

_module: Any = None
_missed = 0  # calls that it might have answered
_looks = Backoff(LOOK, most=OFTEN)
_next_look = LOOK  # the number of these calls at which it is looked for next
lock = threading.Lock()

# Whose `__call__` and `__get__` the native runtime takes over, and whose slots it looks into. "handle": what
# holds a recorded function for users.
classes: dict[str, Any] = {}


class Known(Protocol):
    """A function of which the native runtime may know signatures."""

    _front: Any


class Seen(Known, Protocol):
    """A function whose calls the native runtime sees to: `RecordedFunction`."""

    __wrapped__: Any
    _alone: bool
    argument_binding: Binding
    default_float: Any
    _direct: bool
    _growing: GrowingArguments
    own_stats: Any
    is_strict: bool
    cut: Any
    fast_random: bool
    resizes: bool

    @property
    def recursion(self) -> Recursion | None:
        """Return the function's code for calls of itself that are plain."""

    @property
    def own(self) -> tuple[Any, ...]:
        """Return the leaves before those of the arguments."""


def use() -> None:
    """Have the native runtime see to calls, once it has been built."""
    global _module
    if _module is not None or errstate.variable is None or (module := native.load_if_built()) is None:
        return
    with lock:
        if _module is not None:  # another thread was here before
            return
        module.fixed(ASSUMED)
        module.deciding(BY_VALUE, CLASSES_BY_VALUE, _NOT_BY_TYPE, OWNERS)
        errors = errstate.variable, errstate.traps
        asked = torch.get_num_threads, vars(warnings), *errors, computing, used, forced, Diverged
        kinds = *(classes[name] for name in ("__call__", "handle", "run", "state", "stats")), DeviceContest
        for kind, function in zip(kinds[:2], module.use(kinds, kinds[0].__call__, asked), strict=True):
            kind.__call__ = function
        module.direct(kinds[0], kinds[1])
        classes["run"].enter = module.entering(classes["run"])
        _module = module


def _look() -> None:
    """Count a call that the native runtime might have answered, and look for that now and then."""
    global _missed, _next_look
    if config.backend == "interpreter":
        return
    _missed += 1
    if native.loaded() is not None:  # native loops have had it built
        use()
    elif _missed >= _next_look:
        _next_look += _looks.wait()
        use()
        if _module is None and _missed == BUILD:
            compiler.start()


def note(
    recorded: Seen, args: tuple[Any, ...], kwargs: dict[str, Any], state: Specialization, key: Any
) -> None:
    """Tell the native runtime the state of calls with such arguments, while all is as usual, as it is now.

    args, kwargs: as the function's binding gives them. key: the signature, which keeps what it names alive.
    """
    if _module is None:
        _look()
    if key[1] is None and key[2] is None and (front := _of(recorded)) is not None:
        front.note(args, kwargs, state, key[0], key)


def choose(
    recorded: Seen,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    contest: DeviceContest,
    leaves: Sequence[Any],
) -> None:
    """Have the native runtime answer calls like this one under the current device by the host, as often as
    their contest tells.

    args, kwargs: as of `note`. leaves: those of the call's signature.
    """
    if (front := _of(recorded)) is not None and not recorded._growing.places:
        lengths = tuple([leaf.bit_length() for leaf in leaves if type(leaf) is int])
        front.choose(args, kwargs, computing.get(), contest, lengths)


def passes_over(recorded: Seen) -> bool:
    """Tell if the native runtime answers calls by signatures that it does not know, while all is as usual, as
    it is now."""
    if _module is None:
        _look()
    front = _of(recorded)
    if front is None or computing.get() is not None or replaced() is not None:
        return False
    front.usual()
    return True


def _of(recorded: Seen) -> Any:
    """Return what the native runtime knows of a function; None where it does not see to its calls."""
    binding = recorded.argument_binding
    if _module is None or not recorded._alone or not binding.of_python:
        return None
    growing = sum(1 << place for place in recorded._growing.places)
    if growing >> 64:
        return None
    if recorded._front is None:
        fn, recursion = recorded.__wrapped__, recorded.recursion
        alone = None if recursion is None else recursion.plain(fn, recorded)
        quick = not recorded.is_strict and recorded.default_float is None
        quick = quick and not (recorded.fast_random or recorded.resizes)
        direct = quick and recorded._direct
        recorded._front = _module.Front(
            *(
                fn,
                binding.parameters,
                recorded.own,
                recorded.own_stats,
                growing,
                quick,
                direct,
            ),
            recorded.cut,
            None if recursion is None or alone is None else (alone, recursion.holder(fn)),
        )
    return recorded._front


def forget(recorded: Known) -> None:
    """Have the native runtime forget the signatures of a function."""
    if recorded._front is not None:
        recorded._front.forget()
