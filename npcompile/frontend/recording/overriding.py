"""NumPy's functions on objects that take them over (`__array_function__`), and the operators that
`NDArrayOperatorsMixin` gives a class."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from npcompile.frontend import follow, pure
from npcompile.frontend.arrays import is_array
from npcompile.frontend.made import class_attribute
from npcompile.frontend.private import DISPATCHER
from npcompile.frontend.program import Call
from npcompile.frontend.recording.drawing import Drawing
from npcompile.frontend.recording.objects import _COMPARED, _NAMES, _UNARY

_ARRAYS_OWN = class_attribute(np.ndarray, "__array_function__")
_BINARY, _REFLECTED, _IN_PLACE, _ALONE = range(4)  # how a method calls its ufunc


def _mixed() -> dict[Any, tuple[np.ufunc, int]]:
    own = vars(follow.OPERATORS)
    found: dict[Any, tuple[np.ufunc, int]] = {}
    for symbol, name in _NAMES.items():
        found[own[f"__{name}__"]] = pure.UFUNCS[symbol], _BINARY
        found[own[f"__r{name}__"]] = pure.UFUNCS[symbol], _REFLECTED
        found[own[f"__i{name}__"]] = pure.UFUNCS[symbol], _IN_PLACE
    for symbol, name in _COMPARED.items():
        found[own[name]] = pure.UFUNCS[symbol], _BINARY
    for symbol, name in _UNARY.items():
        found[own[name]] = pure.UNARY_UFUNCS[symbol], _ALONE
    found[own["__abs__"]] = np.absolute, _ALONE
    found[own["__divmod__"]], found[own["__rdivmod__"]] = (np.divmod, _BINARY), (np.divmod, _REFLECTED)
    return found


_MIXED = _mixed()


class _Taken(Exception):
    """Whose `__array_function__` NumPy asks: the types that it names there."""


def _takes_over(obj: Any) -> bool:
    kind = type(obj)
    return not is_array(obj) and class_attribute(kind, "__array_function__", _ARRAYS_OWN) is not _ARRAYS_OWN


def _leaves(arg: Any) -> Iterator[Any]:
    if type(arg) in (list, tuple):
        for item in arg:
            yield from _leaves(item)
    else:
        yield arg


def _changed(arg: Any, change: Callable[[Any], Any]) -> Any:
    if type(arg) in (list, tuple):
        return type(arg)(_changed(item, change) for item in arg)
    return change(arg)


def _asked(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[type, ...]:
    """The types that NumPy names to the `__array_function__` of the first of them; none where it asks nobody.
    It is called with objects in the place of these and of arrays, which say so and do nothing else."""
    stands: dict[type, Any] = {}

    def taken(_: Any, function: Any, kinds: Any, given: Any, named: Any) -> Any:
        raise _Taken(kinds)

    def stand(obj: Any) -> Any:
        kind = type(obj)
        if not isinstance(obj, np.ndarray) and not _takes_over(obj):
            return obj
        if kind not in stands:
            stands[kind] = type(kind.__name__, (), {"__array_function__": taken})()
        return stands[kind]

    try:
        fn(*_changed(args, stand), **{name: _changed(arg, stand) for name, arg in kwargs.items()})
    except _Taken as found:
        kinds = {type(standing): kind for kind, standing in stands.items()}
        return tuple(kinds[kind] for kind in found.args[0])
    except Exception:  # refused as it will be
        return ()
    return ()


class Overriding(Drawing):
    """Such an object's method is a function like others."""

    def call(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
        if self.on and type(fn) is DISPATCHER:
            owners = [obj for obj in _leaves((*args, *kwargs.values())) if _takes_over(obj)]
            kinds = _asked(fn, args, kwargs) if owners else ()
            if any(type(owner) in kinds for owner in owners):
                return self._taken_over(fn, owners, kinds, args, kwargs)
        return super().call(fn, *args, **kwargs)

    def _taken_over(
        self, fn: Any, owners: list[Any], kinds: tuple[type, ...], args: tuple[Any, ...], kwargs: Any
    ) -> Any:
        owner = next(owner for owner in owners if type(owner) in kinds)
        method = self.protocol(owner, "__array_function__") if len(set(map(type, owners))) == 1 else None
        if method is None:
            return self._opaque(Call(fn.__name__, fn), fn, args, kwargs)
        result = self.call(method, owner, fn, kinds, args, kwargs)
        if result is not NotImplemented:
            return result
        raise TypeError(
            f"no implementation found for '{fn.__module__}.{fn.__name__}' on types that implement"
            f" __array_function__: {list(kinds)}"
        )

    def _function(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        plain = fn.__func__ if isinstance(fn, types.MethodType) else fn
        if self.on and plain in _MIXED and not kwargs:
            own = (fn.__self__, *args) if isinstance(fn, types.MethodType) else args
            ufunc, how = _MIXED[plain]
            if len(own) == (1 if how == _ALONE else 2):
                return self._mixed_in(ufunc, how, *own)
        return super()._function(fn, args, kwargs)

    def _mixed_in(self, ufunc: np.ufunc, how: int, own: Any, *other: Any) -> Any:
        """What a method of the mixin does with its ufunc."""
        if how == _IN_PLACE:
            return self.call(ufunc, own, *other, out=(own,))
        if other:
            self.lies_in_class(type(other[0]), "__array_ufunc__")
            if getattr(other[0], "__array_ufunc__", ...) is None:
                return NotImplemented
        return self.call(ufunc, *((*other, own) if how == _REFLECTED else (own, *other)))
