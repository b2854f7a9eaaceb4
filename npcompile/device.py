"""Devices: jitted functions called inside `with npcompile.device("cuda")` compute there; `asarray` puts
arrays there."""

from __future__ import annotations

import operator
import sys
from contextlib import ContextDecorator
from contextvars import ContextVar, Token
from typing import Any

import torch

from npcompile.frontend.eager import ndarray as arrays
from npcompile.lower.mesh.mesh import Mesh
from npcompile.runtime.current_device import computing, current, drawing, forced, used


class device(ContextDecorator):
    """Jitted functions called inside compute on this device.

    NumPy arrays move there at the call, and results come back. Where a call with NumPy arrays was measured to
    take less time on the host, copies counted, the host answers it. The object is a context manager and a
    decorator; it nests, and holds for this thread or asyncio task alone.

    Parameters
    ----------
    name : str or torch.device
        "cpu", "cuda" or "cuda:1".
    fast_random : bool
        `npcompile.numpy.random` computes uniform, normal and exponential numbers and integers on this
        device, as device arrays; they are the numbers that `jit(fast_random=True)` has (jitted functions go
        by their own option).
    force : bool
        The device answers all calls, also those that take less time on the host.
    mesh : int, optional
        Compute on so many devices of the kind `name`, each in a process of its own: "cuda" takes the first
        so many GPUs, "cpu" that many processes. Arrays are split among them by rows; what cannot be split
        is done by one device, and `stats.reasons` tells why. Linux only.

    Raises
    ------
    RuntimeError
        The machine has no such device, or fewer than `mesh` of them.
    ValueError
        There is no device of that name, or `mesh` is no count of devices of one kind.

    Examples
    --------
    >>> with npcompile.device("cpu"):
    ...     x = npcompile.asarray([1, 2])
    >>> np.asarray(x)
    array([1, 2])
    """

    def __init__(
        self,
        name: str | torch.device,
        *,
        fast_random: bool = False,
        force: bool = False,
        mesh: int | None = None,
    ) -> None:
        found: torch.device | Mesh = resolve(name)
        if mesh is not None:
            found = _mesh(name, mesh, fast_random)
        self.device = found
        self.fast_random = fast_random
        self.force = force
        self._made_as = name, mesh
        self._tokens: list[list[tuple[ContextVar[Any], Token[Any]]]] = []

    def _recreate_cm(self) -> device:  # as a decorator: each call has a context of its own
        name, mesh = self._made_as
        return device(name, fast_random=self.fast_random, force=self.force, mesh=mesh)

    def __enter__(self) -> device:
        if self.device not in used:
            used.append(self.device)
        drawn = self.device if self.fast_random else None
        self._tokens.append(
            [
                *(_held(current, self.device), _held(computing, self.device)),
                *(_held(drawing, drawn), _held(forced, self.force)),
            ]
        )
        return self

    def __exit__(self, *exc: object) -> None:
        for variable, token in self._tokens.pop():
            variable.reset(token)

    def __repr__(self) -> str:
        options = [f", {name}=True" for name in ("fast_random", "force") if getattr(self, name)]
        name = str(self.device)
        if isinstance(self.device, Mesh):
            name = self.device.kind
            options.append(f", mesh={self.device.size}")
        return f"npcompile.device({name!r}{''.join(options)})"


def _held(variable: ContextVar[Any], value: Any) -> tuple[ContextVar[Any], Token[Any]]:
    """Set a variable; return it with what resets it."""
    return variable, variable.set(value)


def resolve(name: str | torch.device) -> torch.device:
    """Return the device of that name, with its index. Raises RuntimeError, ValueError."""
    try:
        found = torch.device(name)
    except (RuntimeError, TypeError) as error:
        raise ValueError(f'no device {name!r}: use "cpu", "cuda" or "cuda:1"') from error
    if found.type == "cpu":
        return torch.device("cpu")
    if found.type != "cuda":
        raise ValueError(f'npcompile computes on "cpu" and "cuda", not on {name!r}')
    if not (torch.cuda.is_initialized() or torch.cuda.is_available()):
        raise RuntimeError(
            f"npcompile.device({str(name)!r}): this machine has no CUDA device that torch can use (a CPU "
            'build of torch has none). Use npcompile.device("cpu"), or install a CUDA build of torch.'
        )
    index = torch.cuda.current_device() if found.index is None else found.index
    if index >= torch.cuda.device_count():
        raise RuntimeError(
            f"npcompile.device({str(name)!r}): there are {torch.cuda.device_count()} CUDA devices"
        )
    return torch.device("cuda", index)


def _mesh(name: str | torch.device, size: int, fast_random: bool) -> Mesh:
    """Return so many devices of a kind. Raises RuntimeError, ValueError."""
    kind, size = torch.device(name), operator.index(size)
    if kind.index is not None or size < 1:
        call = f"npcompile.device({str(name)!r}, mesh={size})"
        raise ValueError(f'{call}: name a kind, "cpu" or "cuda", and a count')
    if fast_random:
        raise ValueError("npcompile.device: fast_random=True is for one device, not for a mesh")
    if kind.type == "cuda" and size > torch.cuda.device_count():
        raise RuntimeError(
            f"npcompile.device('cuda', mesh={size}): there are {torch.cuda.device_count()} CUDA devices"
        )
    if not (sys.platform == "linux" and torch.distributed.is_available()):
        raise RuntimeError(
            "npcompile.device(..., mesh=...) needs Linux, and a torch with torch.distributed; use one device"
        )
    return Mesh(kind.type, size)


def asarray(value: Any, dtype: Any = None) -> Any:
    """Return `value` as a device array on the current device, where it stays.

    Jitted functions take it without a copy.

    Parameters
    ----------
    value : array_like, torch.Tensor, device array or any array that speaks DLPack
        Its memory is shared if it is on the device already. Of JAX's arrays the answer is read-only.
    dtype : dtype, optional
        As in `numpy.asarray`.

    Returns
    -------
    npcompile.ndarray
        NumPy's array for a dtype that torch lacks.

    Examples
    --------
    >>> x = npcompile.asarray([1.0, 2.0])
    >>> np.asarray(x)
    array([1., 2.])
    """
    array = arrays.asarray(value, dtype)
    target = current.get()
    if target is None or not isinstance(array, arrays.ndarray):
        return array
    return array.to_device(target.home if isinstance(target, Mesh) else target)
