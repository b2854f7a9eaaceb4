"""`npcompile.explain` says what became of a function's lines, and why, as text and as fields."""

from __future__ import annotations

import types
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from npcompile.diagnostics.not_compiled import NotCompiledWarning
from npcompile.diagnostics.stats import Stats
from npcompile.explain.assembly import explanation_of
from npcompile.explain.explanation import Detail, Explanation, checked
from npcompile.explain.report_builder import report_of
from npcompile.explain.sampling import CallTimes, Sampler, replay_codes
from npcompile.explain.timing import kept, timed
from npcompile.frontend.passes.order import watched
from npcompile.jit import Jitted, Partial, jit
from npcompile.partition.root_function import RootFunction
from npcompile.runtime.current_device import forcing
from npcompile.tiering.turns import ours

__all__ = ["Explanation", "explain"]


def explain(f: Callable[..., Any], /, *args: Any, detail: Detail = "report", **kwargs: Any) -> Explanation:
    """Explain what becomes of `f(*args, **kwargs)`: what is compiled, where time goes, and why.

    The call happens once, with its effects; then compilations are waited for. A function that is sure to have
    no effects is called some more times, to be timed; `stats` does not count these calls. Under
    `npcompile.device` the device answers them. Compiled code that has not lost to NumPy does the call, even
    where it would be NumPy's turn to be measured. Lines of other functions have the times of the one call.
    With `strict=True`, statements that cannot be compiled are explained, not raised.

    Parameters
    ----------
    f : callable
        A function under `npcompile.jit`, or one that is not (it is then put under it for this), or a method.
    *args, **kwargs
        The call's arguments. A parameter of the function's own that is named `detail` is given by position.
    detail : {"report", "program", "guards", "passes", "source"}, default "report"
        The text that `str` of the explanation gives. "report": a summary and the annotated source.
        "program": each step of all programs, blocks and loops. "guards": the checks of each replay.
        "passes": each program as it was recorded, and after each pass that has changed it; the call is
        recorded anew for this, by a jit of its own. "source": native loops with the types of names, and the
        generated code.

    Returns
    -------
    Explanation
        The text is its `str`. Its fields are for programs.

    Raises
    ------
    TypeError
        If `f` is no function.
    ValueError
        If `detail` is none of those above.
    Exception
        The call's own.

    Examples
    --------
    >>> import numpy as np
    >>> def scaled(x, by):
    ...     return np.sqrt(x) * by
    >>> explanation = npcompile.explain(scaled, np.ones(1000), 2.0)
    >>> explanation.result.sum()
    np.float64(2000.0)
    """
    if not callable(f) or isinstance(f, type):
        raise TypeError(f"npcompile.explain takes a function, not {'a class' if callable(f) else repr(f)}")
    passes = checked(detail) == "passes"
    jitted = isinstance(f, Jitted | Partial) or _is_method(f)
    handle: Any = f if jitted else jit(f)
    if isinstance(handle, Partial):
        handle, args, kwargs = handle.func, (*handle.args, *args), handle.keywords | kwargs
    if isinstance(handle, types.MethodType):
        handle, args = handle.__func__, (handle.__self__, *args)
    assert isinstance(handle, Jitted)
    made = handle.npcompile_root()
    if passes and jitted:
        options = made.always_waits, made.is_strict, made.default_float, made.fast_random
        made = RootFunction(made.__wrapped__, *options)
    if passes or not jitted:
        made.share_nothing()
    leaves: list[Any] = []
    key = _key(made, args, kwargs, leaves)
    before = replace(made.stats)
    strict, made.is_strict = made.is_strict, False
    try:
        with warnings.catch_warnings(), forcing():
            warnings.simplefilter("ignore", NotCompiledWarning)
            known = made.by_signature.get(key) if key is not None else None
            if known is not None:
                known.overdrawn = 0.0  # else the plain function would do the call
            # The call that is timed later needs the arguments as this call finds them.
            first = None if known and known.entries and not known.partitioned else kept(args, kwargs)
            measured = CallTimes()
            sampler = Sampler(made, measured)
            with watched(passes) as snapshots, sampler.sampling(), ours():
                result = sampler.run(args, kwargs)
            recorded = None
            if made.stats.recordings > before.recordings or known is None:
                recorded = measured.of_recorded()
                measured.clear()  # to record takes other times than to replay
            made.wait()
            state = made.by_signature.get(key) if key is not None else None
            moved = _moved(before, made.stats)
            seconds, again = timed(made, state, args, kwargs, first, measured)
            if recorded is not None and not measured.calls:
                measured = recorded
            measured.replays = frozenset(replay_codes(made))
            state = made.by_signature.get(key) if key is not None else None
    finally:
        made.is_strict = strict
    explanation = explanation_of(made, [] if state is None else [state], result, again or moved, seconds)
    explanation = replace(explanation, passes=tuple(snapshots), detail=detail)
    report = replace(report_of(explanation, measured), device=made.told_of_choice(key, leaves))
    return replace(explanation, report=report)


def _moved(before: Stats, after: Stats) -> tuple[int, int]:
    """Bytes that were copied to and from the device between two counts."""
    return (
        after.bytes_to_device - before.bytes_to_device,
        after.bytes_from_device - before.bytes_from_device,
    )


def _is_method(f: Any) -> bool:
    return isinstance(f, types.MethodType) and isinstance(f.__func__, Jitted)


def _key(jitted: RootFunction, args: tuple[Any, ...], kwargs: dict[str, Any], leaves: list[Any]) -> Any:
    """Return the signature of a call, None where it has none; put its leaves into `leaves`."""
    bound = jitted.argument_binding.bind(args, kwargs)
    if bound is None:
        return None
    key = jitted.signature(*bound, leaves)
    try:
        hash(key)
    except TypeError:
        return None
    return key
