"""`finfo` and `iinfo` are NumPy's own, which take a dtype, and refuse our arrays as they refuse NumPy's."""

from __future__ import annotations

from typing import Any

import numpy

from npcompile.frontend.eager.ndarray import ndarray


class _Limits(type):
    """The metaclass whose classes make objects of the class that they are derived from."""

    def __call__(cls, dtype: Any) -> Any:
        return cls.__mro__[1](numpy.asarray(dtype) if isinstance(dtype, ndarray) else dtype)

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, cls.__mro__[1])


# No parameters: before NumPy 2.2 they are no generic classes.
class finfo(numpy.finfo, metaclass=_Limits):
    __doc__ = numpy.finfo.__doc__


class iinfo(numpy.iinfo, metaclass=_Limits):
    __doc__ = numpy.iinfo.__doc__
