"""Dispatch of NumPy functions on eager arrays: every function goes to its op, or to real NumPy, which is
counted.

Views come first, laid out by NumPy; then the op; then NumPy's own Python function, cloned; then a host call.
Exceptions are NumPy's own: where an op fails, NumPy is asked, and if NumPy has an answer, the failure is
counted as ours.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from npcompile.diagnostics.paths import PACKAGE
from npcompile.diagnostics.reason import Cause
from npcompile.frontend.eager import convert, counters, errstate
from npcompile.frontend.eager.strided import Strided, overlap
from npcompile.frontend.ops.table import TABLE, TORCH, Op, Unsupported
from npcompile.lower.device import memory, transfers

# Functions that write into their first argument; their ops return the whole new array.
UPDATING = (np.put, np.putmask, np.place, np.put_along_axis)

# Functions that put arrays together: with `out=`, each array is cast to its dtype.
JOINING = (np.concatenate, np.stack)

# Functions that round, and functions that return positions.
ROUNDING = (np.round, np.around, np.ndarray.round)
POSITIONS = (np.argmax, np.argmin, np.ndarray.argmax, np.ndarray.argmin, np.nanargmax, np.nanargmin)

# Functions that NumPy wrote in Python, which run on our arrays as written: id of the function -> its
# runner, called with (args, kwargs). `npcompile.numpy` fills it. Where a function has an op too, the op
# comes first.
composed: dict[int, Callable[[tuple[Any, ...], dict[str, Any]], Any]] = {}
# The ids of those that come before the op: they warn where NumPy does, as no op can, or know where the op's
# answer is not NumPy's.
before_op: set[int] = set()


# The callers of ufuncs, `(ufunc, args, kwargs, real)`, and of their methods, `(ufunc, name, args, kwargs)`:
# set by `ufuncs.py`, which imports this module.
ufunc_call: Any = None
ufunc_method: Any = None
# The reporters of floating-point errors of a function, `(function, args, kwargs, results)`, and of a cast,
# `(tensor, dtype)`: set by `fp_errors.py`, which imports this module.
report: Any = None
report_cast: Any = None
# Tells if a call, `(function, args, kwargs)`, can have no such error: likewise.
never_reports: Any = None
# Lays an answer out in memory as NumPy does, `(function, args, kwargs, answer)`: set by `result_strides.py`.
lay_out: Any = None
# NumPy's second types of the same bits, set by `long_long.py`: `plain(value)` returns operands in the first
# type; `second_dtype_of(function, args, kwargs, result)` an answer's dtype if it is a second type;
# `named(answer, dtype)` the answer in that dtype.
plain: Any = None
second_dtype_of: Any = None
named: Any = None


def name_of(function: Any) -> str:
    """Return the name of a NumPy object in counters: "numpy.linalg.inv", "numpy.add.at"."""
    owner = getattr(function, "__self__", None)
    if isinstance(owner, np.ufunc):
        return f"numpy.{owner.__name__}.{function.__name__}"
    if (owner := getattr(function, "__objclass__", None)) is not None:
        return f"numpy.{owner.__name__}.{function.__name__}"
    module = getattr(function, "__module__", None) or "numpy"
    return f"{module}.{getattr(function, '__name__', repr(function))}"


# Types whose objects hold no arrays and are none: most of what calls are given.
_LEAVES = frozenset({int, float, complex, bool, str, bytes, type, type(None), type(...), torch.Tensor})


def map_arrays(value: Any, change: Callable[[Any], Any], kinds: Any = Strided) -> Any:
    """Return a structure of tuples, lists, dicts and slices with our arrays (or all of `kinds`) changed.

    A list or tuple in which nothing changes is the same object: NumPy may answer with it, or write into it.
    """
    kind = type(value)
    if kind in _LEAVES:
        return value
    if kind is list or kind is tuple:
        items = [item if type(item) in _LEAVES else map_arrays(item, change, kinds) for item in value]
        if all(map(operator.is_, items, value)):
            return value
        return items if kind is list else tuple(items)
    if kind is dict:
        return {key: map_arrays(item, change, kinds) for key, item in value.items()} if value else {}
    if kind is slice:
        return slice(*(map_arrays(item, change, kinds) for item in (value.start, value.stop, value.step)))
    return change(value) if isinstance(value, kinds) else value


def arrays_in(value: Any) -> list[Strided]:
    """Return all of our arrays in a structure, in order."""
    found: list[Strided] = []
    _collect(value, found)
    return found


def _collect(value: Any, found: list[Strided]) -> None:
    kind = type(value)
    if kind is list or kind is tuple:
        for item in value:
            if type(item) not in _LEAVES:
                _collect(item, found)
    elif kind is dict:
        if value:
            _collect(list(value.values()), found)
    elif kind is slice:
        _collect((value.start, value.stop, value.step), found)
    elif isinstance(value, Strided):
        found.append(value)


def call(
    function: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    op: Op | None = None,
    real: Callable[..., Any] | None = None,
) -> Any:
    """Return what the NumPy function returns for these arguments.

    op: given where the object itself is not in the table. real: given where NumPy is to be asked otherwise
    than by calling the function (`a == "x"` is more than `np.equal`).
    """
    if op is None:
        op = TABLE.of(function)
    if kwargs:
        kwargs = given(kwargs)
    if op is None or id(function) in before_op:
        return _without_op(function, args, kwargs)
    if isinstance(function, np.ufunc):
        return ufunc_call(function, args, kwargs, real)
    if function in UPDATING:
        ours = bool(args) and isinstance(args[0], Strided)
        return update(function, args, kwargs) if ours else host(function, args, kwargs)

    def ask(count: bool) -> Any:
        if count and id(function) in composed:
            return _without_op(function, args, kwargs)
        if real is not None:
            return host(real, args, {}, count, function)
        return host(function, args, kwargs, count)

    try:
        asked = (args, kwargs) if op.views is None else map_arrays((args, kwargs), layout_of)
        if op.shows(*asked) and (answer := view(function, args, kwargs)) is not None:
            return answer
        if errstate.traps() and not never_reports(function, args, kwargs):
            raise Unsupported(Cause.ERRORS_REPORTED())
        return native(op, function, args, kwargs)
    except Unsupported:
        return ask(True)
    except Exception as error:
        return redo_by_numpy(op.name, error, ask)


_NO_VALUE = inspect.signature(np.sum).parameters["initial"].default  # NumPy's "not given"


_BY_CLASS = {type(dtype): dtype for dtype in TORCH}


def given(kwargs: dict[str, Any]) -> dict[str, Any]:
    """Return the keywords without those that say nothing; a dtype given by its class (`type(a.dtype)`) as the
    dtype."""
    kwargs = {key: item for key, item in kwargs.items() if item is not _NO_VALUE}
    dtype = kwargs.get("dtype")
    if isinstance(dtype, type) and dtype in _BY_CLASS:
        kwargs["dtype"] = _BY_CLASS[dtype]
    return kwargs


def _without_op(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Answer by NumPy's own Python function, cloned, or by a host call."""
    run = composed.get(id(function))
    return host(function, args, kwargs) if run is None else run(args, kwargs)


def update(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Call a NumPy function that writes into its first argument: its op returns the whole new array."""
    op = TABLE.by_object[id(function)]
    array = args[0]

    def ask(count: bool) -> Any:
        return _without_op(function, args, kwargs) if count else host(function, args, kwargs, False)

    try:
        if not array._layout.flags.writeable:
            raise ValueError("read-only: NumPy raises")
        if errstate.traps():
            raise Unsupported(Cause.ERRORS_REPORTED())
        array._write(compute(op, args, kwargs))
    except Unsupported:
        ask(True)
    except Exception as error:
        redo_by_numpy(op.name, error, ask)


def redo(function: Any, error: Exception, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Ask NumPy for a call that failed on our arrays: raise its exception, or count our failure and return
    its answer."""

    def ask(count: bool) -> Any:
        return host(function, args, kwargs, count)

    return redo_by_numpy(name_of(function), error, ask)


def redo_by_numpy(name: str, error: Exception, ask: Callable[[bool], Any]) -> Any:
    if memory.is_exhausted(error):  # what NumPy gave would have to go there, too
        raise memory.DeviceMemoryError(f"{name}: {memory.told(error)}") from error
    try:
        answer = ask(False)
    except Exception as real:
        _take_out_ours(real)
        raise
    counters.op_failures[f"{name}: {type(error).__name__}: {error}"] += 1
    return answer


def _take_out_ours(error: BaseException) -> None:
    """Take the exceptions that npcompile has caught out of those that NumPy's came after."""
    while (earlier := error.__context__) is not None:
        caught = earlier.__traceback__
        if caught is not None and caught.tb_frame.f_code.co_filename.startswith(PACKAGE):
            error.__context__ = earlier.__context__
        else:
            error = earlier


MAX_AXES = 32  # of torch's copies and reductions; its tensors and NumPy's arrays have up to 64


def compute(op: Op, args: tuple[Any, ...], kwargs: dict[str, Any], out: Any = None) -> Any:
    """Return the op's tensors. Raises Unsupported where the op cannot, ValueError where a check of the op
    failed."""
    asked = map_arrays(kwargs, layout_of) if kwargs else kwargs
    if out is not None:
        asked = {**asked, "out": layout_of(out)}
    shown = plain(asked) if asked else asked
    if (reason := op.refuses(plain(map_arrays(args, layout_of)), shown)) is not None:
        raise Unsupported(reason)
    held = [array._memory for array in arrays_in((args, kwargs))]
    if any(memory.dim() > MAX_AXES for memory in held):
        raise Unsupported(Cause.AXES_TOO_MANY(MAX_AXES))
    if len(held) > 1 and len({memory.device for memory in held}) > 1:
        devices = {str(memory.device) for memory in held}
        raise Unsupported(Cause.SEVERAL_DEVICES(", ".join(sorted(devices))))
    named = plain(operands(kwargs)) if kwargs else kwargs
    result = op(*plain(operands(args)), **named)
    if op.checked:
        result, ok = result
        if ok is not None and not bool(ok):
            raise ValueError("a check of the op failed: NumPy raises")
    return result


def view(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return NumPy's own answer where it is a view of our arrays, or several some of which are; None
    otherwise."""
    sources = arrays_in(args)
    theirs: list[np.ndarray[Any, Any]] = []
    map_arrays(args, theirs.append, np.ndarray)
    if not (sources or theirs) or "out" in kwargs:
        return None
    answer = function(*map_arrays(args, layout_of), **map_arrays(kwargs, layout_of))
    items = answer if isinstance(answer, (tuple, list)) else [answer]
    views: list[Any] = []
    copies = 0
    for item in items:
        if type(item) is not np.ndarray:
            return None
        source = next((array for array in sources if array._layout is item), None)
        if source is not None:
            views.append(source)
            continue
        source = next((array for array in sources if array._holds(item)), None)
        if source is not None:
            views.append(source._view_at(item))
            continue
        owner = next((array for array in theirs if np.may_share_memory(array, item)), None)
        if owner is None:
            copies += 1
            views.append(Strided._of_numpy(item))
        else:
            views.append(Strided._of_numpy(item.view() if item is owner else item, base=owner))
    if copies == len(views):
        return None
    return type(answer)(views) if isinstance(answer, (tuple, list)) else views[0]


def native(op: Op, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return the op's answer in NumPy's types. Raises Unsupported where it cannot, its own error where it
    fails."""
    out = None
    if "out" in kwargs:
        kwargs = dict(kwargs)
        out = kwargs.pop("out")
        if type(out) is tuple:
            if len(out) != 1:
                raise Unsupported(Cause.OUT_NEITHER())
            out = out[0]
        if out is not None and not isinstance(out, Strided):
            raise Unsupported(Cause.NOT_OURS())
    if out is not None:
        if kwargs.get("where", True) is not True and isinstance(function, np.ufunc):
            kwargs["base"] = out
    if out is not None and function in JOINING and kwargs.get("dtype") is None:
        if any(np.may_share_memory(part._layout, out._layout) for part in arrays_in(args)):
            raise Unsupported(Cause.OUT_ON_PART())
        kwargs["dtype"] = out.dtype  # each array is cast to it
        result = compute(op, args, kwargs)
    else:
        result = compute(op, args, kwargs, out)
    dtype = second_dtype_of(function, args, kwargs, result) if out is None else None
    warn = report(function, args, kwargs, result)
    if out is None:
        if warn is not None:
            warn()
        scalar = op.scalar if op.scalars is None else op.scalar_at(*map_arrays((args, kwargs), layout_of))
        answer = wrap(scalar, result, [array._memory for array in arrays_in((args, kwargs))])
        answer = named(lay_out(function, args, kwargs, answer), dtype)
        return answer.item() if op.numbers is not None and op.numbers(args, kwargs) else answer
    casting = kwargs.get("casting", "same_kind")
    dtype = convert.numpy_dtype(result.dtype)
    if "dtype" in op.accepts and kwargs.get("dtype") is None and not isinstance(function, np.ufunc):
        if dtype != out.dtype:
            raise Unsupported(Cause.OUT_OTHER_DTYPE())
    own_rules = function in POSITIONS and out.dtype != dtype
    if function in ROUNDING and dtype.kind in "iu":
        own_rules = (args[1] if len(args) > 1 else kwargs.get("decimals", 0)) < 0
    if own_rules:
        raise Unsupported(Cause.OUT_OWN_RULES())
    if not out._layout.flags.writeable or not np.can_cast(dtype, out.dtype, casting):
        raise Unsupported(Cause.OUT_REFUSED())
    shape = tuple(result.shape)
    if shape != out.shape and not isinstance(function, np.ufunc):
        raise Unsupported(Cause.OUT_REFUSED())
    if np.broadcast_shapes(out.shape, shape) != out.shape:
        raise ValueError("out has another shape: NumPy raises")
    if dtype.kind == "c" and out.dtype.kind not in "cb":
        raise Unsupported(Cause.COMPLEX_DROPPED())
    if warn is not None:
        warn()
    out._write(result)
    return out


def operands(value: Any) -> Any:
    """Return an op's arguments: arrays, NumPy's included, as tensors on our device. Raises Unsupported."""

    def change(item: Any) -> Any:
        if isinstance(item, Strided):
            return item._tensor
        devices = {array._memory.device for array in arrays_in(value)}
        return transfers.to_device(convert.tensor_of(item), devices.pop() if devices else torch.device("cpu"))

    return map_arrays(value, change, (Strided, np.ndarray))


def wrap(scalar: bool, result: Any, inputs: list[torch.Tensor]) -> Any:
    """Return tensors as our arrays, 0-d ones as NumPy scalars if `scalar`; structures of them likewise.

    Where NumPy answered with no view, the answer is new memory, though a body may return its operand.
    """
    if isinstance(result, torch.Tensor):
        if scalar and result.dim() == 0:
            return convert.scalar_of(result)
        result = result.resolve_conj().resolve_neg()
        expanded = any(n > 1 and stride == 0 for n, stride in zip(result.shape, result.stride(), strict=True))
        if expanded or any(overlap(result, item) for item in inputs):
            # Keep the layout that the body chose, unless elements share memory.
            result = result.clone(
                memory_format=torch.contiguous_format if expanded else torch.preserve_format
            )
        return Strided._of_tensor(result)
    if isinstance(result, (tuple, list)):
        items = [wrap(scalar, item, inputs) for item in result]
        return type(result)(*items) if hasattr(result, "_fields") else type(result)(items)
    return result


def host(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], count: bool = True, name: Any = None
) -> Any:
    """Return real NumPy's answer, on the same memory where it is host memory.

    The call is counted (as `name`) unless it raises. Device arrays are copied to the host, and back where
    NumPy wrote into them. Raises ValueError where they lie on several devices.
    """
    apart = {str(array._memory.device) for array in arrays_in((args, kwargs))} - {"cpu"}
    if len(apart) > 1:
        raise ValueError(
            f"{name_of(function if name is None else name)}: its arrays lie on several devices "
            f"({', '.join(sorted(apart))}): move them to one by x.to_device(...)"
        )
    copies: dict[int, tuple[Strided, np.ndarray[Any, Any], np.ndarray[Any, Any]]] = {}

    def on_host(array: Strided) -> np.ndarray[Any, Any]:
        if array._memory.device.type == "cpu":
            return array._layout
        if id(array) not in copies:
            copy = transfers.to_host(array._tensor).numpy()
            copies[id(array)] = array, copy, copy.copy()
        return copies[id(array)][1]

    try:
        answer = function(*map_arrays(args, on_host), **map_arrays(kwargs, on_host))
    except BaseException as error:
        _take_out_ours(error)
        raise
    if count:
        counters.host_calls[name_of(function if name is None else name)] += 1
    for array, now, before in copies.values():
        if now.tobytes() != before.tobytes():
            array._write(transfers.to_device(torch.from_numpy(now), array._memory.device))
    theirs: list[np.ndarray[Any, Any]] = []
    map_arrays((args, kwargs), theirs.append, np.ndarray)
    if any(answer is array for array in theirs):  # out= of NumPy's own
        return answer
    return adopt(answer, arrays_in(args) + arrays_in(kwargs))


def adopt(answer: Any, sources: list[Strided]) -> Any:
    """Return a host call's answer with NumPy arrays made ours: the same array, a view of a source, or a new
    array.

    Arrays that torch cannot hold (other dtypes, subclasses) stay NumPy's.
    """
    if type(answer) is np.ndarray:
        on_cpu = [source for source in sources if source._memory.device.type == "cpu"]
        try:
            for source in on_cpu:
                if source._layout is answer:
                    return source
            for source in on_cpu:
                if source._holds(answer):
                    return source._view_at(answer)
            made = Strided._of_numpy(answer)
        except Unsupported:
            return answer
        devices = {source._memory.device for source in sources}
        if len(devices) == 1 and not on_cpu:
            return Strided._of_tensor(transfers.to_device(made._tensor, devices.pop()))
        return made
    kind = type(answer)
    if kind is tuple or kind is list:
        items = [adopt(item, sources) for item in answer]
        return answer if all(map(operator.is_, items, answer)) else kind(items)
    if isinstance(answer, tuple) and hasattr(answer, "_fields"):
        return kind(*(adopt(item, sources) for item in answer))
    return answer


def layout_of(array: Strided) -> np.ndarray[Any, Any]:
    return array._layout
