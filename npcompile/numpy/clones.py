"""Clones of NumPy's own Python functions, which run on our arrays: their global names stand for our
functions.

A clone has the very code of NumPy's function. What differs are its global names: modules, functions, ufuncs
and the array type are ours, and NumPy's private helpers are cloned in turn.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy

from npcompile.frontend.catalog.inlinable import CALLBACKS, INLINABLE, NAN_STATISTICS
from npcompile.frontend.eager import convert, data_dependent, dispatch, errstate
from npcompile.frontend.eager.ndarray import ndarray
from npcompile.frontend.ops import numpy_private
from npcompile.frontend.ops.table import Unsupported
from npcompile.numpy import creation, rows
from npcompile.numpy.converter import ArrayConverter
from npcompile.numpy.wrappers import Fact, Function, ufunc

_MODULES_KEPT = (numpy.ma, numpy.testing, numpy.exceptions, numpy.dtypes)
_FACTS = (
    *(numpy.shape, numpy.ndim, numpy.size, numpy.result_type, numpy.can_cast, numpy.promote_types),
    *(numpy.min_scalar_type, numpy.common_type, numpy.iscomplexobj, numpy.isrealobj, numpy.isscalar),
    *(numpy.issubdtype, numpy.isdtype, numpy.iterable, numpy.isfortran, numpy.broadcast_shapes),
    *(numpy.may_share_memory, numpy.shares_memory, numpy.array_repr, numpy.array_str, numpy.array2string),
    *(numpy.typename, numpy.mintypecode),
)
_CLASSES = (
    *(type(numpy.mgrid), type(numpy.ogrid), *type(numpy.mgrid).__bases__),
    *(type(numpy.r_), type(numpy.c_), *type(numpy.r_).__bases__),
    *(numpy.poly1d, numpy.vectorize),
    *(numpy.polynomial.Polynomial, numpy.polynomial.Chebyshev, numpy.polynomial.Legendre),
    *(numpy.polynomial.Hermite, numpy.polynomial.HermiteE, numpy.polynomial.Laguerre),
    *numpy.polynomial.Polynomial.__bases__,
)


def _correlate(a: Any, v: Any, mode: Any) -> Any:
    """Slide one row along another as NumPy's C code does, without a conjugate."""
    return dispatch.call(numpy.convolve, (a, v[::-1], mode), {})


def _inverse(a: Any, **kwargs: Any) -> Any:
    """Invert matrices as NumPy's C code does; where one has no inverse it gives NaN, and NumPy is asked."""
    try:
        return dispatch.call(numpy.linalg.inv, (a,), {})
    except numpy.linalg.LinAlgError:
        return dispatch.host(numpy_private.INVERSE, (a,), kwargs)


# The id of a NumPy object -> ours. An object that is missing here is added when a clone first names it.
_ours: dict[int, Any] = {
    id(numpy.ndarray): ndarray,
    id(numpy.array): creation.array,
    id(numpy.asarray): creation.asarray,
    id(numpy.asanyarray): creation.asanyarray,
    id(numpy.ascontiguousarray): creation.ascontiguousarray,
    id(numpy.asfortranarray): creation.asfortranarray,
    id(numpy_private.ARRAY_CONVERTER): ArrayConverter,
    id(numpy_private.CORRELATE): _correlate,
    id(numpy_private.INVERSE): _inverse,
    **{
        id(helper): lambda *_, **__: NotImplemented for helper in numpy_private.UNIQUE_HASH
    },  # sorting does it
    **{id(function): Fact(function) for function in _FACTS},
    **{id(item): item for item in (*_MODULES_KEPT, *numpy_private.OF_NO_ARRAY)},
}
_kept: list[Any] = []  # objects that `_ours` knows by their ids must live on
_classes = {id(item) for item in _CLASSES}
_clones: dict[int, types.FunctionType] = {}  # id of NumPy's Python function -> its clone
_spaces: dict[int, dict[str, Any]] = {}  # id of a NumPy module's globals -> those of its clones


class Namespace:
    """A NumPy module as clones see it."""

    def __init__(self, real: types.ModuleType) -> None:
        self._real = real

    def __getattr__(self, name: str) -> Any:
        found = ours(getattr(self._real, name))
        self.__dict__[name] = found
        return found


def ours(obj: Any) -> Any:
    """Return the object that stands for a NumPy object in a clone; the object itself if it is not NumPy's."""
    if id(obj) in _ours:
        return _ours[id(obj)]
    made = _made(obj)
    if made is not obj:
        _kept.append(obj)
        _ours[id(obj)] = made
    return made


def _made(obj: Any) -> Any:
    if isinstance(obj, types.ModuleType):
        return Namespace(obj) if _is_numpys(obj.__name__) else obj
    if isinstance(obj, numpy.ufunc):
        return ufunc(obj)
    if isinstance(obj, numpy_private.DISPATCHER):
        return Function(obj)
    if isinstance(obj, types.FunctionType):
        if id(obj) in dispatch.composed:
            return Function(obj)
        return clone(obj) if _is_numpys(obj.__module__) else obj
    if isinstance(obj, types.BuiltinFunctionType):
        return Function(numpy_private.public(obj)) if _is_numpys(obj.__module__) else obj
    if isinstance(obj, type):
        return _class(obj) if id(obj) in _classes else obj
    if type(obj) is dict and any(isinstance(item, (dict, *_CALLABLE)) for item in obj.values()):
        return {key: ours(item) for key, item in obj.items()}
    return obj


_CALLABLE = (types.FunctionType, numpy.ufunc, numpy_private.DISPATCHER)


def _is_numpys(module: str | None) -> bool:
    return module is not None and (module == "numpy" or module.startswith("numpy."))


def clone(fn: types.FunctionType) -> types.FunctionType:
    """Return the function with the same code on our names; helpers that it calls are cloned with it."""
    if id(fn) in _clones:
        return _clones[id(fn)]
    space = _spaces.setdefault(
        id(fn.__globals__),
        {name: fn.__globals__[name] for name in ("__builtins__", "__name__", "__package__", "__spec__")},
    )
    cells = tuple([types.CellType() for _ in fn.__closure__ or ()])
    made = types.FunctionType(fn.__code__, space, fn.__name__, None, cells)
    _kept.append(fn)
    _clones[id(fn)] = made  # before its helpers, which may call it
    made.__defaults__ = None if fn.__defaults__ is None else tuple([ours(item) for item in fn.__defaults__])
    made.__kwdefaults__ = {key: ours(item) for key, item in (fn.__kwdefaults__ or {}).items()}
    made.__qualname__, made.__module__, made.__doc__ = fn.__qualname__, fn.__module__, fn.__doc__
    for cell, theirs in zip(cells, fn.__closure__ or (), strict=True):
        cell.cell_contents = ours(theirs.cell_contents)
    for name in _names(fn.__code__):
        if name not in space and name in fn.__globals__:
            space[name] = ours(fn.__globals__[name])
    return made


def _names(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)


def _class(real: type) -> type:
    """Return a Python class of NumPy's over our arrays, with its bases and methods cloned."""
    _kept.append(real)
    made: type = type(real)(real.__name__, tuple([ours(base) for base in real.__bases__]), {
        key: value
        for key, value in vars(real).items()
        if key in ("__doc__", "__qualname__", "__slots__") or key.startswith("_abc")
    })  # fmt: skip
    made.__module__ = f"npcompile.{real.__module__}"  # where pickle finds it
    _ours[id(real)] = made
    for key, value in vars(real).items():
        if key not in vars(made) or key in ("__init__", "__hash__"):
            setattr(made, key, _on_host(value) if key == "__array__" else _member(value))
    if hasattr(made, "__abstractmethods__"):
        made.__abstractmethods__ = real.__abstractmethods__  # type: ignore[attr-defined]
    return made


def _on_host(convert_: types.FunctionType) -> Callable[..., Any]:
    """Return `__array__` of a class over our arrays: NumPy accepts only its own arrays from it."""
    made = clone(convert_)

    def __array__(self: Any, *args: Any, **kwargs: Any) -> Any:
        return numpy.asarray(made(self, *args, **kwargs))

    return __array__


def _member(value: Any) -> Any:
    if isinstance(value, staticmethod):
        return staticmethod(ours(value.__func__))
    if isinstance(value, classmethod):
        return classmethod(ours(value.__func__))
    if isinstance(value, property):
        return property(*map(ours, (value.fget, value.fset, value.fdel)))
    if type(value) is numpy.ndarray:  # class attributes such as a polynomial's domain
        return creation.array(value)
    return ours(value)


class Inlined:
    """Runs a listed NumPy function as its clone, or as a counted host call for values that our arrays cannot
    hold."""

    def __init__(self, real: Any) -> None:
        self._real = real
        self._clone: Callable[..., Any] | None = None
        self._calls_back = any(real is item for item in CALLBACKS)
        self._unsorted = getattr(real, "__name__", "") == "unique_values" and numpy_private.UNIQUE_HASH != ()

    def __call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        unsorted = self._unsorted or not kwargs.get("sorted", True)  # in the order of a hash table of NumPy's
        if errstate.traps() or unsorted or not all(map(native, (*args, *kwargs.values()))):
            return dispatch.host(self._real, args, kwargs)
        if rows.are_many(self._real, args, kwargs):
            return dispatch.host(self._real, args, kwargs)
        if self._clone is None:
            implementation = numpy_private.implementation(self._real)
            assert implementation is not None, self._real
            self._clone = clone(implementation)
        # Functions that are called back by NumPy's own functions get NumPy's arrays.
        try:
            args, kwargs = (dispatch.map_arrays(item, _as_ours, numpy.ndarray) for item in (args, kwargs))
        except Unsupported:  # memory that torch cannot express
            return dispatch.host(self._real, args, kwargs)
        within = data_dependent.longest_exact_row.set(
            data_dependent.longest_exact_row.get() if self._calls_back else 0
        )
        try:
            answer = self._clone(*args, **kwargs)
        except Exception as error:
            if self._calls_back:  # the functions that it calls may have effects: they are not repeated
                raise
            return dispatch.redo(self._real, error, args, kwargs)
        finally:
            data_dependent.longest_exact_row.reset(within)
        return dispatch.adopt(answer, [])


def _as_ours(array: numpy.ndarray[Any, Any]) -> Any:
    return ndarray._of_numpy(array.view())


_LEAVES = (float, complex, bool, slice, type(None), type(...), types.FunctionType, types.BuiltinFunctionType)


def native(value: Any, within: bool = False) -> bool:
    """Tell if a clone can work with this argument: no dtypes that our arrays cannot hold, no foreign
    arrays."""
    kind = type(value)
    if kind is ndarray:
        return bool(value._memory.device.type == "cpu")  # arrays that clones make lie there
    if kind is numpy.ndarray or isinstance(value, numpy.generic):
        return value.dtype in convert.TORCH_OF
    if kind is int:
        return -(2**63) <= value < 2**63
    if kind in _LEAVES:
        return True
    if kind is list or kind is tuple:
        return all(native(item, True) for item in value)
    if kind is dict:
        return all(native(item) for item in value.values())
    if kind is str:
        return not within
    if isinstance(value, type):
        return _holds(value)
    if isinstance(value, numpy.dtype):
        return _holds(value)
    return isinstance(value, (range, Function, ufunc)) or kind in _cloned_classes()


def _holds(dtype: Any) -> bool:
    try:
        return numpy.dtype(dtype) in convert.TORCH_OF
    except TypeError:
        return True  # NumPy raises for itself


def _cloned_classes() -> set[type]:
    return {_ours[key] for key in _classes if key in _ours}


def members(real: types.ModuleType, name: str) -> Callable[[str], Any]:
    """Return the `__getattr__` of a module that stands for one of NumPy's in Python: its public names,
    cloned."""
    public = frozenset(real.__all__)

    def find(key: str) -> Any:
        if key not in public:
            raise AttributeError(f"module {name!r} has no attribute {key!r}")
        item = getattr(real, key)
        if isinstance(item, (types.FunctionType, numpy_private.DISPATCHER)):
            dispatch.composed.setdefault(id(item), Inlined(item))
        return ours(item)

    return find


dispatch.composed.update({id(function): Inlined(function) for function in INLINABLE})
dispatch.before_op.update(map(id, NAN_STATISTICS))
