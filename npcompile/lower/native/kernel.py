"""Makes kernels callable: from a library and its metadata to a function of host values. Imports no Inductor.

`service/compiler.py` calls `make` once a library is on disk; replays call the result.
"""

from __future__ import annotations

import base64
import ctypes
import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from npcompile.lower import adapter
from npcompile.lower.codegen import complexes, cpp
from npcompile.lower.plan.values import Value, tensor_of

DTYPES: dict[torch.dtype, tuple[str, int]] = {
    torch.bool: ("b", 1),
    torch.int8: ("i", 1),
    torch.int16: ("i", 2),
    torch.int32: ("i", 4),
    torch.int64: ("i", 8),
    torch.uint8: ("u", 1),
    torch.uint16: ("u", 2),
    torch.uint32: ("u", 4),
    torch.uint64: ("u", 8),
    torch.float16: ("f", 2),
    torch.float32: ("f", 4),
    torch.float64: ("f", 8),
    torch.complex64: ("c", 8),
    torch.complex128: ("c", 16),
}
NUMBERS: dict[str, torch.dtype] = {
    "int": torch.int64,
    "float": torch.float64,
    "complex": torch.complex128,
    "bool": torch.bool,
}
RELEASE_FROM = 5_000.0  # nanoseconds of work: below, releasing the interpreter lock costs more than it gains

Spec = tuple[str, str, int, tuple[int, ...], tuple[int, ...], bool]

_libraries: list[ctypes.CDLL] = []  # of the general form


def spec(value: Value, written: bool) -> Spec:
    """Return a value's description for the native runtime. Raises TypeError for a kind or dtype without a
    host form."""
    dtype = NUMBERS.get(value.kind, value.dtype)
    if dtype not in DTYPES or value.kind not in ("array", "scalar", *NUMBERS) or value.device != "cpu":
        raise TypeError(f"a kernel cannot pass a {value.kind} of {value.dtype} on {value.device}")
    return value.kind, *DTYPES[dtype], tuple(value.shape), tuple(value.strides), written


def make(
    native: Any,
    inputs: list[Value],
    outputs: list[Value],
    written: set[int],
    library: Path,
    metadata: dict[str, Any],
    instead: Callable[..., Any],
) -> Callable[..., Any]:
    """Return the callable of one segment, from host values in the order of its inputs to one value or a
    tuple.

    instead: called with the values where the kernel cannot run (there is no memory for its results) or fails
    without having written into an input.

    The callable raises TypeError, ValueError or OverflowError before anything ran if a value is not of the
    type, dtype, shape and strides that were compiled, or is read-only where the kernel writes.
    """
    body = None if metadata["form"] == "native" else _general_body(native.team, library, metadata)
    return native.Kernel(
        str(library) if body is None else None,
        tuple(spec(v, i in written) for i, v in enumerate(inputs)),
        tuple(spec(v, False) for v in outputs),
        metadata["scratch"],
        metadata["cost"] >= RELEASE_FROM,
        body,
        tuple(metadata["table"]),
        cpp.sharing_is_measured(metadata["cost"], metadata["threads"], metadata["fixed"]),
        instead,
    )


def _general_body(team: int, library: Path, metadata: dict[str, Any]) -> Callable[[Any, Any], None]:
    """Return the function of the general form: Inductor's statements on torch tensors that share the arrays'
    memory."""
    handle = ctypes.CDLL(str(library))
    _libraries.append(handle)
    if hasattr(handle, "npc_team"):
        ctypes.c_void_p.in_dll(handle, "npc_team").value = team
    names = adapter.replay_names()
    names.update(torch.load(io.BytesIO(base64.b64decode(metadata["constants"]))))
    for place, (name, arity) in enumerate(metadata["entries"]):
        names[name] = _entry(getattr(handle, f"kernel_{place}_call"), arity)
    exec(compile(metadata["general"], f"<{library.name}>", "exec"), names)
    run = names["run"]
    values = metadata.get("values", ())
    parts = metadata["parts"]

    def body(inputs: tuple[Any, ...], outputs: tuple[Any, ...]) -> None:
        with torch.no_grad():
            taken, given = map(tensor_of, inputs), map(tensor_of, outputs)
            run([*values, *complexes.code_inputs(taken, parts)], complexes.code_outputs(given, parts))

    return body


def _entry(function: Any, arity: int) -> Callable[..., None]:
    function.restype = ctypes.c_char_p
    function.argtypes = [ctypes.c_void_p] * arity

    def call(*args: torch.Tensor | int) -> None:
        message = function(*(a if isinstance(a, int) else a.data_ptr() for a in args))
        if message:
            raise RuntimeError(message.decode())

    return call


def _one_thread() -> None:
    """Set all kernels to one thread in a forked child.

    Threads do not survive a fork: a parallel region in the child would wait for them for ever.
    """
    for handle in _libraries:
        ctypes.c_int.in_dll(handle, "npc_threads").value = 1
    if _libraries:
        torch.set_num_threads(1)


os.register_at_fork(after_in_child=_one_thread)
