"""`npcompile.ndarray` is NumPy's array over a torch tensor, for debugging and for arrays on a device.

Attributes and views are NumPy's, asked of the array's layout (`strided.py`); methods and protocols go to
`dispatch`.
"""

from __future__ import annotations

import importlib
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from npcompile.frontend.eager import convert, counters, dispatch, errstate, iterator_strides, ufuncs
from npcompile.frontend.eager import resize as eager_resize
from npcompile.frontend.eager.exports import Exports
from npcompile.frontend.eager.flat import Flags, FlatIterator, allow_writing
from npcompile.frontend.eager.strided import Strided
from npcompile.frontend.ops.symbolic_sizes import broadcasts_to
from npcompile.frontend.ops.table import Unsupported
from npcompile.frontend.ops.write_order import read_places
from npcompile.lower.device import transfers
from npcompile.nep50 import weak
from npcompile.nep50.asked import takes

_OURS_OR_NUMPY = (Strided, np.ndarray, np.generic)
_ON_HOST = 1  # DLPack's number of a host's memory
# Libraries whose arrays nobody may write to, though DLPack hands out their memory.
_IMMUTABLE = frozenset(["jax", "jaxlib"])
# Since NumPy 2.5 a number that becomes the real part of an array has to fit into its dtype.
_PARTS_MUST_FIT = not takes(lambda: setattr(np.zeros(1, np.int8), "real", 300))
_NO_LIKES = (*_OURS_OR_NUMPY, int, float, complex, str, bytes, list, tuple, slice, type(None), type(...))


def _method(descriptor: Any) -> Callable[..., Any]:
    """Return an ndarray method that is its op, or a host call on the same memory."""

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return dispatch.call(descriptor, (self, *args), kwargs)

    method.__name__ = descriptor.__name__
    method.__doc__ = descriptor.__doc__
    return method


def _method_with_order(descriptor: Any) -> Callable[..., Any]:
    """Return a method whose one argument is a memory order, which may be in lower case."""

    def method(self: Any, order: Any = "C") -> Any:
        order = order.upper() if isinstance(order, str) else "C" if order is None else order
        return dispatch.call(descriptor, (self, order), {})

    method.__name__ = descriptor.__name__
    method.__doc__ = descriptor.__doc__
    return method


def _array_of(value: Any) -> Any:
    """Return the array of ours that an array-like's `__array__` gives, which NumPy does not take; else the
    value."""
    if isinstance(value, _NO_LIKES) or isinstance(value, type):
        return value
    convert_ = getattr(type(value), "__array__", None)
    if convert_ is None:
        return value
    try:
        made = value.__array__()
    except Exception:  # NumPy is to raise it
        return value
    return made if isinstance(made, Strided) else value


def of_device_memory(value: Any) -> Any:
    """Return our array on the memory of another library's array that lies on a device and speaks DLPack; any
    other value as it is.

    NumPy would ask for a copy on the host, which CuPy refuses and JAX makes.
    """
    if isinstance(value, _NO_LIKES) or isinstance(value, type):
        return value
    if not (hasattr(value, "__dlpack__") and hasattr(value, "__dlpack_device__")):
        return value
    try:
        kind, _ = value.__dlpack_device__()
    except Exception:  # an array on several devices: NumPy asks for its values
        return value
    if kind == _ON_HOST:
        return value
    made = ndarray._of_tensor(torch.from_dlpack(value))
    if type(value).__module__.partition(".")[0] in _IMMUTABLE:
        made.setflags(write=False)
    return made


def is_basic(index: Any) -> bool:
    """Tell if an index is basic (integers, slices, None, Ellipsis): indexing by it gives a view."""
    for item in index if type(index) is tuple else (index,):
        if item is None or item is Ellipsis or type(item) is slice or type(item) is int:
            continue
        if isinstance(item, (bool, np.bool_, np.ndarray, Strided)) or not hasattr(item, "__index__"):
            return False
    return True


class ndarray(Exports):
    """An array with NumPy's behaviour whose memory is one torch tensor's, on any device.

    Made by the functions of `npcompile.numpy` and by `npcompile.asarray`; the class allocates, as NumPy's.
    """

    __slots__ = ("__weakref__",)
    __hash__ = None  # type: ignore[assignment]
    __array_priority__ = 0.0
    __class_getitem__ = classmethod(types.GenericAlias)  # type: ignore[var-annotated]

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        on_host: Any = Exports._host_memory
        made = np.ndarray(*dispatch.map_arrays(args, on_host), **dispatch.map_arrays(kwargs, on_host))
        try:
            return cls._of_numpy(made)
        except Unsupported:
            return made

    def npcompile_tensor(self) -> torch.Tensor:
        """The array's values as a tensor: the array's own memory unless it runs backwards along an axis."""
        return self._tensor

    # what it is

    @property
    def dtype(self) -> np.dtype[Any]:
        layout = self._layout_known  # tells `long long` from `long`, which torch does not
        return convert.numpy_dtype(self._memory.dtype) if layout is None else layout.dtype

    @dtype.setter
    def dtype(self, dtype: Any) -> None:
        self._set_layout("dtype", dtype)

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self._memory.shape)

    @shape.setter
    def shape(self, shape: Any) -> None:
        self._set_layout("shape", shape)

    @property
    def ndim(self) -> int:
        return self._memory.dim()

    @property
    def size(self) -> int:
        return self._memory.numel()

    @property
    def itemsize(self) -> int:
        return self._memory.element_size()

    @property
    def nbytes(self) -> int:
        return self.size * self.itemsize

    @property
    def strides(self) -> tuple[int, ...]:
        return self._layout.strides

    @strides.setter
    def strides(self, strides: Any) -> None:
        self._set_layout("strides", strides)

    def _set_layout(self, attribute: str, value: Any) -> None:
        """Set an attribute that determines how the memory is read.

        Raises what NumPy raises; TypeError where torch cannot express the result.
        """
        layout = self._layout.view()
        setattr(layout, attribute, value)
        try:
            seen = self._view_at(layout)
        except Unsupported as refusal:
            raise TypeError(str(refusal.reason)) from None
        self._memory, self._flips, self._layout_known = seen._memory, seen._flips, seen._layout_known

    @property
    def flags(self) -> Flags:
        return Flags(self)

    @property
    def base(self) -> Any:
        return self._base

    @property
    def device(self) -> str:
        return str(self._memory.device)

    @device.setter
    def device(self, device: Any) -> None:
        raise AttributeError("attribute 'device' of 'numpy.ndarray' objects is not writable")

    @property
    def flat(self) -> FlatIterator:
        return FlatIterator(self)

    @flat.setter
    def flat(self, value: Any) -> None:
        FlatIterator(self)[:] = value

    @property
    def T(self) -> Any:
        return dispatch.call(np.ndarray.transpose, (self,), {})

    @property
    def mT(self) -> Any:
        if self.ndim < 2:
            raise ValueError("matrix transpose with ndim < 2 is undefined")
        return dispatch.call(np.ndarray.swapaxes, (self, -1, -2), {})

    @property
    def real(self) -> Any:
        return dispatch.call(np.real, (self,), {})

    @real.setter
    def real(self, value: Any) -> None:
        self.real[...] = value if _PARTS_MUST_FIT else asarray(value)

    @property
    def imag(self) -> Any:
        return dispatch.call(np.imag, (self,), {})

    @imag.setter
    def imag(self, value: Any) -> None:
        if not self._memory.is_complex():
            raise TypeError("array does not have imaginary part to set")
        self.imag[...] = asarray(value)

    # protocols that give arrays of ours

    def __array_finalize__(self, obj: Any, /) -> None:
        """Do nothing: subclasses call it."""

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        return array[()] if return_scalar and array.ndim == 0 else asarray(array)

    # a sequence

    def __delitem__(self, index: Any) -> None:
        raise ValueError("cannot delete array elements")

    def __len__(self) -> int:
        return len(self._layout)

    def __iter__(self) -> Iterator[Any]:
        if self.ndim == 0:
            iter(self._layout)  # raises
        return (self[i] for i in range(len(self)))

    def __contains__(self, value: Any) -> bool:
        return bool(np.any(self == value))

    def __getitem__(self, index: Any) -> Any:
        if not is_basic(index):
            index = tuple(map(_array_of, index)) if type(index) is tuple else _array_of(index)
            if type(index) is list:
                index = np.asarray(index) if index else np.empty(0, np.intp)
            return iterator_strides.lay_out(
                dispatch.call(np.ndarray.__getitem__, (self, index), {}), self, index
            )
        layout = self._layout[index]
        if isinstance(layout, np.ndarray):
            return self._view_at(layout)
        if self._memory.device.type == "cpu" and not self._flips:
            value = convert.scalar_of(self._memory, index)
        else:
            index = index if type(index) is tuple else (index,)
            value = convert.scalar_of(self._view_at(self._layout[(*index, ...)])._memory)
        return value if type(value) is type(layout) else type(layout)(value)  # `long long` is as `long` here

    def __setitem__(self, index: Any, value: Any) -> None:
        value = _array_of(value)
        if not is_basic(index):
            index = tuple(map(_array_of, index)) if type(index) is tuple else _array_of(index)
            dispatch.update(np.ndarray.__setitem__, (self, index, value), {})
            return
        layout = self._layout
        if not layout.flags.writeable:
            raise ValueError("assignment destination is read-only")
        indices = index if type(index) is tuple else (index,)
        whole = index if any(item is Ellipsis for item in indices) else (*indices, ...)
        target = self._view_at(layout[whole])
        listed = type(value) in (list, tuple)
        # NumPy warns of a row stored into one element, and raises for a list.
        odd = target.ndim == 0 and (listed or (whole is not index and getattr(value, "ndim", 0)))
        if odd or not target._store(value):
            dispatch.host(np.ndarray.__setitem__, (self, index, value), {})

    def _store(self, value: Any) -> bool:
        """Do `self[...] = value`; return False, with nothing done, where it is left to NumPy."""
        if not isinstance(value, _OURS_OR_NUMPY):
            value = np.array(dispatch.map_arrays(value, Exports._host_memory), self.dtype)
        elif isinstance(value, np.generic) and weak.refuses_misfits(value.dtype, self.dtype):
            value = weak.convert(value, self.dtype)
        if (value.dtype.kind == "c" and self.dtype.kind not in "cb") or errstate.traps():
            return False  # NumPy warns or raises, depending on what the value is
        if max(value.ndim, self.ndim) > dispatch.MAX_AXES:
            return False
        try:
            tensor = value._tensor if isinstance(value, Strided) else convert.tensor_of(value)
        except Unsupported:
            return False
        if isinstance(value, Strided):
            places = read_places(self._layout, value._layout)
            if places is not None:
                tensor = tensor[..., torch.from_numpy(places).to(tensor.device)]
        shape = tuple(tensor.shape)
        while len(shape) > self.ndim and shape[0] == 1:
            shape = shape[1:]
        if not broadcasts_to(shape, self.shape):
            return False
        try:
            dispatch.report_cast(tensor, self._memory.dtype)
            self._write(tensor.to(self._memory.device))
        except Unsupported:
            return False
        return True

    def fill(self, value: Any) -> None:
        if np.ndim(value) != 0:
            dispatch.host(np.ndarray.fill, (self, value), {})
        else:
            self[...] = value

    def sort(
        self, axis: int = -1, kind: Any = None, order: Any = None, *, stable: bool | None = None, **later: Any
    ) -> None:
        """Sort in place, as NumPy does. later: keywords that NumPy takes from 2.5 on (`descending`)."""
        how = {"kind": kind, "order": order, "stable": stable, **later}
        if not self._layout.flags.writeable:
            self._layout.sort(axis, **how)
        np.empty(0, self.dtype).sort(**how)  # raises for what is no sort
        self[...] = dispatch.call(np.sort, (self, axis), how)

    # copies and other places

    def copy(self, order: str = "C") -> Any:
        return dispatch.call(np.ndarray.copy, (self, order), {})

    def __copy__(self) -> Any:
        return self.copy("K")

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return self.copy("K")

    def __reduce__(self) -> tuple[Any, ...]:
        return rebuild, (self._on_host(), self.device)

    def to_device(self, device: Any, /, *, stream: Any = None) -> Any:
        """Return the array on a device ("cpu", "cuda", "cuda:1"): itself if it is there already, else a
        copy."""
        if stream is not None:
            raise ValueError("The stream argument in to_device() is not supported")
        try:
            target = torch.device(device)
        except RuntimeError:
            raise ValueError(f"Unsupported device: {device}.") from None
        if target.type == self._memory.device.type and target.index in (None, self._memory.device.index):
            return self
        return self._of_tensor(transfers.to_device(self._tensor, target))

    # protocols

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        out = kwargs.get("out", ())
        if not all(_leaves_to_us(item) for item in (*inputs, *out)):
            return NotImplemented
        if method == "__call__":
            return ufuncs.call(ufunc, inputs, kwargs)
        return ufuncs.method(ufunc, method, inputs, kwargs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if not all(issubclass(kind, (Strided, np.ndarray)) for kind in types):
            return NotImplemented
        return dispatch.call(function, args, kwargs)

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        # By name: the shim lies in a higher layer.
        return importlib.import_module("npcompile.numpy")

    # methods

    all = _method(np.ndarray.all)
    any = _method(np.ndarray.any)
    argmax = _method(np.ndarray.argmax)
    argmin = _method(np.ndarray.argmin)
    argpartition = _method(np.ndarray.argpartition)
    argsort = _method(np.ndarray.argsort)
    astype = _method(np.ndarray.astype)
    byteswap = _method(np.ndarray.byteswap)
    choose = _method(np.ndarray.choose)
    clip = _method(np.ndarray.clip)
    compress = _method(np.ndarray.compress)
    conj = _method(np.ndarray.conj)
    conjugate = _method(np.ndarray.conjugate)
    cumprod = _method(np.ndarray.cumprod)
    cumsum = _method(np.ndarray.cumsum)
    diagonal = _method(np.ndarray.diagonal)
    dot = _method(np.ndarray.dot)
    flatten = _method_with_order(np.ndarray.flatten)
    max = _method(np.ndarray.max)
    mean = _method(np.ndarray.mean)
    min = _method(np.ndarray.min)
    nonzero = _method(np.ndarray.nonzero)
    partition = _method(np.ndarray.partition)
    prod = _method(np.ndarray.prod)
    put = _method(np.ndarray.put)
    ravel = _method_with_order(np.ndarray.ravel)
    repeat = _method(np.ndarray.repeat)
    reshape = _method(np.ndarray.reshape)
    round = _method(np.ndarray.round)
    searchsorted = _method(np.ndarray.searchsorted)
    squeeze = _method(np.ndarray.squeeze)
    std = _method(np.ndarray.std)
    sum = _method(np.ndarray.sum)
    swapaxes = _method(np.ndarray.swapaxes)
    take = _method(np.ndarray.take)
    trace = _method(np.ndarray.trace)
    transpose = _method(np.ndarray.transpose)
    var = _method(np.ndarray.var)

    def view(self, *args: Any, **kwargs: Any) -> Any:
        """Return a view as NumPy does; our array type stands for NumPy's own."""
        args = tuple([np.ndarray if item is ndarray else item for item in args])
        kwargs = {key: np.ndarray if item is ndarray else item for key, item in kwargs.items()}
        return dispatch.call(np.ndarray.view, (self, *args), kwargs)

    def getfield(self, dtype: Any, offset: int = 0) -> Any:
        """Return the bytes of each element from `offset` on, seen as a dtype: NumPy's array where torch lacks
        it."""
        return dispatch.adopt(self._host_memory().getfield(dtype, offset), [self])

    def setfield(self, val: Any, dtype: Any, offset: int = 0) -> None:
        self._host_memory().setfield(np.asarray(val), dtype, offset)

    def resize(self, *new_shape: Any, refcheck: bool = True) -> None:
        """Resize in place, as NumPy does: zeros are appended, or elements dropped.

        Raises ValueError where views share the memory or, with `refcheck`, where other names refer to the
        array.
        """
        eager_resize.resize(self, new_shape, refcheck)

    def setflags(self, write: bool | None = None, align: bool | None = None, uic: bool | None = None) -> None:
        if write:
            allow_writing(self)
        self._layout.setflags(write=write, align=align, uic=uic)


Strided.public = ndarray


def _leaves_to_us(value: Any) -> bool:
    """Tell if a ufunc operand leaves the operation to us: it has no `__array_ufunc__` of its own."""
    kind = type(value)
    if issubclass(kind, (Strided, np.generic)) or kind is np.ndarray:
        return True
    return getattr(kind, "__array_ufunc__", np.ndarray.__array_ufunc__) is np.ndarray.__array_ufunc__


def rebuild(values: np.ndarray[Any, Any], device: str) -> ndarray:
    """Return the array that was pickled, on the device it was on."""
    array: ndarray = ndarray._of_numpy(values).to_device(device)
    return array


def asarray(value: Any, dtype: Any = None, *, copy: bool | None = None) -> Any:
    """Return `value` as our array, sharing memory where possible; NumPy's array for dtypes that torch lacks.

    value: our array, a torch tensor, an array on a device that speaks DLPack, or whatever `np.asarray` takes.
    Raises what NumPy raises.
    """
    if type(value) is ndarray and dtype is None and not copy:
        return value
    if isinstance(value, torch.Tensor):
        value = ndarray._of_tensor(value)
    else:
        value = _array_of(of_device_memory(value))
    if isinstance(value, Strided):
        if dtype is not None and np.dtype(dtype) != convert.numpy_dtype(value._memory.dtype):
            if copy is False:
                raise ValueError("Unable to avoid copy while creating an array as requested.")
            return dispatch.call(np.ndarray.astype, (value, dtype), {})
        again = value._layout if copy or dtype is None else np.asarray(value._layout, dtype)
        value = value if again is value._layout else value._view_at(again)  # `long long` for `long`
        return dispatch.call(np.ndarray.copy, (value, "K"), {}) if copy else value
    made = np.array(value, dtype=dtype, copy=copy)
    if made is value:
        made = made.view()
    try:
        return ndarray._of_numpy(made)
    except Unsupported:
        counters.host_calls["numpy.asarray"] += 1
        return made
