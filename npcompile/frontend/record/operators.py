"""Operators, comparisons and truth: on arrays they are ufuncs, on numbers steps that Python does."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum, Flag
from types import UnionType
from typing import Any

import numpy as np
from torch import fx

from npcompile.diagnostics.reason import Cause, Reason
from npcompile.frontend.catalog import purity
from npcompile.frontend.catalog.python_operators import BINARY, COMPARE, INPLACE, UNARY
from npcompile.frontend.graph.builder_values import Unfollowed
from npcompile.frontend.graph.coercions import as_number
from npcompile.frontend.graph.constant_folding import are_constant
from npcompile.frontend.graph.identity import is_nan
from npcompile.frontend.graph.visible_objects import HOLDING
from npcompile.frontend.ops.table import TABLE, TORCH, Op
from npcompile.frontend.program.array_facts import is_array, is_numpy
from npcompile.frontend.program.equality import same_value
from npcompile.frontend.program.guards import (
    DifferentObjects,
    IsNotObject,
    IsObject,
    LengthIs,
    SameObject,
    TruthIs,
)
from npcompile.frontend.program.object_steps import is_plain
from npcompile.frontend.program.signature import NUMBERS
from npcompile.frontend.program.text_steps import percent
from npcompile.frontend.record.recording import Recording
from npcompile.frontend.record.state import SIMPLE, layouts
from npcompile.frontend.rewrite.call_sites import do
from npcompile.lower.plan.attributes import attributes, step_of
from npcompile.nep50 import powers

_ORDERS = frozenset(("<", "<=", ">", ">="))
_BY_VALUE = _ORDERS | {"==", "!="}
_PLAIN_TRUTH: tuple[Any, ...] = (Flag.__bool__, int.__bool__)  # of members of enums
_HOLD = frozenset((tuple, list))
_APART = _HOLD | {*NUMBERS, bool, str, bytes, type(None)}  # none of these is equal to one that holds others


def _are_complex_scalars(a: Any, b: Any) -> bool:
    """Whether a comparison is of complex scalars: NumPy's order them by their real parts also where an
    imaginary part is NaN, which its ufuncs do not."""
    kinds = (complex, np.complexfloating)
    return not is_array(a) and not is_array(b) and (isinstance(a, kinds) or isinstance(b, kinds))


class Operators(Recording):
    """`a + b`, `a += b`, `-a`, `a < b`, `if a`."""

    def _mutated(self, container: Any, result: Any) -> Any:
        """A method of a container: fine on one made inside; one from outside would need a store."""
        if self.builder.tracked.get(container) is not None:
            raise Unfollowed(Cause.CONTAINER_IN_PLACE())
        return result

    def _of_set(self, obj: Any) -> None:
        """The length of a set from outside decides: no signature says it."""
        if type(obj) in (set, frozenset) and (node := self.builder.tracked.node(obj)) is not None:
            self.builder.guard(LengthIs(len(obj)), node)

    def _keys(self, keys: Any, result: Any) -> Any:
        """Which keys of a dict or set are one key is a decision about their values."""
        for key in self.builder.through(keys):
            if type(key) is int and key in self.builder.ids:
                continue
            if is_nan(key):
                raise Unfollowed(Cause.NAN_AS_KEY())
            if id(key) not in self.builder.objects or not is_plain(type(key), "__hash__", "__eq__"):
                self.builder.ref(key, True)
        return result

    def _refuses(self, op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
        if self.builder.devices or self.builder.mapped:
            args, kwargs = layouts(args), layouts(kwargs)
        self.builder.refusal = self.uncompiled.get(op.name) or op.refuses(args, kwargs)
        parts = op.function is np.partition or op.function is np.argpartition
        if parts and not self.inside_numpy and not self.builder.in_library(op, args):
            self.builder.refusal = Cause.NUMPYS_ORDER()
        return self.builder.refusal

    def binary_of_values(self, op: str, a: Any, b: Any) -> Any:
        if self._is_foreign(a) or self._is_foreign(b):
            result = do(BINARY[op], self.builder.tracked.meant(a), self.builder.tracked.meant(b))
        else:
            result = do(BINARY[op], a, b)
        return self.note(self._operator, op, a, b, result) if self.on else result

    def _is_foreign(self, obj: Any) -> bool:
        """Whether an operator of its own may keep what it is given."""
        return not (is_numpy(obj) or type(obj) in NUMBERS or type(obj) in SIMPLE)

    # What nothing but the next hook sees is not followed by identity, and so not confused with its equals.

    def passing(self, op: str, a: Any, b: Any, again: bool) -> Any:
        left = self._passed(a, type(b) is int) if again else None
        if not self.on or type(a) is not int or type(b) is not int:
            return self.binary(op, a, b)
        if left is None and not self.builder.traced(a, b):
            return self.binary(op, a, b)
        result = do(BINARY[op], a, b)
        self.note(self._passing, op, a if left is None else left, b, result)
        return result

    def _passing(self, op: str, a: Any, b: Any, result: Any) -> None:
        refs = (a if isinstance(a, fx.Node) else self.builder.ref(a), self.builder.ref(b))
        self.passed_step = self.builder.number_step(purity.OPERATORS[op], refs, {}, result)

    def _passed(self, value: Any, known: bool) -> fx.Node | None:
        """The step that gave this; not `known`: what is done with it takes what is followed, so it is."""
        step, self.passed_step = self.passed_step, None
        if step is None or known:
            return step
        self.builder.tracked.number(value, step)
        return None

    def compare_passed(self, op: str, a: Any, b: Any) -> Any:
        left = self._passed(a, type(b) in NUMBERS)
        if left is None:
            return self.compare(op, a, b)
        result = do(COMPARE[op], a, b)
        if self.on:
            self.note(self._compare_passed, op, left, b, result)
        return result

    def _compare_passed(self, op: str, left: fx.Node, b: Any, result: Any) -> None:
        step = self.builder.number_step(purity.OPERATORS[op], (left, self.builder.ref(b)), {}, result)
        self.builder.result(step, result)

    def truth_passed(self, value: Any) -> bool:
        step = self._passed(value, True)
        if step is None:
            return self.truth(value)
        result = bool(value)
        if self.on:
            self.note(self.builder.guard, "truth", result, step)
        return result

    def compare_values(self, op: str, a: Any, b: Any) -> Any:
        result = self.compared(op, a, b)
        if op in purity.OPERATORS and self.on:
            return self.note(self._operator, op, a, b, result)
        # The keys of a dict are decided as it is made.
        if op in ("in", "not in") and self.on:
            if is_nan(a) or self.builder.traced(a, *([] if type(b) is dict else [b])):
                self.note(self._contained, op, a, b, result)
        if op in ("is", "is not") and self.on:
            self.note(self._identity, a, b, result)
        return result

    def compared(self, op: str, a: Any, b: Any) -> Any:
        """What Python makes of a comparison: where it asks which they are, of the objects it would have."""
        if op in _BY_VALUE and (is_numpy(a) or type(a) in NUMBERS) and (is_numpy(b) or type(b) in NUMBERS):
            return do(COMPARE[op], a, b)
        meant = self.builder.tracked.meant
        if self.builder.tracked.any_meant and type(b) in HOLDING and op in ("in", "not in") and is_nan(a):
            b = [*map(meant, b)]  # what the function made may hold what stands for others
        return do(COMPARE[op], meant(a), meant(b))

    def _identity(self, a: Any, b: Any, result: bool) -> None:
        """Whether two things are one object is a decision, but for None and the like: their types decide."""
        if any(thing is None or thing is Ellipsis or isinstance(thing, bool | type) for thing in (a, b)):
            return
        if a is b:  # what one step gave, or several if it is a text or a tuple
            self.builder.origin(a)
            return
        tracked = self.builder.tracked
        one, other = (self.builder.origin(thing) or tracked.node(thing) for thing in (a, b))
        if one is other is None:
            return
        if type(a) is type(b) is tuple and (one is None or other is None):
            raise Unfollowed(Cause.IS_ON_TUPLES())  # one is made here, or a literal
        if one is other:
            raise Unfollowed(Cause.IS_ON_TWICE_GIVEN())
        same = tracked.meant(a) is tracked.meant(b)
        if one is None or other is None:
            expected = tracked.meant(a if one is None else b)
            node = other if one is None else one
            assert node is not None
            self.builder.guard(IsObject(expected) if same else IsNotObject(expected), node)
        else:
            self.builder.guard(SameObject() if same else DifferentObjects(), one, other)

    def _contained(self, op: str, a: Any, b: Any, result: bool) -> None:
        raise Unfollowed(Cause.OPERATOR_ON_TRACED(op))

    def _operator(self, op: str, a: Any, b: Any, result: Any) -> Any:
        if op == "%" and type(a) is str and self.builder.traced(b):
            return self._made_text(percent, (a, b), {}, result)  # type: ignore[attr-defined]
        if is_numpy(a) or is_numpy(b):
            if not is_numpy(result):
                if type(a) is complex and type(b) is np.float64:  # a float to Python, whose number it is
                    return self.builder.number(purity.OPERATORS[op], (a, b), {}, result)
                if self.builder.traced(a, b):
                    raise Unfollowed(Cause.OPERATOR(op, type(a).__name__, type(b).__name__))
                return result
            if op == "**" and (fast := self._fast_power(a, b)) is not None:
                return self._ufunc(fast.ufunc, (a, *fast.more), fast.keywords, result)
            if op == "**" and isinstance(result, np.floating) and not is_array(a) and not is_array(b):
                return self._scalar_power(a, b, result)
            if op in _ORDERS and _are_complex_scalars(a, b):
                return self.builder.host(COMPARE[op], (a, b), {}, result)
            return self._ufunc(purity.UFUNCS[op], (a, b), {}, result)
        if isinstance(a, Enum) or isinstance(b, Enum):
            return self._of_members(op, a, b, result)
        if type(a) in (*NUMBERS, bool) and type(b) in (*NUMBERS, bool):
            return self.builder.number(purity.OPERATORS[op], (a, b), {}, result)
        if op in ("==", "!=") and {type(a), type(b)} <= _APART and (type(a) in _HOLD) != (type(b) in _HOLD):
            return result  # decided by their types
        if type(a) in SIMPLE or type(b) in SIMPLE:
            if isinstance(result, list | tuple):
                self._counted(a, b)
            elif self.builder.traced(a, b) and str in (type(a), type(b)):
                raise Unfollowed(Cause.TEXT_DECIDES())
            elif self.builder.traced(a, b):
                raise Unfollowed(Cause.OPERATOR(op, type(a).__name__, type(b).__name__))
            return result
        if op in ("==", "!=") and isinstance(result, bool) and not self.builder.traced(a, b):
            return result  # dtypes, types and the like
        if isinstance(result, UnionType):  # of classes, as they were read
            return result
        raise Unfollowed(Cause.OPERATOR(op, type(a).__name__, type(b).__name__))

    def _of_members(self, op: str, a: Any, b: Any, result: Any) -> Any:
        """Members of enums are decided, and those that are numbers act as these, where their class says
        nothing else."""
        plain = as_number(a), as_number(b)
        if not self.builder.traced(a, b):
            self.builder.constant(result)
        elif all(type(one) in NUMBERS for one in plain) and same_value(purity.OPERATORS[op](*plain), result):
            for one, given in zip(plain, (a, b), strict=True):
                self.builder.constant(one) if one is not given else None
            return self.builder.number(purity.OPERATORS[op], plain, {}, result)
        else:
            raise Unfollowed(Cause.OPERATOR(op, type(a).__name__, type(b).__name__))
        return result

    def _counted(self, *operands: Any) -> None:
        """What lies in lists and tuples that are joined is to be known; how often one is repeated is decided
        by value."""
        for operand in operands:
            self.builder.tight(operand)
            if type(operand) in NUMBERS:
                self.builder.ref(operand, True)

    def _ufunc(self, ufunc: np.ufunc, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> Any:
        op = TABLE.of(ufunc)
        if op is None or self._refuses(op, args, kwargs) is not None:
            return self.builder.host(ufunc, args, kwargs, result)
        return self.builder.op(op, args, kwargs, result)

    def inplace_values(self, op: str, a: Any, b: Any) -> Any:
        if is_array(a) and self.on:
            known = self.builder.tracked.node(a)
            before = self._ref_or_stop(b)
            result = do(INPLACE[op], a, b)
            if known is not None and before is not None:
                self.note(self._inplace, op, a, b, result)
            elif known is None:
                self.stop(Cause.IN_PLACE_UNKNOWN())
            return result
        if type(a) in (*NUMBERS, bool, str, tuple) or isinstance(a, np.generic):
            return self.binary(op, a, b)
        result = do(INPLACE[op], a, b)
        if self.on:
            if type(a) is list:
                self.note(self._mutated, a, result)
                self.note(self._counted, b, result)
            else:
                self.stop(Cause.OPERATOR_IN_PLACE(op, type(a).__name__))
        return result

    def _ref_or_stop(self, obj: Any) -> Any:
        try:
            self.builder.ref(obj)
            return True
        except Unfollowed as unfollowed:
            self.stop(unfollowed.reason)
            return None

    def _fast_power(self, a: Any, b: Any, inplace: bool = False) -> powers.Fast | None:
        """What NumPy does for a power if `np.power` answers otherwise; exponents that decide are guarded."""
        if not is_array(a) or (is_array(b) and (b.ndim or not powers.SCALARS)):
            return None
        node, kind = self.builder.tracked.node(b), type(b)
        if a.dtype.kind == "c" and kind in NUMBERS:
            if node is not None:
                self.builder.decide(node, b)  # each exponent is done its own way
        elif node is not None and (kind in (int, float) or is_numpy(b)):
            of: Any = kind if kind in (int, float) else b.dtype
            for value in powers.deciding_exponents(a.dtype, of, is_array(b), inplace):
                if inplace and is_array(b):
                    raise Unfollowed(Cause.POWER_IN_PLACE())  # what it was is unknown
                self._decide_equal(b, value.item() if is_numpy(value) else value)
        fast = powers.fast_if_different(a.dtype, np.array(b.item(), b.dtype) if is_array(b) else b, inplace)
        if fast is not None:
            self.builder.constant(fast.more)
        return fast

    def _scalar_power(self, a: Any, b: Any, result: np.floating[Any]) -> Any:
        """A power of NumPy scalars, where no exponent stands for a square root as it may for `np.power`."""
        if not powers.takes_square_root(result.dtype) or not (self.builder.traced(b) or b == 0.5):
            return self._ufunc(np.power, (a, b), {}, result)
        if isinstance(result, np.float64):
            return self._ufunc(np.float_power, (a, b), {}, result)
        return self.builder.host(BINARY["**"], (a, b), {}, result)

    def _decide_equal(self, traced: Any, value: Any) -> None:
        """Guard whether a traced number, or a 0-d array, is this number."""
        value = self.builder.tracked.stand(value)
        self.builder.constant(value)
        equal = self._operator("==", traced, value, traced == value)
        if type(equal) is not bool:
            self._truth(equal, bool(equal))

    def _inplace(self, op: str, a: Any, b: Any, result: Any) -> Any:
        if op == "**" and (fast := self._fast_power(a, b, True)) is not None:
            args, entry = (a, *fast.more), TABLE.of(fast.ufunc)
            if entry is None or self._refuses(entry, args, fast.keywords) is not None:
                self.builder.instead(fast.ufunc, args, a)
            else:
                self._write_back(entry, args, fast.keywords, a)
            return result
        ufunc = purity.UFUNCS[op]
        entry = TABLE.of(ufunc)
        if entry is None or self._refuses(entry, (a, b), {}) is not None:
            self.builder.instead(ufunc, (a, b), a)
            return result
        self._write_back(entry, (a, b), {}, a)
        return result

    def _write_back(self, op: Op, args: tuple[Any, ...], kwargs: dict[str, Any], dst: Any) -> None:
        """Note `dst[...] = op(*args)` (NumPy has carried it out already)."""
        builder = self.builder
        if not builder.in_library(op, args):
            args = builder.even(args)
        refs, named = builder.operands(op, args, kwargs, dst)
        value = builder.value(dst).renewed(builder.roots.new(), dst.shape, None)
        library = builder.in_library(op, args)
        if library and isinstance(op.function, np.ufunc):  # others take no `out` of another dtype
            value = replace(
                value, dtype=TORCH.get(np.result_type(*(item for item in layouts(args) if is_numpy(item))))
            )
        node = builder.add("library" if library else "op", op, refs, named, value)
        attributes(node).broadcast = True  # its own shape may be less than that of what it is written to
        builder.write(dst, node)

    def unary_of_value(self, op: str, a: Any) -> Any:
        result = do(UNARY[op], a)
        return self.note(self._unary, op, a, result) if self.on else result

    def _unary(self, op: str, a: Any, result: Any) -> Any:
        if is_numpy(a):
            return self._ufunc(purity.UNARY_UFUNCS[op], (a,), {}, result)
        if type(a) in (*NUMBERS, bool):
            return self.builder.number(UNARY[op], (a,), {}, result)
        if isinstance(a, Enum) and not self.builder.traced(a):
            self.builder.constant(result)
            return result
        raise Unfollowed(Cause.UNARY(op, type(a).__name__))

    def truth_of_value(self, x: Any) -> bool:
        result = bool(x)
        if self.on and type(x) is not bool:
            self.note(self._truth, x, result)
        return result

    def _has_one_type(self, x: Any) -> bool:
        """Whether the type of an object is decided, and its truth with it where its class does not say."""
        node = self.builder.tracked.node(x)
        return callable(x) or (node is not None and step_of(node) in ("input", "read"))

    def _truth(self, x: Any, result: bool) -> None:
        if self.inside_numpy and is_numpy(x) and are_constant(self.builder, [x]):
            return
        if is_numpy(x) or type(x) in NUMBERS:
            ref = self.builder.ref(x)
            if ref is not x:
                self.builder.guard(TruthIs(result), ref)
        elif type(x) is str and self.builder.traced(x):
            raise Unfollowed(Cause.TEXT_DECIDES())
        elif type(x) in (*SIMPLE, np.dtype):
            self._of_set(x)
        elif isinstance(x, Enum) and type(x).__bool__ in _PLAIN_TRUTH and not self.builder.traced(x):
            pass  # a member of a set of flags, decided as other members are
        elif hasattr(type(x), "__bool__") or hasattr(type(x), "__len__") or not self._has_one_type(x):
            raise Unfollowed(Cause.TRUTH(type(x).__name__))
