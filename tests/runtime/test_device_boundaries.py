"""The table of boundaries in docs/how-to/gpu.md, row by row: types that come out, and the bytes that cross.

The device is one that copies. CuPy and JAX are not there: small classes stand for their arrays, with memory
that DLPack says is managed by a GPU, and refuse or count copies to the host.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch

import npcompile
import npcompile.numpy
from tests.programs import copying_device

pytestmark = pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")

N = 100
SIZE = 8 * N  # bytes of an array
CALLS = 12  # the first ones record; of functions in blocks, a few more


@pytest.fixture(autouse=True)
def device(monkeypatch: pytest.MonkeyPatch) -> None:
    copying_device.use(monkeypatch)


def host() -> Any:
    return np.linspace(1.0, 2.0, N)


def there() -> Any:
    return npcompile.asarray(host())


def tensor() -> torch.Tensor:
    return torch.from_numpy(host())


class Cupy:
    """A stand-in for CuPy's array."""

    def __init__(self, memory: torch.Tensor) -> None:
        self.memory = memory

    def __dlpack_device__(self) -> tuple[int, int]:
        return 13, 0  # kDLCUDAManaged: torch asks for no stream then, and takes the memory as it is

    def __dlpack__(self, **_: Any) -> Any:
        return self.memory.__dlpack__()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        raise TypeError("Implicit conversion to a NumPy array is not allowed.")

    def __mul__(self, other: Any) -> Any:
        return type(self)(self.memory * getattr(other, "memory", other))

    __rmul__ = __add__ = __radd__ = __mul__


class Jax(Cupy):
    """A stand-in for JAX's array, which nobody may write to."""

    copies = 0

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        Jax.copies += 1
        return self.memory.numpy().copy()


@pytest.fixture
def libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the two classes be those of installed libraries."""
    for kind, name in ((Cupy, "cupy"), (Jax, "jaxlib")):
        module = types.ModuleType(name)
        module.__file__ = np.__file__.replace("numpy", name)
        monkeypatch.setitem(sys.modules, name, module)
        monkeypatch.setattr(kind, "__module__", name)


def root(x, y):
    return np.sqrt(x * x + y)


def doubled(x):
    x *= 2


def made(x):
    return np.zeros(len(x)) + x, np.arange(len(x)) * x


def made_of_numbers(x):
    return np.full(len(x), float(len(x)))


def of_tensors(t, u):
    x, y = t.numpy(), u.numpy()
    return torch.from_numpy(np.sqrt(x * x + y))


def of_arrays_as_tensor(x, y):
    return torch.from_numpy(np.sqrt(x * x + y))


def table(df, w):
    a, b = df["a"].to_numpy(), df["b"].to_numpy()
    r = np.sqrt(a * a + b * b) * w
    z = (r - r.mean()) / r.std()
    return pd.Series(z, index=df.index)


def loop(x, y):
    for _ in range(5):
        z = np.zeros_like(x) + y
        x = x * 0.5 + z
    return x


def frame() -> pd.DataFrame:
    return pd.DataFrame({"a": host(), "b": host() + 1, "unused": host()})


def doubled_by_libraries(x):
    return x * 2


Given = Callable[[], Any]
# Function, arguments, the type of the answer, bytes to the device, bytes from it.
ROWS: dict[str, tuple[Callable[..., Any], tuple[Given, ...], type, int, int]] = {
    "NumPy in": (root, (host, host), np.ndarray, 2 * SIZE, SIZE),
    "NumPy in, written to": (doubled, (host,), type(None), SIZE, SIZE),
    "NumPy in, made inside": (made, (host,), tuple, SIZE, 2 * SIZE),
    "NumPy in, a loop": (loop, (host, host), np.ndarray, 2 * SIZE, SIZE),
    "device in": (root, (there, there), npcompile.ndarray, 0, 0),
    "device in, written to": (doubled, (there,), type(None), 0, 0),
    "device in, made inside": (made, (there,), tuple, 0, 0),
    "device in, made of numbers": (made_of_numbers, (there,), np.ndarray, 0, SIZE),
    "device in, a loop": (loop, (there, there), npcompile.ndarray, 0, 0),
    "NumPy and device in": (root, (there, host), npcompile.ndarray, SIZE, 0),
    "torch in": (of_tensors, (tensor, tensor), torch.Tensor, 2 * SIZE, SIZE),
    "NumPy in, torch out": (of_arrays_as_tensor, (host, host), torch.Tensor, 2 * SIZE, SIZE),
    "device in, torch out": (of_arrays_as_tensor, (there, there), torch.Tensor, 0, 0),
    "pandas in": (table, (frame, host), pd.Series, 3 * SIZE, SIZE),
    "CuPy in": (doubled_by_libraries, (lambda: Cupy(tensor()),), Cupy, 0, 0),
    "JAX in": (doubled_by_libraries, (lambda: Jax(tensor()),), Jax, 0, 0),
}


def values(answer: Any) -> Any:
    if isinstance(answer, tuple):
        return [values(part) for part in answer]
    return answer.memory.numpy() if isinstance(answer, Cupy) else np.asarray(answer)


def counts(jitted: Any) -> list[int]:
    stats = jitted.stats
    return [stats.bytes_to_device, stats.bytes_from_device, stats.replays]


@pytest.mark.usefixtures("libraries")
@pytest.mark.parametrize("name", ROWS)
def test_bytes_and_types(name: str) -> None:
    function, given, kind, to_device, from_device = ROWS[name]
    jitted = npcompile.jit(function, wait=True)
    for call in range(CALLS):
        args, plain = [one() for one in given], [one() for one in given]
        before = counts(jitted)
        answer = jitted(*args)
        crossed = [after - was for after, was in zip(counts(jitted), before, strict=True)]
        assert type(answer) is kind, f"call {call}"
        want = function(*[np.asarray(one) if type(one) is npcompile.ndarray else one for one in plain])
        if want is not None:
            np.testing.assert_allclose(values(answer), values(want))
        for got, arg in zip(args, plain, strict=True):
            if isinstance(got, np.ndarray | npcompile.ndarray):
                np.testing.assert_array_equal(values(got), values(arg))
    assert crossed == [to_device, from_device, kind not in (Cupy, Jax)]
    assert Jax.copies == 0


def test_a_tensor_that_a_replay_returns_lies_on_the_memory_of_the_argument() -> None:
    def changed(t, y):
        x = t.numpy()
        shown = torch.from_numpy(x)
        x += y
        return shown, torch.from_numpy(x * 2)

    jitted = npcompile.jit(changed, wait=True)
    for _ in range(4):
        t = tensor()
        shown, twice = jitted(t, host())
        assert shown.data_ptr() == t.data_ptr()
        np.testing.assert_array_equal(t.numpy(), host() * 2)
        np.testing.assert_array_equal(twice.numpy(), host() * 4)
    assert jitted.stats.replays >= 2


@pytest.mark.usefixtures("libraries")
@pytest.mark.parametrize("library", [Cupy, Jax])
def test_arrays_of_other_libraries_become_device_arrays_on_their_memory(library: type[Cupy]) -> None:
    given = library(tensor())
    for made in (npcompile.asarray(given), npcompile.numpy.from_dlpack(given)):
        assert type(made) is npcompile.ndarray
        assert made.npcompile_tensor().data_ptr() == given.memory.data_ptr()
        assert made.flags.writeable is (library is Cupy)
    assert Jax.copies == 0
    jitted = npcompile.jit(root, wait=True)
    for _ in range(3):
        answer = jitted(npcompile.asarray(given), npcompile.asarray(given))
    assert jitted.stats.replays == 2
    assert jitted.stats.bytes_to_device == jitted.stats.bytes_from_device == 0
    out = torch.from_dlpack(answer)  # as `cupy.from_dlpack` and `jax.numpy.from_dlpack` would
    assert out.data_ptr() == answer.npcompile_tensor().data_ptr()


def test_read_only_device_arrays_are_not_written_to() -> None:
    jitted = npcompile.jit(doubled, wait=True)
    for _ in range(3):
        jitted(there())
    frozen = there()
    frozen.setflags(write=False)
    for _ in range(3):
        with pytest.raises(ValueError, match="read-only"):
            jitted(frozen)
    np.testing.assert_array_equal(np.asarray(frozen), host())


def test_the_memory_of_host_arrays_is_shown_to_no_gpu_library() -> None:
    assert not hasattr(there(), "__cuda_array_interface__")
