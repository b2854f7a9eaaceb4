"""Compiles the C++ functions of operations, and calls them on arrays of operands, for tests."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

import npcompile.lower.loops
from npcompile.lower.loops.operation import Operation
from npcompile.lower.loops.types import Scalar

FLAGS = (
    "-march=native",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-Wall",
    "-Wextra",
    "-Werror",
)
HEADERS = Path(npcompile.lower.loops.__file__).parent / "headers"


class CompiledOperations:
    """A library of operations, of which each is called for many operands at once.

    unchecked: their pure variants instead.
    """

    def __init__(
        self,
        operations: Iterable[Operation],
        folder: Path,
        unchecked: bool = False,
        level: str = "-O1",
        flags: Iterable[str] = (),
        header: str = "scalars.h",
    ) -> None:
        self.unchecked = unchecked
        self.names: dict[Operation, str] = {}
        for operation in operations:
            self.names.setdefault(operation, f"run_{len(self.names)}")
        source, library = folder / "operations.cpp", folder / "operations.so"
        source.write_text(f'#include "{header}"\n' + "\n".join(map(self._kernel, self.names)))
        command = [
            "g++",
            "-std=c++17",
            "-shared",
            "-fPIC",
            level,
            *FLAGS,
            f"-I{HEADERS}",
            source,
            "-o",
            library,
        ]
        subprocess.run(command, check=True)
        self.library = ctypes.CDLL(str(library))

    def _kernel(self, operation: Operation) -> str:
        operands = "".join(f"const {item.c_type}* x{i}, " for i, item in enumerate(operation.operands))
        values = ", ".join(f"x{i}[i]" for i in range(len(operation.operands)))
        if self.unchecked:
            body = f"out[i] = {operation.unchecked}({values}); left[i] = false;"
        elif operation.leaves:
            body = f"left[i] = {operation.function}({values}, out[i]);"
        else:
            body = f"out[i] = {operation.function}({values}); left[i] = false;"
        return (
            f'extern "C" void {self.names[operation]}({operands}{operation.result.c_type}* __restrict out,'
            f" bool* __restrict left, int64_t n) {{ for (int64_t i = 0; i < n; i++) {{ {body} }} }}"
        )

    def __call__(self, operation: Operation, *operands: Any) -> tuple[Any, Any]:
        """Return the answers, and where the function left."""
        count = len(operands[0])
        for operand, item in zip(operands, operation.operands, strict=True):
            assert (
                operand.dtype == np.dtype(item.code) and operand.flags.c_contiguous and len(operand) == count
            )
        answers, left = np.zeros(count, operation.result.code), np.zeros(count, bool)
        arrays = [ctypes.c_void_p(array.ctypes.data) for array in (*operands, answers, left)]
        getattr(self.library, self.names[operation])(*arrays, ctypes.c_int64(count))
        return answers, left


def conversion(source: Scalar, target: Scalar) -> Operation:
    """Return the conversion of an operand that an operation asks for."""
    return Operation(
        f"npl::cast<{target.c_type}, {source.c_type}>", (Scalar(source.code),), Scalar(target.code)
    )
