"""What `numpy` and its submodules mean inside a test module: the module under test, name by name.

Public names come from the module under test and from nowhere else, so that a name it lacks fails the test
that uses it. Listed here are the few that are no array semantics and stay NumPy's own (exceptions, the
testing helpers, dtype classes), the sources of random test data, and the private modules that test modules
import public functions from.
"""

from __future__ import annotations

import builtins
import types
from collections.abc import Callable
from typing import Any

import numpy
import numpy._core._exceptions
import numpy._core._internal
import numpy._core.numerictypes
import numpy._core.umath
import numpy._utils
import numpy.dtypes
import numpy.exceptions
import numpy.lib.array_utils
import numpy.ma
import numpy.polynomial.polynomial
import numpy.random._common
import numpy.version

# Not array semantics: NumPy's own where the module under test has none.
_NUMPYS_OWN = (
    "_CopyMode", "_NoValue", "__config__", "__version__", "asmatrix", "bmat", "char", "dtypes", "exceptions",
    "ma", "matrix", "memmap", "rec", "recarray", "record", "strings", "test", "version",
)  # fmt: skip

# Private modules that test modules take public functions from: those names mean the public ones.
_PUBLIC_ALIASES: dict[str, tuple[str, ...]] = {
    "numpy._core": (
        "arange", "array", "atleast_1d", "atleast_2d", "atleast_3d", "block", "concatenate", "finfo",
        "hstack", "iinfo", "newaxis", "stack", "swapaxes", "vstack",
    ),
    "numpy.lib._index_tricks_impl": (
        "c_", "diag_indices", "diag_indices_from", "fill_diagonal", "index_exp", "ix_", "mgrid",
        "ndenumerate", "ndindex", "ogrid", "r_", "s_",
    ),
    "numpy.lib._stride_tricks_impl": ("broadcast_arrays", "broadcast_shapes", "broadcast_to"),
}  # fmt: skip
_STRIDE_TRICKS = ("as_strided", "sliding_window_view")

_POLYNOMIALS = ("chebyshev", "hermite", "hermite_e", "laguerre", "legendre", "polynomial", "polyutils")

# Private pure-Python helpers and exceptions that tests of array semantics use along the way.
_HELPERS: dict[str, Any] = {
    "numpy._core.numeric.normalize_axis_tuple": numpy.lib.array_utils.normalize_axis_tuple,
    "numpy._core.numerictypes.obj2sctype": getattr(numpy._core.numerictypes, "obj2sctype"),  # noqa: B009
    "numpy._core._exceptions": numpy._core._exceptions,
    "numpy._utils._pep440": getattr(numpy._utils, "_pep440", None),
}

_SCALAR_TYPES: dict[str, list[type]] = getattr(numpy._core, "sctypes")  # noqa: B009  (not in NumPy's stubs)

# C test extensions and private functions: the tests that use them are excluded by subject.
_EXCLUDED_SUBJECTS = (
    "numpy._core._multiarray_tests", "numpy._core._multiarray_umath", "numpy._core._operand_flag_tests",
    "numpy._core._rational_tests", "numpy._core._struct_ufunc_tests", "numpy._core._umath_tests",
    "numpy._core.function_base", "numpy._core.shape_base", "numpy._core.tests._locales",
    "numpy.lib._arraypad_impl", "numpy.lib._function_base_impl", "numpy.lib._nanfunctions_impl",
    "numpy.linalg._linalg", "numpy.linalg._umath_linalg", "numpy.linalg.lapack_lite",
)  # fmt: skip


class Namespace(types.ModuleType):
    """A module whose names are those set on it, then those of the module under test."""

    def __init__(self, name: str, target: Any = None, **own: Any) -> None:
        super().__init__(name)
        self.__dict__.update(own)
        self.__dict__["_target"] = target

    def __getattr__(self, name: str) -> Any:
        target = self.__dict__["_target"]
        if target is None:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        return getattr(target, name)

    def __dir__(self) -> list[str]:
        return sorted({*self.__dict__, *dir(self.__dict__["_target"])})


class RandomData:
    """`numpy.random`, or a generator of it, with its arrays made arrays of the module under test."""

    def __init__(self, source: Any, asarray: Callable[[Any], Any]) -> None:
        self.__dict__.update(_source=source, _asarray=asarray)

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._source, name)
        if not callable(value):
            return value

        def drawn(*args: Any, **kwargs: Any) -> Any:
            result = value(*args, **kwargs)
            if isinstance(result, numpy.ndarray):
                return self._asarray(result)
            if isinstance(result, numpy.random.Generator | numpy.random.RandomState):
                return RandomData(result, self._asarray)
            return result

        return drawn


def importer(target: types.ModuleType, testing: types.ModuleType, drawing: bool) -> Callable[..., Any]:
    """An `__import__` for which `numpy` is the module `target`, with `testing` as its `testing`.

    drawing: `numpy.random` is what is tested, not where the tests have their numbers from.
    """
    bound = _tree(target, testing, drawing)

    def import_(
        name: str,
        globals_: dict[str, Any] | None = None,
        locals_: dict[str, Any] | None = None,
        fromlist: tuple[str, ...] | list[str] | None = (),
        level: int = 0,
    ) -> Any:
        root = name.split(".")[0]
        if isinstance(fromlist, list):  # NumPy's C code importing its own, in a test's frame
            return builtins.__import__(name, globals_, locals_, fromlist, level)
        if level == 0 and root == "numpy":
            if name not in bound:
                raise ImportError(f"{name} is not among the modules bound for conformance tests")
            return bound[name] if fromlist else bound["numpy"]
        if level == 0 and name == "hypothesis.extra.numpy" and fromlist:
            return _hypothesis(target)
        if level == 0 and name == "hypothesis.extra" and fromlist == ("numpy",):
            return Namespace(name, numpy=_hypothesis(target))
        return builtins.__import__(name, globals_, locals_, fromlist or (), level)

    return import_


def _tree(target: types.ModuleType, testing: types.ModuleType, drawing: bool) -> dict[str, Any]:
    """Every `numpy` module that a test module may import, by its full name, each set on its parent too."""
    bound: dict[str, Any] = {"numpy": Namespace("numpy", target)}
    top = bound["numpy"]
    for name in _NUMPYS_OWN:
        if not hasattr(target, name) and hasattr(numpy, name):
            setattr(top, name, getattr(numpy, name))

    def add(name: str, module: Any) -> Any:
        bound[name] = module
        parent, _, last = name.rpartition(".")
        if parent not in bound:
            add(parent, Namespace(parent))
        bound[parent].__dict__[last] = module
        return module

    add("numpy.testing", testing)
    add("numpy.testing._private", numpy.testing._private)
    add("numpy.testing._private.utils", numpy.testing._private.utils)
    for name in ("exceptions", "dtypes", "version", "ma"):
        add(f"numpy.{name}", getattr(top, name))
    if not drawing:
        add("numpy.random", RandomData(numpy.random, target.asarray))
    for name in ("linalg", "fft", "polynomial", "lib", *(["random"] if drawing else [])):
        if hasattr(target, name):
            add(f"numpy.{name}", Namespace(f"numpy.{name}", getattr(target, name)))
    if hasattr(target, "polynomial"):
        for name in _POLYNOMIALS:
            add(f"numpy.polynomial.{name}", getattr(target.polynomial, name))
    if drawing:
        add("numpy.random._common", numpy.random._common)
        if hasattr(target, "random") and hasattr(target.random, "bit_generator"):
            add("numpy.random.bit_generator", target.random.bit_generator)
    if hasattr(target, "lib") and hasattr(target.lib, "stride_tricks"):
        add("numpy.lib.stride_tricks", target.lib.stride_tricks)

    add("numpy._core", Namespace("numpy._core"))
    bound["numpy._core"].__dict__["sctypes"] = _scalar_types(target)
    add("numpy._core.numerictypes", Namespace("numpy._core.numerictypes", sctypes=_scalar_types(target)))
    add("numpy._core.umath", _umath(target))
    for name in _EXCLUDED_SUBJECTS:
        add(name, __import__(name, fromlist=["*"]))
    for name, names in _PUBLIC_ALIASES.items():
        module = bound.get(name) or add(name, Namespace(name))
        module.__dict__.update({n: getattr(target, n) for n in names if hasattr(target, n)})
    tricks = bound["numpy.lib._stride_tricks_impl"]
    if "numpy.lib.stride_tricks" in bound:
        source = bound["numpy.lib.stride_tricks"]
        tricks.__dict__.update({n: getattr(source, n) for n in _STRIDE_TRICKS if hasattr(source, n)})
    tricks.__dict__["_broadcast_shape"] = numpy.lib._stride_tricks_impl._broadcast_shape
    for name, helper in _HELPERS.items():
        parent, _, last = name.rpartition(".")
        if parent not in bound:
            add(parent, Namespace(parent))
        bound[parent].__dict__[last] = helper
        bound[name] = helper
    return bound


def _umath(target: types.ModuleType) -> Namespace:
    """The ufuncs by their public names, and the constants."""
    module = Namespace("numpy._core.umath")
    for name, value in vars(numpy._core.umath).items():
        if isinstance(value, numpy.ufunc):
            if getattr(numpy, name, None) is value and hasattr(target, name):
                module.__dict__[name] = getattr(target, name)
        elif isinstance(value, int | float):
            module.__dict__[name] = value
    return module


def _scalar_types(target: types.ModuleType) -> dict[str, list[Any]]:
    """`sctypes`, with the scalar types of the module under test."""
    return {
        kind: [getattr(target, t.__name__) for t in types_ if hasattr(target, t.__name__)]
        for kind, types_ in _SCALAR_TYPES.items()
    }


def _hypothesis(target: types.ModuleType) -> Namespace:
    """Hypothesis's NumPy strategies, with the arrays made arrays of the module under test."""
    import hypothesis.extra.numpy as real

    def arrays(*args: Any, **kwargs: Any) -> Any:
        return real.arrays(*args, **kwargs).map(target.asarray)

    return Namespace("hypothesis.extra.numpy", real, arrays=arrays)
