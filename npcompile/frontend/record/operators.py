"""Operators, comparisons and truth become steps: ufuncs on arrays, Python's own operators on numbers.

The registry lists these handlers after those of other types; `recorder` names three other functions as hooks.
`calls`, `attribute_notes` and `numpy_inlining` use the notes of ufuncs. Python does each operation on the
live objects before it is noted. A truth, and the identity of two objects, become guards.
"""

from __future__ import annotations

from dataclasses import replace
from enum import Enum, Flag
from types import NoneType, UnionType, WrapperDescriptorType
from typing import Any

import numpy as np
from torch import fx

from npcompile.diagnostics.reason import Cause, Reason
from npcompile.frontend.catalog import purity
from npcompile.frontend.catalog.foreign_arrays import reason_among
from npcompile.frontend.catalog.python_operators import BINARY, COMPARE, INPLACE, UNARY
from npcompile.frontend.graph.coercions import as_number
from npcompile.frontend.graph.constant_folding import are_constant
from npcompile.frontend.graph.identity import is_nan
from npcompile.frontend.graph.unfollowed import Unfollowed
from npcompile.frontend.graph.visible_objects import HOLDING
from npcompile.frontend.ops.table import TABLE, TORCH, Op
from npcompile.frontend.program.array_facts import is_array, is_numpy, layouts
from npcompile.frontend.program.equality import same_value
from npcompile.frontend.program.guards import (
    DifferentObjects,
    IsNotObject,
    IsObject,
    SameObject,
    TruthIs,
)
from npcompile.frontend.program.object_steps import class_attribute
from npcompile.frontend.program.signature import NUMBERS
from npcompile.frontend.program.text_steps import percent
from npcompile.frontend.record.container_keys import decide_length_of_set, note_mutation
from npcompile.frontend.record.formatting import note_text
from npcompile.frontend.record.recording import Recording
from npcompile.frontend.record.special_methods import NAMES
from npcompile.frontend.record.state import SIMPLE
from npcompile.frontend.rewrite.call_sites import do
from npcompile.lower.plan.attributes import attributes, step_of
from npcompile.nep50 import powers

_ORDERS = frozenset(("<", "<=", ">", ">="))
_BY_VALUE = _ORDERS | {"==", "!="}
_PLAIN_TRUTH: tuple[Any, ...] = (Flag.__bool__, int.__bool__)  # of enum members: decided with them
_HOLD = frozenset((tuple, list))
_APART = _HOLD | {*NUMBERS, bool, str, bytes, type(None)}  # a list or tuple equals none of the others


def _are_complex_scalars(a: Any, b: Any) -> bool:
    """Return True if two operands are scalars, one of them complex.

    NumPy orders such scalars by their real parts even where an imaginary part is NaN; its ufuncs do not.
    """
    kinds = (complex, np.complexfloating)
    return not is_array(a) and not is_array(b) and (isinstance(a, kinds) or isinstance(b, kinds))


def refusal_of(recording: Recording, op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
    """Return the reason for which an op does not do a call, None if it does; the builder keeps it, too."""
    if recording.builder.devices or recording.builder.mapped:
        args, kwargs = layouts(args), layouts(kwargs)
    recording.builder.refusal = recording.uncompiled.get(op.name) or op.refuses(args, kwargs)
    parts = op.function is np.partition or op.function is np.argpartition
    if parts and not recording.inside_numpy and not recording.builder.in_library(op, args):
        recording.builder.refusal = Cause.NUMPYS_ORDER()
    return recording.builder.refusal


def binary_of_values(recording: Recording, op: str, a: Any, b: Any) -> Any:
    """Do a binary operator, and note it."""
    if _is_foreign(recording, a) or _is_foreign(recording, b):
        result = do(BINARY[op], recording.builder.tracked.meant(a), recording.builder.tracked.meant(b))
    else:
        result = do(BINARY[op], a, b)
    return recording.note(note_operator, recording, op, a, b, result) if recording.on else result


def _is_foreign(recording: Recording, obj: Any) -> bool:
    """Return True if an operator of the object's own may keep the other operand."""
    return not (is_numpy(obj) or type(obj) in NUMBERS or type(obj) in SIMPLE)


# In `(a % b) == c`, only the hook of `==` sees `a % b`. Its step is handed on in `passed_step`; the number is
# not followed by identity: CPython has one object for equal small ints.


def passing(recording: Recording, op: str, a: Any, b: Any, again: bool) -> Any:
    """Do `a op b` for the next hook alone. again: `a` has come from this hook, too."""
    left = _take_passed(recording, a, type(b) is int) if again else None
    if not recording.on or type(a) is not int or type(b) is not int:
        return recording.binary(op, a, b)
    if left is None and not recording.builder.traced(a, b):
        return recording.binary(op, a, b)
    result = do(BINARY[op], a, b)
    recording.note(_note_passing, recording, op, a if left is None else left, b, result)
    return result


def _note_passing(recording: Recording, op: str, a: Any, b: Any, result: Any) -> None:
    """Note an operator on ints, and keep its step for the next hook."""
    refs = (a if isinstance(a, fx.Node) else recording.builder.ref(a), recording.builder.ref(b))
    recording.passed_step = recording.builder.number_step(purity.OPERATORS[op], refs, {}, result)


def _take_passed(recording: Recording, value: Any, known: bool) -> fx.Node | None:
    """Return the step of a value that `passing` has given, None if there is none.

    known: the caller goes on with the step. Otherwise the value is followed from here on.
    """
    step, recording.passed_step = recording.passed_step, None
    if step is None or known:
        return step
    recording.builder.tracked.number(value, step)
    return None


def compare_passed(recording: Recording, op: str, a: Any, b: Any) -> Any:
    """Compare a number that `passing` has given."""
    left = _take_passed(recording, a, type(b) in NUMBERS)
    if left is None:
        return recording.compare(op, a, b)
    result = do(COMPARE[op], a, b)
    if recording.on:
        recording.note(_note_compare_passed, recording, op, left, b, result)
    return result


def _note_compare_passed(recording: Recording, op: str, left: fx.Node, b: Any, result: Any) -> None:
    """Note the comparison of a step's number, whose result is followed."""
    step = recording.builder.number_step(purity.OPERATORS[op], (left, recording.builder.ref(b)), {}, result)
    recording.builder.result(step, result)


def truth_passed(recording: Recording, value: Any) -> bool:
    """Decide on a number that `passing` has given."""
    step = _take_passed(recording, value, True)
    if step is None:
        return recording.truth(value)
    result = bool(value)
    if recording.on:
        recording.note(recording.builder.guard, TruthIs(result), step)
    return result


def compare_values(recording: Recording, op: str, a: Any, b: Any) -> Any:
    """Do a comparison, `in` or `is`, and note it."""
    result = compare_meant(recording, op, a, b)
    if op in purity.OPERATORS and recording.on:
        return recording.note(note_operator, recording, op, a, b, result)
    # The keys of a dict are decided when it is made, so that `a` alone matters.
    if op in ("in", "not in") and recording.on:
        if is_nan(a) or recording.builder.traced(a, *([] if type(b) is dict else [b])):
            recording.note(_note_contained, recording, op, a, b, result)
    if op in ("is", "is not") and recording.on:
        recording.note(_note_identity, recording, a, b, result)
    return result


def compare_meant(recording: Recording, op: str, a: Any, b: Any) -> Any:
    """Do a comparison as Python would: where identity matters, stand-ins give way to their numbers."""
    if op in _BY_VALUE and (is_numpy(a) or type(a) in NUMBERS) and (is_numpy(b) or type(b) in NUMBERS):
        return do(COMPARE[op], a, b)
    meant = recording.builder.tracked.meant
    if recording.builder.tracked.any_meant and type(b) in HOLDING and op in ("in", "not in") and is_nan(a):
        b = [*map(meant, b)]  # the container may hold stand-ins
    return do(COMPARE[op], meant(a), meant(b))


def _note_identity(recording: Recording, a: Any, b: Any, result: bool) -> None:
    """Guard that two objects are one, or are two.

    None, the ellipsis, bools and classes need no guard: types decide.
    """
    if any(thing is None or thing is Ellipsis or isinstance(thing, bool | type) for thing in (a, b)):
        return
    if a is b:  # `origin` guards that a text or tuple of several steps is one
        recording.builder.origin(a)
        return
    tracked = recording.builder.tracked
    one, other = (recording.builder.origin(thing) or tracked.node(thing) for thing in (a, b))
    if one is other is None:
        return
    if type(a) is type(b) is tuple and (one is None or other is None):
        raise Unfollowed(Cause.IS_ON_TUPLES())  # one of them is made inside, or is a literal
    if one is other:
        raise Unfollowed(Cause.IS_ON_TWICE_GIVEN())
    same = tracked.meant(a) is tracked.meant(b)
    if one is None or other is None:
        expected = tracked.meant(a if one is None else b)
        node = other if one is None else one
        assert node is not None
        recording.builder.guard(IsObject(expected) if same else IsNotObject(expected), node)
    else:
        recording.builder.guard(SameObject() if same else DifferentObjects(), one, other)


def _note_contained(recording: Recording, op: str, a: Any, b: Any, result: bool) -> None:
    """Raise Unfollowed: no step does `in` or `not in` on traced values."""
    raise Unfollowed(Cause.OPERATOR_ON_TRACED(op))


def note_operator(recording: Recording, op: str, a: Any, b: Any, result: Any) -> Any:
    """Note a binary operator or a comparison that Python has done; return what to hand on."""
    if op == "%" and type(a) is str and recording.builder.traced(b):
        return note_text(recording, percent, (a, b), {}, result)
    if is_numpy(a) or is_numpy(b):
        if not is_numpy(result):
            if type(a) is complex and type(b) is np.float64:  # a `float` to Python, which computes this
                return recording.builder.number(purity.OPERATORS[op], (a, b), {}, result)
            if recording.builder.traced(a, b):
                raise Unfollowed(reason_among(a, b) or Cause.OPERATOR(op, type(a).__name__, type(b).__name__))
            return result
        if op == "**" and (fast := _fast_power(recording, a, b)) is not None:
            return note_ufunc(recording, fast.ufunc, (a, *fast.more), fast.keywords, result)
        if op == "**" and isinstance(result, np.floating) and not is_array(a) and not is_array(b):
            return _scalar_power(recording, a, b, result)
        if op in _ORDERS and _are_complex_scalars(a, b):
            return recording.builder.host(COMPARE[op], (a, b), {}, result)
        return note_ufunc(recording, purity.UFUNCS[op], (a, b), {}, result)
    if isinstance(a, Enum) or isinstance(b, Enum):
        return _of_members(recording, op, a, b, result)
    if type(a) in (*NUMBERS, bool) and type(b) in (*NUMBERS, bool):
        return recording.builder.number(purity.OPERATORS[op], (a, b), {}, result)
    if op in ("==", "!=") and {type(a), type(b)} <= _APART and (type(a) in _HOLD) != (type(b) in _HOLD):
        return result  # decided by their types
    if type(a) in SIMPLE or type(b) in SIMPLE:
        if isinstance(result, list | tuple):
            _note_counted(recording, a, b)
        elif recording.builder.traced(a, b) and str in (type(a), type(b)):
            raise Unfollowed(Cause.TEXT_DECIDES())
        elif recording.builder.traced(a, b):
            raise Unfollowed(reason_among(a, b) or Cause.OPERATOR(op, type(a).__name__, type(b).__name__))
        return result
    if op in ("==", "!=") and isinstance(result, bool) and not recording.builder.traced(a, b):
        return result  # dtypes, types and the like
    if isinstance(result, UnionType):  # `int | str`, of classes that were read
        return result
    raise Unfollowed(reason_among(a, b) or Cause.OPERATOR(op, type(a).__name__, type(b).__name__))


def _of_members(recording: Recording, op: str, a: Any, b: Any, result: Any) -> Any:
    """Note an operator on members of enums, which are decided: a constant, or an operator on their numbers.

    A member that is a number acts as this number unless its class says otherwise.
    """
    plain = as_number(a), as_number(b)
    if not recording.builder.traced(a, b):
        recording.builder.constant(result)
    elif all(type(one) in NUMBERS for one in plain) and same_value(purity.OPERATORS[op](*plain), result):
        for one, given in zip(plain, (a, b), strict=True):
            recording.builder.constant(one) if one is not given else None
        return recording.builder.number(purity.OPERATORS[op], plain, {}, result)
    else:
        raise Unfollowed(reason_among(a, b) or Cause.OPERATOR(op, type(a).__name__, type(b).__name__))
    return result


def _note_counted(recording: Recording, *operands: Any) -> None:
    """Note the operands of a `+` or `*` of lists or tuples.

    The items of a list or tuple must be known; the number of repeats is decided.
    """
    for operand in operands:
        recording.builder.tight(operand)
        if type(operand) in NUMBERS:
            recording.builder.ref(operand, True)


def note_ufunc(
    recording: Recording, ufunc: np.ufunc, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any
) -> Any:
    """Note a ufunc: an op if one does the call, else a host call."""
    op = TABLE.of(ufunc)
    if op is None or refusal_of(recording, op, args, kwargs) is not None:
        return recording.builder.host(ufunc, args, kwargs, result)
    return recording.builder.op(op, args, kwargs, result)


def inplace_values(recording: Recording, op: str, a: Any, b: Any) -> Any:
    """Do an operator in place, and note it."""
    if is_array(a) and recording.on:
        known = recording.builder.tracked.node(a)
        before = _ref_or_stop(recording, b)
        result = do(INPLACE[op], a, b)
        if known is not None and before is not None:
            recording.note(_note_inplace, recording, op, a, b, result)
        elif known is None:
            recording.stop(Cause.IN_PLACE_UNKNOWN())
        return result
    if recording.on and (type(a) in (*NUMBERS, bool, str, tuple) or isinstance(a, np.generic)):
        return _replaced(recording, op, a, b)
    result = do(INPLACE[op], a, b)
    if recording.on:
        if type(a) is list:
            recording.note(note_mutation, recording, a, result)
            recording.note(_note_counted, recording, b, result)
        else:
            recording.stop(Cause.OPERATOR_IN_PLACE(op, type(a).__name__))
    return result


def _replaced(recording: Recording, op: str, a: Any, b: Any) -> Any:
    """Do an operator in place on a value that cannot change, which is the operator itself but for its errors.

    Python's TypeError names the operator as it is written (`+=`). So an operator that Python does not have
    for these is done once more, in place, unless that may call a method of the user's again.
    """
    try:
        return recording.binary(op, a, b)
    except TypeError as error:
        if not str(error).startswith(f"unsupported operand type(s) for {op}") or _may_call_users(op, a, b):
            raise
    return do(INPLACE[op], a, b)


def _may_call_users(op: str, a: Any, b: Any) -> bool:
    """Tell if an operator on a value that cannot change may call a method of the user's."""
    if isinstance(b, np.ndarray):  # of objects
        return True
    if isinstance(a, np.generic):  # NumPy makes an array of another operand
        return type(b) not in (*NUMBERS, bool, str, NoneType) and not isinstance(b, np.generic)
    method = class_attribute(type(b), f"__r{NAMES[op]}__")
    return method is not None and not isinstance(method, WrapperDescriptorType)


def _ref_or_stop(recording: Recording, obj: Any) -> Any:
    """Return True if an object can be an argument of a step; else end the recording and return None."""
    try:
        recording.builder.ref(obj)
        return True
    except Unfollowed as unfollowed:
        recording.stop(unfollowed.reason)
        return None


def _fast_power(recording: Recording, a: Any, b: Any, inplace: bool = False) -> powers.Fast | None:
    """Return the operation that NumPy does in place of `np.power`, if the answers differ; else None.

    An exponent that selects the operation is guarded.
    """
    if not is_array(a) or (is_array(b) and (b.ndim or not powers.SCALARS)):
        return None
    node, kind = recording.builder.tracked.node(b), type(b)
    if a.dtype.kind == "c" and kind in NUMBERS:
        if node is not None:
            recording.builder.decide(node, b)  # NumPy has an operation for each
    elif node is not None and (kind in (int, float) or is_numpy(b)):
        of: Any = kind if kind in (int, float) else b.dtype
        for value in powers.deciding_exponents(a.dtype, of, is_array(b), inplace):
            if inplace and is_array(b):
                raise Unfollowed(Cause.POWER_IN_PLACE())  # its value before the operation is unknown
            _decide_equal(recording, b, value.item() if is_numpy(value) else value)
    fast = powers.fast_if_different(a.dtype, np.array(b.item(), b.dtype) if is_array(b) else b, inplace)
    if fast is not None:
        recording.builder.constant(fast.more)
    return fast


def _scalar_power(recording: Recording, a: Any, b: Any, result: np.floating[Any]) -> Any:
    """Note a power of NumPy scalars, where no exponent stands for a square root as it may for `np.power`."""
    if not powers.takes_square_root(result.dtype) or not (recording.builder.traced(b) or b == 0.5):
        return note_ufunc(recording, np.power, (a, b), {}, result)
    if isinstance(result, np.float64):
        return note_ufunc(recording, np.float_power, (a, b), {}, result)
    return recording.builder.host(BINARY["**"], (a, b), {}, result)


def _decide_equal(recording: Recording, traced: Any, value: Any) -> None:
    """Guard that a traced number, or a 0-d array, is this number, or that it is not."""
    value = recording.builder.tracked.stand(value)
    recording.builder.constant(value)
    equal = note_operator(recording, "==", traced, value, traced == value)
    if type(equal) is not bool:
        _note_truth(recording, equal, bool(equal))


def _note_inplace(recording: Recording, op: str, a: Any, b: Any, result: Any) -> Any:
    """Note an operator in place, which NumPy has done, as a store of its result over the array."""
    if op == "**" and (fast := _fast_power(recording, a, b, True)) is not None:
        args, entry = (a, *fast.more), TABLE.of(fast.ufunc)
        if entry is None or refusal_of(recording, entry, args, fast.keywords) is not None:
            recording.builder.instead(fast.ufunc, args, a)
        else:
            write_back(recording, entry, args, fast.keywords, a)
        return result
    ufunc = purity.UFUNCS[op]
    entry = TABLE.of(ufunc)
    if entry is None or refusal_of(recording, entry, (a, b), {}) is not None:
        recording.builder.instead(ufunc, (a, b), a)
        return result
    write_back(recording, entry, (a, b), {}, a)
    return result


def write_back(recording: Recording, op: Op, args: tuple[Any, ...], kwargs: dict[str, Any], dst: Any) -> None:
    """Note `dst[...] = op(*args)`, which NumPy has done."""
    builder = recording.builder
    if not builder.in_library(op, args):
        args = builder.even(args)
    refs, named = builder.operands(op, args, kwargs, dst)
    value = builder.value(dst).renewed(builder.roots.new(), dst.shape, None)
    library = builder.in_library(op, args)
    if library and isinstance(op.function, np.ufunc):  # only ufuncs take an `out` of another dtype
        value = replace(
            value, dtype=TORCH.get(np.result_type(*(item for item in layouts(args) if is_numpy(item))))
        )
    node = builder.add("library" if library else "op", op, refs, named, value)
    attributes(node).broadcast = True  # its shape may be smaller than that of `dst`
    builder.write(dst, node)


def unary_of_value(recording: Recording, op: str, a: Any) -> Any:
    """Do a unary operator, and note it."""
    result = do(UNARY[op], a)
    return recording.note(_note_unary, recording, op, a, result) if recording.on else result


def _note_unary(recording: Recording, op: str, a: Any, result: Any) -> Any:
    """Note a unary operator that Python has done; return what to hand on."""
    if is_numpy(a):
        return note_ufunc(recording, purity.UNARY_UFUNCS[op], (a,), {}, result)
    if type(a) in (*NUMBERS, bool):
        return recording.builder.number(UNARY[op], (a,), {}, result)
    if isinstance(a, Enum) and not recording.builder.traced(a):
        recording.builder.constant(result)
        return result
    raise Unfollowed(reason_among(a) or Cause.UNARY(op, type(a).__name__))


def truth_of_value(recording: Recording, x: Any) -> bool:
    """Return the truth of a value, and guard it."""
    result = bool(x)
    if recording.on and type(x) is not bool:
        recording.note(_note_truth, recording, x, result)
    return result


def _has_one_type(recording: Recording, x: Any) -> bool:
    """Return True if an object's type is decided, and with the type its truth, where the class does not
    define it."""
    node = recording.builder.tracked.node(x)
    return callable(x) or (node is not None and step_of(node) in ("input", "read"))


def _note_truth(recording: Recording, x: Any, result: bool) -> None:
    """Guard the truth of a value; raise Unfollowed where code of its class may decide it."""
    if recording.inside_numpy and is_numpy(x) and are_constant(recording.builder, [x]):
        return
    if is_numpy(x) or type(x) in NUMBERS:
        ref = recording.builder.ref(x)
        if isinstance(ref, fx.Node):
            recording.builder.guard(TruthIs(result), ref)
    elif type(x) is str and recording.builder.traced(x):
        raise Unfollowed(Cause.TEXT_DECIDES())
    elif type(x) in (*SIMPLE, np.dtype):
        decide_length_of_set(recording, x)
    elif isinstance(x, Enum) and type(x).__bool__ in _PLAIN_TRUTH and not recording.builder.traced(x):
        pass  # a member is decided
    elif hasattr(type(x), "__bool__") or hasattr(type(x), "__len__") or not _has_one_type(recording, x):
        raise Unfollowed(Cause.TRUTH(type(x).__name__))
