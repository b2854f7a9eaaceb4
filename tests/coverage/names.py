"""NumPy's public names, and for those that are no numeric function the reason, from a small explicit list."""

from __future__ import annotations

import types
from typing import Any

import numpy as np

SPACES: dict[str, Any] = {
    "numpy": np,
    "numpy.linalg": np.linalg,
    "numpy.fft": np.fft,
    "numpy.random": np.random,
    "numpy.polynomial": np.polynomial,
    "numpy.ndarray": np.ndarray,
}

# Why a name is none of the numeric functions, with the names.
REASONS: dict[str, tuple[str, ...]] = {
    "strings": (
        "binary_repr", "base_repr", "char", "strings", "typename", "mintypecode", "typecodes",
    ),
    "objects": (
        "frompyfunc", "vectorize",
    ),
    "datetime": (
        "busday_count", "busday_offset", "busdaycalendar", "datetime_as_string", "datetime_data",
        "is_busday", "isnat",
    ),
    "files and buffers": (
        "from_dlpack", "frombuffer", "fromfile", "fromiter", "fromregex", "fromstring", "genfromtxt", "load",
        "loadtxt", "memmap", "save", "savetxt", "savez", "savez_compressed",
    ),
    "printing": (
        "array2string", "array_repr", "array_str", "format_float_positional",
        "format_float_scientific", "get_printoptions", "printoptions", "set_printoptions",
        "set_default_printstyle",
    ),
    "configuration": (
        "errstate", "get_include", "getbufsize", "geterr", "geterrcall", "info", "setbufsize",
        "seterr", "seterrcall", "show_config", "show_runtime", "test", "__version__",
        "__array_namespace_info__",
    ),
    "a question about dtypes, shapes or memory": (
        "broadcast_shapes", "can_cast", "common_type", "einsum_path", "iscomplexobj", "isdtype", "isfortran",
        "isrealobj", "isscalar", "issubdtype", "iterable", "may_share_memory", "min_scalar_type",
        "ndim", "promote_types", "result_type", "shape", "shares_memory", "size", "finfo", "iinfo",
    ),
    "a subclass of ndarray": (
        "asmatrix", "bmat", "matrix", "recarray", "record", "rec", "ma",
    ),
    "iteration in Python": (
        "broadcast", "flatiter", "ndenumerate", "ndindex", "nditer", "nested_iters",
    ),
    "a class of NumPy's": (
        "ndarray", "ufunc", "dtype", "poly1d", "LinAlgError",
    ),
    "a module": (
        "core", "ctypeslib", "dtypes", "emath", "exceptions", "f2py", "fft", "lib", "linalg",
        "polynomial", "random", "testing", "typing", "chebyshev", "hermite", "hermite_e",
        "laguerre", "legendre",
    ),
    "a constant": (
        "False_", "ScalarType", "True_", "e", "euler_gamma", "index_exp", "inf", "little_endian",
        "nan", "newaxis", "pi", "s_", "sctypeDict",
    ),
    "NumPy's own random streams": (
        "get_state", "set_state", "seed", "default_rng", "shuffle", "BitGenerator", "Generator",
        "MT19937", "PCG64", "PCG64DXSM", "Philox", "RandomState", "SFC64", "SeedSequence",
    ),
}  # fmt: skip

# The same for the methods and attributes of arrays.
ARRAY_REASONS: dict[str, tuple[str, ...]] = {
    "files and buffers": (
        "tofile", "dump", "dumps", "data", "ctypes", "__array_interface__", "__array_struct__",
        "__dlpack__", "__dlpack_device__", "__reduce__", "__reduce_ex__", "__setstate__",
        "__sizeof__", "getfield", "setfield", "device", "to_device",
    ),
    "printing": (
        "__repr__", "__str__", "__format__",
    ),
    "a protocol": (
        "__array__", "__array_finalize__", "__array_wrap__", "__array_ufunc__",
        "__array_function__", "__array_namespace__", "__array_priority__", "__class_getitem__",
        "__new__", "__doc__", "__hash__", "__delitem__",
    ),
    "a question about dtypes, shapes or memory": (
        "ndim", "flags", "shape", "strides", "itemsize", "size", "nbytes", "base", "dtype",
        "setflags",
    ),
}  # fmt: skip


def public(space: str) -> list[str]:
    """The public names of a namespace: its `__all__`; of arrays all that the type defines."""
    where = SPACES[space]
    names = list(vars(where)) if where is np.ndarray else list(where.__all__)
    return sorted(set(names), key=lambda name: (name.startswith("_"), name.lower(), name))


def reason(space: str, name: str) -> str | None:
    """Why a name is no numeric function; None if it is one."""
    value = getattr(SPACES[space], name)
    for why, listed in (ARRAY_REASONS if space == "numpy.ndarray" else REASONS).items():
        if name in listed and not (
            space != "numpy" and name in ("e", "size", "shape") and space != "numpy.ndarray"
        ):
            return why
    if isinstance(value, type) and issubclass(value, np.generic):
        return "a scalar type"
    if isinstance(value, types.ModuleType):
        return "a module"
    return None
