"""Example calls of the methods, attributes and operators of arrays: see calls.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Call = Callable[[Any, Any], Any]


def _set(array: Any, name: str, *args: Any) -> Any:
    getattr(array, name)(*args)
    return array


ARRAY: dict[str, tuple[Call, ...]] = {
    "T": (lambda np, x: x.a.T, lambda np, x: x.t.T),
    "argpartition": (lambda np, x: x.k.argpartition(2)[2],),
    "byteswap": (lambda np, x: x.i.byteswap(), lambda np, x: x.f4.byteswap().byteswap()),
    "choose": (lambda np, x: (x.i % 2).choose([x.v, x.w]),),
    "compress": (lambda np, x: x.v.compress(x.m), lambda np, x: x.a.compress([True, False, True], axis=0)),
    "copy": (lambda np, x: x.a.copy(), lambda np, x: x.a.copy("F")),
    "fill": (lambda np, x: _set(x.a, "fill", 2.5), lambda np, x: _set(x.i, "fill", 7)),
    "flat": (lambda np, x: x.a.flat[3:7], lambda np, x: x.a.flat[5], lambda np, x: [*x.i.flat]),
    "imag": (lambda np, x: x.z.imag, lambda np, x: x.v.imag),
    "item": (lambda np, x: x.a.item(5), lambda np, x: x.a.item(1, 2)),
    "mT": (lambda np, x: x.t.mT,),
    "nonzero": (lambda np, x: x.m.nonzero(), lambda np, x: x.mask.nonzero()),
    "partition": (lambda np, x: _set(x.v, "partition", 3)[3],),
    "put": (lambda np, x: _set(x.v, "put", [0, 2], [9.0, 8.0]),),
    "real": (lambda np, x: x.z.real, lambda np, x: x.v.real),
    "resize": (lambda np, x: np.resize(x.v, (2, 2)),),
    "sort": (lambda np, x: _set(x.v, "sort"), lambda np, x: _set(x.a, "sort", 0)),
    "tolist": (lambda np, x: x.a.tolist(), lambda np, x: x.i[2].tolist()),
    "tobytes": (lambda np, x: x.a.tobytes(), lambda np, x: x.a.tobytes("F")),
    "view": (lambda np, x: x.i.view("f8"), lambda np, x: x.f4.view("i4"), lambda np, x: x.a.view()),
    "__abs__": (lambda np, x: abs(x.v), lambda np, x: abs(x.z)),
    "__add__": (lambda np, x: x.v + x.w, lambda np, x: x.u + 3),
    "__and__": (lambda np, x: x.i & 3, lambda np, x: x.m & x.m[::-1]),
    "__bool__": (lambda np, x: bool(x.a.sum() > 0), lambda np, x: bool(x.v[:1])),
    "__complex__": (lambda np, x: complex(x.z[:1].reshape(())),),
    "__contains__": (lambda np, x: 3 in x.i, lambda np, x: 99.0 in x.v),
    "__copy__": (lambda np, x: x.a.__copy__(),),
    "__deepcopy__": (lambda np, x: x.a.__deepcopy__({}),),
    "__divmod__": (lambda np, x: divmod(x.v, x.w), lambda np, x: divmod(x.i, 3)),
    "__eq__": (lambda np, x: x.i == 3, lambda np, x: x.v == x.w),
    "__float__": (lambda np, x: float(x.v[:1].reshape(())),),
    "__floordiv__": (lambda np, x: x.v // x.w, lambda np, x: x.i // 2),
    "__ge__": (lambda np, x: x.v >= x.w, lambda np, x: x.i >= 2),
    "__getitem__": (lambda np, x: x.a[1:, ::2], lambda np, x: x.a[1], lambda np, x: x.v[[0, 3, 3]],
                    lambda np, x: x.v[x.m], lambda np, x: x.a[x.mask], lambda np, x: x.a[[0, 2], 1:3]),
    "__gt__": (lambda np, x: x.v > x.w, lambda np, x: x.i > 2),
    "__iadd__": (lambda np, x: _in(x.v, "__iadd__", x.w), lambda np, x: _in(x.i, "__iadd__", 2)),
    "__iand__": (lambda np, x: _in(x.i, "__iand__", 3),),
    "__ifloordiv__": (lambda np, x: _in(x.v, "__ifloordiv__", x.w),),
    "__ilshift__": (lambda np, x: _in(x.i, "__ilshift__", 2),),
    "__imatmul__": (lambda np, x: _in(x.sq, "__imatmul__", x.spd),),
    "__imod__": (lambda np, x: _in(x.v, "__imod__", x.w),),
    "__imul__": (lambda np, x: _in(x.v, "__imul__", x.w),),
    "__index__": (lambda np, x: [0, 1, 2, 3][x.i[:1].reshape(())],),
    "__int__": (lambda np, x: int(x.v[:1].reshape(())),),
    "__invert__": (lambda np, x: ~x.i, lambda np, x: ~x.m),
    "__ior__": (lambda np, x: _in(x.i, "__ior__", 8),),
    "__ipow__": (lambda np, x: _in(x.w, "__ipow__", 2), lambda np, x: _in(x.w, "__ipow__", 1.5)),
    "__irshift__": (lambda np, x: _in(x.i, "__irshift__", 1),),
    "__isub__": (lambda np, x: _in(x.v, "__isub__", x.w),),
    "__iter__": (lambda np, x: [*x.v], lambda np, x: [*x.a]),
    "__itruediv__": (lambda np, x: _in(x.v, "__itruediv__", x.w),),
    "__ixor__": (lambda np, x: _in(x.i, "__ixor__", 5),),
    "__le__": (lambda np, x: x.v <= x.w, lambda np, x: x.i <= 2),
    "__len__": (lambda np, x: len(x.a),),
    "__lshift__": (lambda np, x: x.i << 2,),
    "__lt__": (lambda np, x: x.v < x.w, lambda np, x: x.i < 2),
    "__matmul__": (lambda np, x: x.sq @ x.a, lambda np, x: x.ss @ x.sq, lambda np, x: x.v @ x.w),
    "__mod__": (lambda np, x: x.v % x.w, lambda np, x: x.i % 3),
    "__mul__": (lambda np, x: x.v * x.w, lambda np, x: x.u * 2),
    "__ne__": (lambda np, x: x.i != 3, lambda np, x: x.v != x.w),
    "__neg__": (lambda np, x: -x.v, lambda np, x: -x.u),
    "__or__": (lambda np, x: x.i | 8, lambda np, x: x.m | x.m[::-1]),
    "__pos__": (lambda np, x: +x.v,),
    "__pow__": (lambda np, x: x.w**2, lambda np, x: x.w**0.3, lambda np, x: x.i**3),
    "__radd__": (lambda np, x: 1 + x.v,),
    "__rand__": (lambda np, x: 6 & x.i,),
    "__rdivmod__": (lambda np, x: divmod(7.0, x.w),),
    "__rfloordiv__": (lambda np, x: 7 // x.w,),
    "__rlshift__": (lambda np, x: 1 << x.i,),
    "__rmatmul__": (lambda np, x: [1.0, 2.0, 3.0] @ x.sq,),
    "__rmod__": (lambda np, x: 7.5 % x.w,),
    "__rmul__": (lambda np, x: 2.5 * x.v,),
    "__ror__": (lambda np, x: 8 | x.i,),
    "__rpow__": (lambda np, x: 2.0**x.v, lambda np, x: 2**x.i),
    "__rrshift__": (lambda np, x: 1000 >> x.i,),
    "__rshift__": (lambda np, x: x.i >> 1,),
    "__rsub__": (lambda np, x: 1 - x.v,),
    "__rtruediv__": (lambda np, x: 1 / x.w,),
    "__rxor__": (lambda np, x: 5 ^ x.i,),
    "__setitem__": (lambda np, x: _put(x.a, 1, 5.0), lambda np, x: _put(x.v, slice(None, None, 2), x.up[:4]),
                    lambda np, x: _put(x.v, [0, 2], [8.0, 9.0]), lambda np, x: _put(x.a, x.mask, 0.5),
                    lambda np, x: _put(x.i, 2, 40)),
    "__sub__": (lambda np, x: x.v - x.w, lambda np, x: x.u - 3),
    "__truediv__": (lambda np, x: x.v / x.w, lambda np, x: x.i / 2),
    "__xor__": (lambda np, x: x.i ^ 5, lambda np, x: x.m ^ x.m[::-1]),
}  # fmt: skip


def _in(array: Any, name: str, other: Any) -> Any:
    return getattr(array, name)(other)


def _put(array: Any, index: Any, value: Any) -> Any:
    array[index] = value
    return array
