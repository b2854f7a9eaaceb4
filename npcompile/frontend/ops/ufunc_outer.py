"""`ufunc.outer` is registered here for every ufunc of two operands."""

from __future__ import annotations

from typing import Any

import numpy as np
from torch import Tensor

from npcompile.diagnostics.reason import Cause, Reason
from npcompile.frontend.ops.rules import op
from npcompile.frontend.ops.table import TABLE, Op
from npcompile.frontend.ops.ufunc_methods import BINARY, is_checked


def _outer_limits(_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
    if any(type(item) is int and not -(2**63) <= item < 2**63 for item in args):
        return Cause.DTYPE("object")
    called = TABLE.of(_.methods[0][0])
    assert called is not None
    return called.refuses(
        tuple(np.asarray(item) if type(item) in (bool, int, float, complex) else item for item in args),
        kwargs,
    )


def _register_outer(np_ufunc: np.ufunc) -> None:
    @op(
        name=f"numpy.{np_ufunc.__name__}.outer",
        methods=[(np_ufunc, "outer")],
        arrays=2,
        limits=_outer_limits,
        checked=is_checked(np_ufunc),
    )
    def body(
        A: Tensor,
        B: Tensor,
        /,
        out: None = None,
        *,
        where: Any = True,
        base: Any = None,
        dtype: Any = None,
        casting: str = "same_kind",
    ) -> Any:
        called = TABLE.of(np_ufunc)
        assert called is not None
        named = {} if where is True else {"where": where, "base": base}
        return called(A.reshape([*A.shape, *[1] * B.dim()]), B, dtype=dtype, casting=casting, **named)


for _ufunc in (*BINARY, np.divmod):
    _register_outer(_ufunc)
