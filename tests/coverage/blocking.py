"""NumPy kept from computing: it sees made-up memory in place of our arrays, and what it is asked is noted.

Our arrays are laid out by NumPy, which is a question and no computation. Here each layout lies on pages of
its own that hold nothing but zeros, as for an array on a device: a view of it is still found by its address,
while anything that NumPy computes from it is wrong, and anything that it writes is lost. So an answer that is
right under this block was computed by us. What NumPy could compute without seeing an array of ours (from
Python's numbers, from a list, from a tensor made a NumPy array on the way) is noted by a profile function.
"""

from __future__ import annotations

import mmap
import sys
import types
from collections import Counter
from typing import Any

import numpy as np
import torch

from npcompile.frontend.eager import convert
from npcompile.frontend.eager.ndarray import ndarray
from npcompile.frontend.eager.strided import Strided

# NumPy's functions that ask about dtypes, shapes, axes, memory or settings: what an op or a shim may ask of
# NumPy without NumPy having computed anything. By module; "numpy" are the functions written in C.
QUESTIONS: dict[str, frozenset[str]] = {
    # array and asarray: of what is no array of ours (a list, a number) at the boundary; empty only allocates
    "numpy": frozenset(["array", "asarray", "asanyarray", "empty", "frombuffer", "promote_types"])
    | frozenset(["normalize_axis_index", "_get_promotion_state", "_make_extobj", "_get_extobj_dict"]),
    "numpy._core._dtype": frozenset(["__str__", "__repr__", "_name_get", "_kind_name"]),
    "numpy._core._dtype_ctypes": frozenset(["dtype_from_ctypes_type"]),
    "numpy._core._internal": frozenset(["__init__", "data", "get_data", "_view_is_safe"]),
    "numpy._core._ufunc_config": frozenset(
        ["__init__", "__enter__", "__exit__", "seterr", "geterr", "inner"]
    ),
    "numpy._core.einsumfunc": frozenset(["einsum_path"]),
    "numpy._core.fromnumeric": frozenset(["ndim", "shape", "size"]),
    "numpy._core.getlimits": frozenset(
        ["__new__", "__init__", "min", "max", "_init", "smallest_normal", "tiny"]
    ),
    "numpy._core.multiarray": frozenset(["can_cast", "may_share_memory", "result_type", "shares_memory"])
    | frozenset(["min_scalar_type", "empty_like"]),
    "numpy._core.numeric": frozenset(["normalize_axis_tuple", "isscalar"]),
    "numpy._core.numerictypes": frozenset(["issubdtype", "isdtype", "issubclass_"]),
    "numpy.lib._array_utils_impl": frozenset(["byte_bounds", "normalize_axis_index", "normalize_axis_tuple"]),
    "numpy.lib._index_tricks_impl": frozenset(["__init__", "__iter__", "__next__"]),  # ndindex
    "numpy.lib._stride_tricks_impl": frozenset(["broadcast_shapes", "_broadcast_shape"]),
    "numpy.lib._type_check_impl": frozenset(["iscomplexobj", "isrealobj", "common_type", "mintypecode"]),
    "numpy.ma.core": frozenset(["is_masked", "isMaskedArray"]),
}

# Those that answer with a view of a layout, which is an address: where one copies, it copies made-up values.
VIEWS: dict[str, frozenset[str]] = {
    "numpy._core.einsumfunc": frozenset(["einsum"]),
    "numpy._core.fromnumeric": frozenset(["diagonal", "matrix_transpose", "ravel", "reshape", "squeeze"])
    | frozenset(["swapaxes", "transpose"]),
    "numpy._core.numeric": frozenset(["moveaxis", "rollaxis"]),
    "numpy._core.shape_base": frozenset(["atleast_1d", "atleast_2d", "atleast_3d", "unstack"]),
    "numpy.lib._function_base_impl": frozenset(["flip", "rot90"]),
    "numpy.lib._shape_base_impl": frozenset(
        ["array_split", "dsplit", "expand_dims", "hsplit", "split", "vsplit"]
    ),
    "numpy.lib._stride_tricks_impl": frozenset(["as_strided", "broadcast_arrays", "broadcast_to"]),
    "numpy.lib._twodim_base_impl": frozenset(["diag", "fliplr", "flipud"]),
    "numpy.lib._type_check_impl": frozenset(["imag", "real"]),
    "numpy.linalg._linalg": frozenset(["diagonal", "matrix_transpose"]),
}
_ALLOWED = {
    module: QUESTIONS.get(module, frozenset()) | VIEWS.get(module, frozenset())
    for module in QUESTIONS | VIEWS
}

# Where tensors become NumPy's legitimately: an answer that is a scalar, a question for a Python number.
_LEAVING = frozenset([convert.scalar_of.__code__])

_REAL: dict[str, Any] = {
    "_make_layout": Strided._make_layout,
    "_first_address": Strided._first_address,
    "_of_numpy": Strided.__dict__["_of_numpy"],
}


def values(array: Any) -> np.ndarray:
    """What an array of ours holds, as a NumPy array, whatever its layout shows."""
    found: np.ndarray = array._tensor.detach().resolve_conj().resolve_neg().cpu().numpy()
    return found


def _pages(array: Strided) -> mmap.mmap:
    owner = array._owner
    if owner._reserved is None:
        owner._reserved = mmap.mmap(-1, max(1, owner._memory.untyped_storage().nbytes()))
    return owner._reserved


def _from_before(array: Strided) -> bool:
    """Whether an array was there before the block (a constant of a class): it is no operand, and seen."""
    owner = array._owner
    return owner._reserved is None and owner._layout_known is not None


def _make_layout(array: Strided) -> np.ndarray:
    if _from_before(array):
        return _REAL["_make_layout"](array)
    memory = array._memory
    dtype = convert.numpy_dtype(memory.dtype)
    layout = np.ndarray(
        tuple(memory.shape),
        dtype,
        buffer=_pages(array),
        offset=memory.storage_offset() * dtype.itemsize,
        strides=tuple(stride * dtype.itemsize for stride in memory.stride()),
    )
    if array._flips:
        layout = layout[
            tuple(slice(None, None, -1 if axis in array._flips else 1) for axis in range(layout.ndim))
        ]
    return layout


def _first_address(array: Strided) -> int:
    if _from_before(array):
        return int(_REAL["_first_address"](array))
    return int(np.frombuffer(_pages(array), np.uint8).ctypes.data)


def _of_numpy(cls: Any, array: np.ndarray, base: Any = None) -> Any:
    made = _REAL["_of_numpy"].__func__(cls, array, base)
    made._layout_known = None
    if not array.flags.writeable:
        made._layout.setflags(write=False)
    return made


_MADE_UP = {
    "_make_layout": _make_layout,
    "_first_address": _first_address,
    "_of_numpy": classmethod(_of_numpy),
}


class Blocked:
    """While entered, NumPy computes nothing of use from our arrays; `asked` counts what it was asked."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self._saved: dict[str, Any] = {}

    def __enter__(self) -> Blocked:
        self._saved = {name: ndarray.__dict__.get(name) for name in ("_on_host", "__array__")}
        for name, made_up in _MADE_UP.items():
            setattr(Strided, name, made_up)
        setattr(ndarray, "_on_host", values)  # noqa: B010  (its type is another's)
        asked = self.asked

        def shown(array: ndarray, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
            asked["ndarray as a NumPy array"] += 1
            return np.array(array._layout, dtype=dtype, copy=copy)

        setattr(ndarray, "__array__", shown)  # noqa: B010
        sys.setprofile(self._profile)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)
        for name, real in _REAL.items():
            setattr(Strided, name, real)
        for name, real in self._saved.items():
            if real is None:  # a base class has it
                delattr(ndarray, name)
            else:
                setattr(ndarray, name, real)

    def _profile(self, frame: types.FrameType, event: str, arg: Any) -> None:
        if event == "call":
            module = str(frame.f_globals.get("__name__"))
            if not module.startswith("numpy") or vars(sys.modules[module]) is not frame.f_globals:
                return
            caller = frame.f_back
            if caller is not None and str(caller.f_globals.get("__name__")).startswith("numpy"):
                if vars(sys.modules[caller.f_globals["__name__"]]) is caller.f_globals:
                    return  # NumPy among itself: what it was asked from outside has been noted
            name = frame.f_code.co_name
            if module == "numpy._core._methods" and np.ndim(frame.f_locals.get("a")) == 0:
                return  # a method of a NumPy scalar, which NumPy does on an array of no axes
            if name == "prod" and isinstance(frame.f_locals.get("a"), tuple):
                return  # the size of a shape
            if name.startswith("<") or name.endswith("_dispatcher") or name in _ALLOWED.get(module, ()):
                return
            self.asked[f"{module}.{name}"] += 1
        elif event == "c_call":
            module = str(frame.f_globals.get("__name__"))
            if module.startswith("numpy") and vars(sys.modules[module]) is frame.f_globals:
                return
            owner = getattr(arg, "__self__", None)
            if isinstance(owner, np.ufunc) and arg.__name__ not in (
                "resolve_dtypes",
                "_resolve_dtypes_and_context",
            ):
                self.asked[f"numpy.{owner.__name__}.{arg.__name__}"] += 1
            elif isinstance(owner, torch.Tensor) and arg.__name__ in ("numpy", "__array__"):
                if frame.f_code not in _LEAVING and frame.f_code is not values.__code__:
                    self.asked["a tensor as a NumPy array"] += 1
            elif (getattr(arg, "__module__", None) or "").startswith("numpy") and not isinstance(
                owner, np.ndarray
            ):
                if arg.__name__ not in _ALLOWED["numpy"]:
                    self.asked[f"numpy.{arg.__name__}"] += 1
