"""Rules and decorators that op statements are written with: operands to tensors, the ufunc rule,
registration."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from npcompile.diagnostics.reason import Cause, Reason
from npcompile.frontend.ops.limits import list_dtype, list_reason
from npcompile.frontend.ops.symbolic_sizes import broadcast_shapes
from npcompile.frontend.ops.table import NUMPY, TABLE, TORCH, Op, Unsupported, Weak
from npcompile.lower.arithmetic import casts, unsigned
from npcompile.nep50 import promote, scalars, weak

DType = np.dtype[Any]
BOOL, INT64, FLOAT64 = np.dtype(np.bool_), np.dtype(np.int64), np.dtype(np.float64)


class NoValue:
    """The default of a keyword that NumPy tells apart from None (`initial=`)."""

    def __repr__(self) -> str:
        return "<no value>"


NO_VALUE = NoValue()


# -- dtypes and tensors --------------------------------------------------------------------------------------


def torch_dtype(dtype: DType) -> torch.dtype:
    """Return the torch dtype of the same name. Raises Unsupported where bodies do not compute in it."""
    try:
        found = TORCH[dtype]
    except KeyError:
        raise Unsupported(Cause.DTYPE(str(dtype))) from None
    if found in unsigned.WIDE:
        unsigned.needed()
    return found


def dtype_of(tensor: torch.Tensor) -> DType:
    """Return the NumPy dtype of a tensor. Raises Unsupported for the dtypes that bodies do not compute in."""
    if tensor.dtype in unsigned.WIDE:
        unsigned.needed()
    try:
        return NUMPY[tensor.dtype]
    except KeyError:
        raise Unsupported(Cause.DTYPE(str(tensor.dtype))) from None


def cast(tensor: torch.Tensor, dtype: DType) -> torch.Tensor:
    """Do `astype`, to complex and back too (the imaginary part is dropped without torch's warning)."""
    target = torch_dtype(dtype)
    if tensor.dtype == target:
        return tensor
    if tensor.dtype.is_complex and not target.is_complex:
        if target == torch.bool:
            return tensor != 0
        tensor = torch.real(tensor)
    return casts.prepared_for_cast(tensor, target).to(target)


def constant(value: Any, dtype: DType, device: torch.device | None = None) -> torch.Tensor:
    """Return a Python or NumPy number as a 0-d tensor, rounded to its dtype by NumPy: no wider value survives
    fusion.

    Raises NumPy's OverflowError for a Python int that the dtype cannot hold.
    """
    return torch.full((), weak.convert(value, dtype).item(), dtype=torch_dtype(dtype), device=device)


def device_of(operands: Sequence[Any]) -> torch.device | None:
    """Return the device of the first tensor among the operands and the lists in them; None if there is
    none."""
    for item in operands:
        if isinstance(item, Weak):
            continue
        if isinstance(item, torch.Tensor):
            return item.device
        if isinstance(item, (list, tuple)) and (found := device_of(item)) is not None:
            return found
    return None


def tensor(value: Any, device: torch.device | None = None) -> torch.Tensor:
    """Return an operand as `np.asarray` does: numbers get their default dtype, nested lists become one
    tensor.

    Raises Unsupported for values without a native dtype (strings, objects, Python ints beyond int64).
    """
    if isinstance(value, Weak):
        return value.tensor if device is None else value.tensor.to(device)
    if isinstance(value, torch.Tensor):
        dtype_of(value)
        return value
    if isinstance(value, (list, tuple)):
        return _stacked(value, device if device is not None else device_of(value))
    if isinstance(value, (bool, int, float, complex, np.generic)):
        dtype = np.asarray(value).dtype
        if dtype not in TORCH:
            raise Unsupported(Cause.DTYPE(str(dtype)))
        return constant(value, dtype, device)
    raise Unsupported(Cause.ARGUMENT_TYPE(type(value).__name__))


def is_static(value: Any) -> bool:
    listed = isinstance(value, (list, tuple)) and not isinstance(value, Weak)
    return all(map(is_static, value)) if listed else not isinstance(value, (Weak, torch.Tensor))


def _stacked(value: Sequence[Any], device: torch.device | None) -> torch.Tensor:
    if is_static(value):
        array = np.asarray(value)
        held = array.view(np.int64) if array.dtype == np.uint64 else array  # torch makes no uint64 of a list
        made = torch.tensor(held.tolist(), dtype=torch_dtype(held.dtype), device=device).reshape(array.shape)
        return made.to(torch_dtype(array.dtype))
    parts = [tensor(item, device) for item in value]
    if any(part.shape != parts[0].shape for part in parts):
        raise ValueError(
            "setting an array element with a sequence. The requested array has an inhomogeneous shape"
        )
    dtype = promote.result_type(*map(dtype_of, parts))
    return torch.stack([cast(part, dtype) for part in parts])


def strength(value: Any) -> promote.Operand:
    """Return how an operand takes part in promotion: its dtype, or a Python type if it is weak."""
    if isinstance(value, Weak):
        return value.type
    if isinstance(value, torch.Tensor):
        return dtype_of(value)
    if (own := scalars.operand_of(value)) is None:
        raise Unsupported(Cause.ARGUMENT_TYPE(type(value).__name__))
    return own


def operand(value: Any, device: torch.device | None = None) -> Any:
    """Return an operand ready for `strength`: lists become tensors, everything else stays."""
    listed = isinstance(value, (list, tuple)) and not isinstance(value, Weak)
    return tensor(value, device) if listed else value


def as_dtype(value: Any, dtype: DType, device: torch.device | None = None) -> torch.Tensor:
    """Return an operand as a tensor of the loop's dtype."""
    if isinstance(value, Weak):
        value = value.tensor if device is None else value.tensor.to(device)
    if isinstance(value, torch.Tensor):
        return cast(value, dtype)
    if isinstance(value, np.generic):
        if value.dtype != dtype:
            with np.errstate(all="ignore"):
                value = value.astype(dtype)
        return torch.full((), value.item(), dtype=torch_dtype(dtype), device=device)
    if dtype.kind == "b" and type(value) is int and not -(2**63) <= value < 2**63:
        raise OverflowError("Python int too large to convert to C long")
    return constant(value, dtype, device)


def promoted(*operands: Any) -> list[torch.Tensor]:
    """Return the operands as tensors of their common `np.result_type`, weak Python numbers being weak."""
    device = device_of(operands)
    ready = [operand(item, device) for item in operands]
    dtype = promote.result_type(*map(strength, ready))
    return [as_dtype(item, dtype, device) for item in ready]


def check_broadcast(tensors: Sequence[torch.Tensor]) -> None:
    """Raise NumPy's ValueError where shapes do not broadcast (torch's is a RuntimeError)."""
    shapes = [tuple(item.shape) for item in tensors]
    if any(shape != shapes[0] for shape in shapes):
        try:
            broadcast_shapes(*shapes)
        except ValueError:
            listed = " ".join(str(shape).replace(" ", "") for shape in shapes)
            raise ValueError(f"operands could not be broadcast together with shapes {listed} ") from None


# -- ufuncs --------------------------------------------------------------------------------------------------

# The keywords that a ufunc's op accepts. The caller sees to the layout of the answer (`order`), and there
# are no subclasses (`subok`).
UFUNC_KEYWORDS = frozenset({"where", "base", "dtype", "casting", "signature", "sig", "order", "subok"})


def ufunc(
    np_ufunc: np.ufunc,
    body: Callable[..., Any],
    *,
    checked: bool = False,
    sure: Callable[[tuple[Any, ...], Any], bool] | None = None,
    rule: Callable[..., Any] | None = None,
) -> Op:
    """Register an elementwise ufunc: the body gets tensors of the loop's input dtypes.

    rule: for a ufunc whose body needs more than the tensors; it calls `ufunc_rule` in turn.
    """
    return TABLE.add(
        Op(
            name=f"numpy.{np_ufunc.__name__}",
            objects=(np_ufunc,),
            rule=rule or ufunc_rule,
            body=body,
            checked=checked,
            sure=sure,
            operands=frozenset(range(np_ufunc.nin)),
            accepts=UFUNC_KEYWORDS,
            limits=ufunc_limits,
        )
    )


def loop(
    np_ufunc: np.ufunc,
    args: Sequence[Any],
    dtype: Any = None,
    casting: str = "same_kind",
    signature: Any = None,
) -> tuple[list[torch.Tensor], tuple[DType, ...]]:
    """Return the operands as tensors of the loop's input dtypes, and the loop's output dtypes."""
    if len(args) != np_ufunc.nin:
        raise TypeError(
            f"{np_ufunc.__name__}() takes {np_ufunc.nin} positional arguments but {len(args)} were given"
        )
    device = device_of(args)
    ready = [operand(item, device) for item in args]
    fixed = None if dtype is None else np.dtype(dtype)
    dtypes = promote.resolve(np_ufunc, tuple(map(strength, ready)), fixed, signature, casting)
    for item in dtypes:
        torch_dtype(item)
    tensors = [as_dtype(item, each, device) for item, each in zip(ready, dtypes[: np_ufunc.nin], strict=True)]
    check_broadcast(tensors)
    return tensors, dtypes[np_ufunc.nin :]


def ufunc_rule(
    op: Op, args: tuple[Any, ...], kwargs: dict[str, Any], body: Callable[..., Any] | None = None
) -> Any:
    """Cast operands to the loop's dtypes, run the body, cast its result to the output dtype, then apply the
    mask."""
    body = body or op.body
    np_ufunc = op.objects[0]
    where, base, casting = kwargs.get("where", True), kwargs.get("base"), kwargs.get("casting", "same_kind")
    dtype, signature = kwargs.get("dtype"), kwargs.get("signature", kwargs.get("sig"))
    plain = dtype is None and signature is None
    if plain and np_ufunc in weak.COMPARISONS and (settled := _compare_by_value(np_ufunc, args)) is not None:
        result: Any = settled
        ok = None
    else:
        tensors, outputs = loop(np_ufunc, args, dtype, casting, signature)
        result, ok = body(*tensors) if op.checked else (body(*tensors), None)
        pairs = zip(result if np_ufunc.nout > 1 else (result,), outputs, strict=True)
        results = tuple(cast(item, dtype) for item, dtype in pairs)
        result = results if np_ufunc.nout > 1 else results[0]
    if where is not True:
        mask = tensor(where, (result if np_ufunc.nout == 1 else result[0]).device)
        if mask.dtype != torch.bool:
            raise TypeError("Cannot cast array data to dtype('bool') according to the rule 'safe'")
        if base is None:  # items not computed may be anything, but the mask takes part in the shape
            check_broadcast((mask, result if np_ufunc.nout == 1 else result[0]))
            base = result
        if np_ufunc.nout == 1:
            result = masked(mask, result, base, casting)
        else:
            result = tuple(masked(mask, item, old, casting) for item, old in zip(result, base, strict=True))
    return (result, ok) if op.checked else result


def masked(mask: torch.Tensor, value: torch.Tensor, base: torch.Tensor, casting: str) -> torch.Tensor:
    """Return `value` where the mask is True, elsewhere `base`, the values that `out=` held.

    Raises where `casting` does not allow the dtype.
    """
    if not promote.can_cast(dtype_of(value), dtype := dtype_of(base), casting):
        raise TypeError(f"Cannot cast output to {dtype!r} with casting rule {casting!r}")
    return torch.where(mask, cast(value, dtype), base)


def _compare_by_value(np_ufunc: np.ufunc, args: Sequence[Any]) -> torch.Tensor | None:
    """Compare an integer with a Python int by value; return None where the ordinary loop is right."""
    if len(args) != 2:
        return None
    ready = [operand(item, device_of(args)) for item in args]
    kinds = [strength(item) for item in ready]
    if kinds[0] is not int and kinds[1] is not int:  # by identity: np.dtype("int64") == int
        return None
    weak_at = 0 if kinds[0] is int else 1
    other = kinds[1 - weak_at]
    if other is int:
        if isinstance(args[0], Weak) or isinstance(args[1], Weak):
            return None
        return torch.full((), bool(np_ufunc(*args)), dtype=torch.bool)
    if isinstance(other, type) or other.kind not in "biu":
        return None
    value, array = ready[weak_at], ready[1 - weak_at]
    if isinstance(value, Weak):
        strong = tensor(array)
        # a uint64 is compared with a signed number by value, all others fit int64
        wide = strong if strong.dtype == torch.uint64 else strong.to(torch.int64), value.tensor
        body = TABLE.of(np_ufunc).body  # type: ignore[union-attr]
        return body(*(wide[::-1] if weak_at == 0 else wide))
    settled = weak.compare(np_ufunc, other, value, reflected=weak_at == 0)
    if settled is None:
        return None
    like = tensor(array)
    return torch.full(like.shape, settled, dtype=torch.bool, device=like.device)


@functools.cache
def _loop_reason(np_ufunc: np.ufunc, kinds: tuple[Any, ...], dtype: Any, signature: Any) -> Reason | None:
    for kind in kinds:
        if not isinstance(kind, type) and kind not in TORCH:
            return Cause.DTYPE(str(kind))
    try:
        fixed = None if dtype is None else np.dtype(dtype)
        dtypes = promote.resolve(np_ufunc, kinds, fixed, signature, "unsafe")
    except (TypeError, ValueError):
        return None  # NumPy raises for itself
    return next((Cause.DTYPE(str(item)) for item in dtypes if item not in TORCH), None)


def ufunc_limits(op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
    np_ufunc = op.objects[0]
    if kwargs:
        if type(kwargs.get("where")) in (list, tuple) and list_dtype(kwargs["where"]) != BOOL:
            return Cause.WHERE_NO_BOOLS()
        dtype, signature = kwargs.get("dtype"), kwargs.get("signature", kwargs.get("sig"))
    else:
        dtype = signature = None
    try:
        kinds = tuple([_strength_of_numpy(item) for item in args[: np_ufunc.nin]])
    except Unsupported as refusal:
        return refusal.reason
    try:
        return _loop_reason(np_ufunc, kinds, dtype, signature)
    except TypeError:
        return Cause.SIGNATURE_NO_TUPLE()


def _strength_of_numpy(value: Any) -> Any:
    """Return the `strength` of a NumPy value as the user passed it."""
    kind = type(value)
    if kind is np.ndarray:
        return value.dtype
    if kind is int or kind is float or kind is complex:
        return kind
    if kind is list or kind is tuple:
        return list_dtype(value)
    return strength(value)


def do(obj: Any, *args: Any, **kwargs: Any) -> Any:
    """Return the op of a NumPy object called, for bodies written as NumPy wrote theirs, promotion at each
    step."""
    called = TABLE.of(obj)
    if called is None:
        raise LookupError(f"{obj!r} is not registered")
    result = called(*args, **kwargs)
    return result[0] if called.checked else result


# -- functions -----------------------------------------------------------------------------------------------


def op(
    *objects: Any,
    name: str | None = None,
    arrays: int = 1,
    parts: int = 0,
    operands: Sequence[str] = (),
    methods: Sequence[tuple[np.ufunc, str]] = (),
    limits: Callable[[Op, tuple[Any, ...], dict[str, Any]], Reason | None] | None = None,
    scalar: bool = True,
    view: bool = False,
    views: Callable[[tuple[Any, ...], dict[str, Any]], bool] | None = None,
    scalars: Callable[[tuple[Any, ...], dict[str, Any]], bool] | None = None,
    numbers: Callable[[tuple[Any, ...], dict[str, Any]], bool] | None = None,
    library: bool = False,
    product: bool = False,
    checked: bool = False,
    sure: Callable[[tuple[Any, ...], Any], bool] | None = None,
    varies: bool = False,
    creates: bool = False,
) -> Callable[[Callable[..., Any]], Op]:
    """Register a function over a body that has NumPy's own signature.

    arrays: that many leading parameters are turned into tensors as `np.asarray` would before the body runs.
    parts: that many are lists of such parameters, each of a shape of its own. operands: names of further
    parameters at which a traced Python number may stay traced; the body gets it there as a Python number or
    as `Weak`. An `out` parameter of the body is there for its position only: it stays None.
    """

    def register(body: Callable[..., Any]) -> Op:
        parameters = list(inspect.signature(body).parameters.values())
        names = [item.name for item in parameters]
        positional = [item.name for item in parameters if item.kind <= item.POSITIONAL_OR_KEYWORD]
        leading, traced = names[:arrays], {*names[:arrays], *operands}
        variadic = any(item.kind is item.VAR_POSITIONAL and item.name in traced for item in parameters)
        needed = sum(item.default is item.empty for item in parameters[:arrays])
        positions = range(64) if variadic else [at for at, key in enumerate(positional) if key in traced]
        out_at = positional.index("out") if "out" in positional else 64

        def rule(self: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            device = device_of((*args, *kwargs.values()))
            ready = [tensor(a, device) if at < arrays and a is not None else a for at, a in enumerate(args)]
            named = {
                key: tensor(item, device) if key in leading and item is not None else item
                for key, item in kwargs.items()
            }
            return self.body(*ready, **named)

        def refuses(self: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
            if (len(args) > out_at and args[out_at] is not None) or ("out" in kwargs and "out" not in names):
                return Cause.OUT_BY_PLACE()
            for item in args[:needed]:
                if item is None:
                    return Cause.NONE_AS_ARRAY()
            given = [item for at, item in enumerate(args) if at in positions]
            for item in given + [item for key, item in kwargs.items() if key in traced]:
                if type(item) in (list, tuple) and (reason := list_reason(item)):
                    return reason
            return limits(self, args, kwargs) if limits is not None else None

        return TABLE.add(
            Op(
                name=name or _name(objects[0]),
                objects=objects,
                rule=rule,
                body=body,
                scalar=scalar,
                view=view,
                views=views,
                scalars=scalars,
                numbers=numbers,
                library=library,
                product=product,
                checked=checked,
                sure=sure,
                varies=varies,
                creates=creates,
                methods=tuple(methods),
                operands=frozenset({*positions, *traced, *range(parts), *names[:parts]}),
                accepts=frozenset(item.name for item in parameters if item.kind is not item.POSITIONAL_ONLY)
                - {"out"},
                limits=refuses,
            )
        )

    return register


def _name(obj: Any) -> str:
    owner = getattr(obj, "__objclass__", None)
    prefix = f"numpy.{owner.__name__}" if owner is not None else (getattr(obj, "__module__", None) or "numpy")
    return f"{prefix}.{obj.__name__}"
