"""`npcompile.explain` says what became of a function's lines, and why, as text and as fields."""

from __future__ import annotations

import types
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from npcompile.diagnostics.not_compiled import NotCompiledWarning
from npcompile.diagnostics.reason import Cause, Reason
from npcompile.diagnostics.recompilations import recompilations
from npcompile.diagnostics.stats import Stats
from npcompile.explain.blocks import Block, LeftToPython, blocks_of, functions_of, left_to_python
from npcompile.explain.explanation import Copies, Detail, Explanation, Hint, checked
from npcompile.explain.loops import loops_of
from npcompile.explain.profile import Profile, Sampler, replay_codes, timed_kernels
from npcompile.explain.programs import ExplainedProgram, explained
from npcompile.explain.report_builder import report_of
from npcompile.explain.timing import Seconds, kept, timed
from npcompile.frontend.eager.errstate import traps
from npcompile.frontend.passes.order import watched
from npcompile.jit import Jitted, Partial, jit
from npcompile.partition.partitioned import PartitionedFunction, cut_of
from npcompile.runtime.function import RecordedFunction, Specialization

__all__ = ["Explanation", "explain"]


def explain(f: Callable[..., Any], /, *args: Any, detail: Detail = "report", **kwargs: Any) -> Explanation:
    """Explain what becomes of `f(*args, **kwargs)`: what is compiled, where time goes, and why.

    The call happens once, with its effects; then compilations are waited for. A function that is sure to have
    no effects is called some more times, to be timed; `stats` does not count these calls. With `strict=True`,
    statements that cannot be compiled are explained, not raised.

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
    made: Any = f if jitted else jit(f)
    if isinstance(made, Partial):
        made, args, kwargs = made.func, (*made.args, *args), made.keywords | kwargs
    if isinstance(made, types.MethodType):
        made, args = made.__func__, (made.__self__, *args)
    assert isinstance(made, Jitted)
    if passes and jitted:
        made = jit(
            made.__wrapped__,
            wait=made._wait,
            strict=made._strict,
            default_float=made._default_float,
            fast_random=made.fast_random,
        )
    if passes or not jitted:
        made.share_nothing()
    key = _key(made, args, kwargs)
    before = replace(made.stats)
    strict, made._strict = made._strict, False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NotCompiledWarning)
            known = made._states.get(key) if key is not None else None
            # The call that is timed later needs the arguments as this call finds them.
            first = None if known and known.entries and not known.partitioned else kept(args, kwargs)
            profile = Profile()
            sampler = Sampler(profile, replay_codes(made))
            with watched(passes) as snapshots, timed_kernels(made, profile), sampler.sampling():
                result = sampler.run(made, args, kwargs)
            if made.stats.recordings > before.recordings or known is None:
                profile.clear()  # to record takes other times than to replay
            made.wait()
            state = made._states.get(key) if key is not None else None
            moved = _moved(before, made.stats)
            seconds, again = timed(made, state, args, kwargs, first, profile)
            state = made._states.get(key) if key is not None else None
    finally:
        made._strict = strict
    explanation = _explanation(made, state, result, again or moved, seconds)
    explanation = replace(explanation, passes=tuple(snapshots), detail=detail)
    return replace(explanation, report=report_of(explanation, profile))


def _moved(before: Stats, after: Stats) -> tuple[int, int]:
    """Bytes that were copied to and from the device between two counts."""
    return (
        after.bytes_to_device - before.bytes_to_device,
        after.bytes_from_device - before.bytes_from_device,
    )


def _is_method(f: Any) -> bool:
    return isinstance(f, types.MethodType) and isinstance(f.__func__, Jitted)


def _key(jitted: Jitted, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return the signature of a call; None where it has none."""
    bound = jitted._binding.bind(args, kwargs)
    if bound is None:
        return None
    key = jitted.signature(*bound, [])
    try:
        hash(key)
    except TypeError:
        return None
    return key


def _explanation(
    jitted: Jitted, state: Specialization | None, result: Any, moved: tuple[int, int], seconds: Seconds
) -> Explanation:
    code = getattr(jitted.__wrapped__, "__code__", None)
    partitioned = None if state is None else cut_of(state)
    programs = () if state is None else tuple(explained(entry) for entry in state.entries)
    blocks = () if partitioned is None else blocks_of(partitioned)
    functions = () if partitioned is None else functions_of(partitioned.root)
    reasons = [*jitted.stats.told]
    if not reasons and not (programs or blocks or functions):
        if traps():
            reasons.append(Cause.ERRSTATE_AROUND())
    stats, why_cut = jitted.stats, _why_cut(partitioned)
    parts = (*blocks, *functions)
    every = [*programs, *(program for part in parts for program in part.all_programs)]
    written = max((program.bytes_written for program in programs), default=0)
    written += sum(part.bytes_written for part in parts)
    return Explanation(
        name=jitted.name,
        file=code.co_filename if code else "",
        line=code.co_firstlineno if code else 0,
        result=result,
        programs=programs,
        blocks=blocks,
        loops=() if partitioned is None else loops_of(partitioned),
        functions=functions,
        left=() if partitioned is None else _left(partitioned),
        copies=Copies(written, *moved, any(map(_is_repeated, parts))),
        recompilations=recompilations(jitted),
        reasons=tuple(reason.located for reason in reasons),
        seconds=seconds,
        strict_error=tuple(
            dict.fromkeys(
                [
                    *([] if every else why_cut),
                    *(_hint(reason, code) for reason in reasons),
                    *_host_hints("", programs),
                    *(hint for part in parts for hint in _host_hints(part.elsewhere, part.all_programs)),
                ]
            )
        ),
        stats=stats,
        why_cut="".join(f"{hint.where}: {hint.reason}" for hint in why_cut),
    )


def _is_repeated(block: Block) -> bool:
    """Tell if kernels of a block may run more than once in a call."""
    own = (block.in_loop or block.name != "block") and bool(block.all_programs)
    return own or any(map(_is_repeated, block.inside))


def _left(partitioned: PartitionedFunction) -> tuple[LeftToPython, ...]:
    """Return the statements that Python carries out, in the function and in those that its cut calls."""
    callees = [
        callee for callee in list(partitioned.root.callees.values()) if isinstance(callee, RecordedFunction)
    ]
    cuts = [cut_of(state) for callee in callees for state in callee._states.values()]
    known = dict.fromkeys(cut for cut in (partitioned, *cuts) if cut is not None)
    return tuple(part for cut in known for part in left_to_python(cut))


def _why_cut(partitioned: PartitionedFunction | None) -> list[Hint]:
    """Return why a function could not be recorded as a whole, where that was tried."""
    if partitioned is None or partitioned.why is None:
        return []
    reason, line = partitioned.why
    reason = reason or Cause.NOT_RECORDED()
    return [Hint(f"line {line}" if line else "all of it", str(reason), reason.advice)]


# -- what to write instead -----------------------------------------------------------------------------------


def _hint(reason: Reason, code: types.CodeType | None) -> Hint:
    """Return what to write instead for a reason. code: of the function, whose own file is not named."""
    if reason.where is None:
        return Hint("all of it", str(reason), reason.advice)
    file, line = reason.where
    within = "" if code is not None and file == code.co_filename else f" of {file}"
    return Hint(f"line {line}{within}", str(reason), reason.advice)


def _host_hints(file: str, programs: tuple[ExplainedProgram, ...]) -> list[Hint]:
    """Return the calls of NumPy within programs. file: of these, where it is not the function's own."""
    within = f" of {file}" if file else ""
    return [
        Hint(
            step.elsewhere or f"line {step.line}{within}",
            f"{step.text}: {step.detail}",
            step.reason.advice,
        )
        for program in programs
        for step in program.steps
        if step.reason is not None
    ]
