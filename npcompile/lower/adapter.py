"""The adapter to torch is the one file that names private parts of it, above all of AOTAutograd and Inductor.

No function here imports Inductor before it is called, and only the worker process (and `device/cuda.py`)
calls those that do. Written for torch 2.11 to 2.13; `PRIVATE` lists every private symbol, and a test looks
each one up.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple
from unittest import mock

import torch
import torch.fx as fx
from torch.utils._python_dispatch import TorchDispatchMode

from .loads import keep_order, load_at_once_where, once_per_loop, refuse_expanded, wraparound

__all__ = ["TorchDispatchMode"]  # for `unsigned.py`, which has a mode of its own

PRIVATE = (
    "torch._C._dynamo.guards._empty_strided_cpu",
    "torch._C._dynamo.guards._reinterpret_tensor",
    "torch._inductor.async_compile.AsyncCompile.cpp_pybinding",
    "torch._inductor.codegen.cpp.CppKernel.cache_dtype_convert",
    "torch._inductor.codegen.cpp.CppOverrides",
    "torch._inductor.codegen.cpp.CppVecKernel._get_vec_load_line",
    "torch._inductor.codegen.cpp.CppVecKernel._load_or_store_non_contiguous",
    "torch._inductor.codegen.cpp.CppVecOverrides",
    "torch._inductor.compile_fx.compile_fx",
    "torch._inductor.compile_fx.compile_fx_inner",
    "torch._inductor.config.alignment_asserts",
    "torch._inductor.config.assert_indirect_indexing",
    "torch._inductor.config.cpp.enable_tiling_heuristics",
    "torch._inductor.config.cpp.threads",
    "torch._inductor.config.cpp.vec_isa_ok",
    "torch._inductor.config.eager_numerics.division_rounding",
    "torch._inductor.config.emulate_precision_casts",
    "torch._inductor.config.fx_graph_cache",
    "torch._inductor.config.joint_graph_constant_folding",
    "torch._inductor.config.pattern_matcher",
    "torch._inductor.config.size_asserts",
    "torch._inductor.cpp_builder.CppTorchOptions",
    "torch._inductor.decomposition.select_decomp_table",
    "torch._inductor.cpu_vec_isa.pick_vec_isa",
    "torch._inductor.dependencies.StarDep",
    "torch._inductor.dependencies.WeakDep",
    "torch._inductor.fx_passes.reinplace.inplaceable_ops",
    "torch._inductor.ir.Pointwise.make_loader",
    "torch._inductor.lowering.make_pointwise",
    "torch._inductor.lowering.register_lowering",
    "torch._inductor.scheduler.SchedulerNode.recompute_size_and_body",
    "torch._inductor.utils.IndentedBuffer",
    "torch._inductor.virtualized.V",
    "torch._inductor.virtualized.ops",
    "torch._ops.OpOverload",
    "torch._ops.OpOverloadPacket",
    "torch._dynamo.source.ConstantSource",
    "torch._subclasses.FakeTensorMode",
    "torch.fx.experimental.symbolic_shapes.DimDynamic",
    "torch.fx.experimental.symbolic_shapes.ShapeEnv",
    "torch.utils._sympy.functions.ModularIndexing",
    "torch.utils._sympy.printers.PythonPrinter",
    "torch.utils._sympy.symbol.SymT",
    "torch.utils._python_dispatch.TorchDispatchMode",
    "torch.Tensor._make_wrapper_subclass",
    "torch.UntypedStorage._cdata",
)

# Settings without which a kernel's values are not NumPy's, on any device.
EXACT: dict[str, Any] = {
    "emulate_precision_casts": True,  # float16 steps round where NumPy's do; products on a GPU before sums
    # Both rewrite values: x + 0 to x (wrong for -0.0), a chain of casts to one
    "joint_graph_constant_folding": False,
    "pattern_matcher": False,
    "eager_numerics.division_rounding": True,  # float32 on a GPU: rounded as IEEE says, not off by 2 ulp
}
SETTINGS: dict[str, Any] = {
    **EXACT,
    "fx_graph_cache": False,  # kernels are kept under our own keys
    "assert_indirect_indexing": False,  # ops check their own bounds
    "alignment_asserts": False,
    "size_asserts": False,  # the kernel's caller checks the inputs
    "cpp.vec_isa_ok": True,  # /proc/cpuinfo is enough: trying each set costs a compiler run
}


class Traced(NamedTuple):
    """The result of code generation for one segment."""

    wrapper: str  # Python source: the kernels' text and the function that calls them
    outputs: list[Any]  # of the traced graph: a fake tensor each
    constants: dict[str, torch.Tensor]  # tensors that the wrapper refers to by name


DispatchMode = TorchDispatchMode  # while it is entered, each operation of torch's goes through its method

OPERATORS = (torch._ops.OpOverload, torch._ops.OpOverloadPacket)  # aten.add.Tensor, aten.add


def fake_mode() -> Any:
    """Return a mode in which tensors have everything but their values."""
    from torch._subclasses import FakeTensorMode

    return FakeTensorMode()


class Symbols:
    """Numbers that are parameters while a segment is traced.

    Tracing notes its assumptions on them; `conditions` returns these as Python text, in which the parameters
    have the names in `names`.
    """

    def __init__(self, values: tuple[int, ...]) -> None:
        from torch._dynamo.source import ConstantSource
        from torch._subclasses import FakeTensorMode
        from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv

        self._env = ShapeEnv()
        self.mode: Any = FakeTensorMode(shape_env=self._env)
        self.numbers: list[Any] = []
        for place, value in enumerate(values):
            source = ConstantSource(f"n{place}")
            symbol = self._env.create_symbol(value, source, dynamic_dim=DimDynamic.DYNAMIC)
            self.numbers.append(self._env.create_symintnode(symbol, hint=value, source=source))
        self._symbols = [number.node.expr for number in self.numbers]
        self.names = [str(symbol) for symbol in self._symbols]

    def fixed(self) -> list[str]:
        """Return the parameters that tracing has turned into constants."""
        return [str(symbol) for symbol in self._symbols if self._env.replace(symbol).is_number]

    def conditions(self) -> list[str]:
        """Return the conditions under which the traced code serves other values."""
        found = [self._text(guard.expr) for guard in self._env.guards]
        for symbol, bounds in self._env.var_to_range.items():
            if symbol not in self._symbols:
                raise RuntimeError(f"tracing made a number of its own ({symbol})")
            found.append(f"{symbol} >= {bounds.lower}")
            if bounds.upper.is_Integer:
                found.append(f"{symbol} <= {bounds.upper}")
        return list(dict.fromkeys(found))

    def text(self, number: Any) -> str:
        """Return a number as Python text in terms of the parameters."""
        return str(number) if type(number) is int else self._text(number.node.expr)

    def _text(self, expression: Any) -> str:
        from torch.utils._sympy.printers import PythonPrinter

        return str(PythonPrinter().doprint(expression))


def hint(number: Any) -> int:
    """Return the value that a parameter, or an expression of parameters, has in the segment being traced."""
    return number if type(number) is int else int(number.node.hint)


def memory_of(tensor: torch.Tensor) -> int:
    """Return a number that is equal for tensors that share memory, fake ones included."""
    return tensor.untyped_storage()._cdata


def generate(
    module: fx.GraphModule,
    inputs: list[Any],
    settings: Callable[[fx.Graph], dict[str, Any]],
    symbols: Symbols | None = None,
) -> Traced:
    """Return Inductor's text for a module on fake inputs (and numbers of `Symbols`); no compiler runs.

    settings(graph): those of Inductor's settings that depend on the traced graph. symbols: those among the
    inputs; where there is no array beside them, nothing else says how they are to be traced.
    """
    from torch._guards import TracingContext, tracing
    from torch._inductor import compile_fx, config, decomposition

    table = {**decomposition.select_decomp_table(), **_VECTOR_COMPARISONS}
    traced: list[Traced] = []

    def inner(graph_module: fx.GraphModule, example_inputs: Any, **kwargs: Any) -> Any:
        outputs = [n.meta["val"] for n in graph_module.graph.output_node().args[0]]  # type: ignore[union-attr]
        with config.patch(settings(graph_module.graph)):
            compiled: Any = compile_fx.compile_fx_inner(graph_module, example_inputs, **kwargs)
        traced.append(Traced(compiled.source_code, outputs, dict(compiled.constants or {})))
        return compiled

    context = tracing(None if symbols is None else TracingContext(symbols.mode))
    with config.patch(SETTINGS), _inductor_for_cpu(), torch.no_grad(), context:
        compile_fx.compile_fx(module, inputs, inner_compile=inner, decompositions=table)
    if len(traced) != 1:
        raise RuntimeError(f"Inductor made {len(traced)} graphs of one segment")
    return traced[0]


def _is_nan(a: torch.Tensor) -> torch.Tensor:
    return torch.ne(a, a) if a.is_floating_point() else NotImplemented


def _is_infinite(a: torch.Tensor) -> torch.Tensor:
    return torch.eq(torch.abs(a), float("inf")) if a.is_floating_point() else NotImplemented


# Inductor would call the C library for each element; these are comparisons of vectors.
_VECTOR_COMPARISONS = {torch.ops.aten.isnan.default: _is_nan, torch.ops.aten.isinf.default: _is_infinite}


@contextmanager
def _inductor_corrected() -> Iterator[None]:
    """Patch two mistakes of Inductor's, on any device.

    When torch 2.11 changes the loops of a step, it forgets that a write comes after reads (`keep_order`). And
    it writes in place to a tensor that one element was expanded to (`refuse_expanded`).
    """
    from torch._inductor.dependencies import StarDep, WeakDep
    from torch._inductor.fx_passes.reinplace import inplaceable_ops
    from torch._inductor.scheduler import SchedulerNode

    kept = keep_order(SchedulerNode.recompute_size_and_body, (StarDep, WeakDep))
    checked = {
        op: replace(how, extra_check=refuse_expanded(how.extra_check)) for op, how in inplaceable_ops.items()
    }
    in_place = mock.patch.dict(inplaceable_ops, checked)
    with mock.patch.object(SchedulerNode, "recompute_size_and_body", kept), in_place:
        yield


@contextmanager
def _inductor_for_cpu() -> Iterator[None]:
    """Patch Inductor's loads (`_strided_vectors`, `once_per_loop`) and disable two of its methods.

    One of the two compiles kernels when a wrapper is loaded. The other lets a float16 value that is widened
    again keep the digits it had before, which torch 2.11 does even where precision casts are emulated.
    """
    from torch._inductor.async_compile import AsyncCompile
    from torch._inductor.codegen.cpp import CppKernel, CppVecKernel
    from torch._inductor.ir import Pointwise
    from torch._inductor.virtualized import V

    def nothing(*args: Any) -> None:
        return None

    loaded = _strided_vectors(CppVecKernel._load_or_store_non_contiguous)
    with (
        mock.patch.object(AsyncCompile, "cpp_pybinding", nothing),
        mock.patch.object(CppKernel, "cache_dtype_convert", nothing),
        mock.patch.object(CppVecKernel, "_load_or_store_non_contiguous", loaded),
        mock.patch.object(Pointwise, "make_loader", once_per_loop(Pointwise.make_loader, V.get_ops_handler)),
        _inductor_corrected(),
    ):
        yield


STRIDED_SIGN = "at::vec::NpcSeconds<"  # in kernels that need `seconds.h`


def _strided_vectors(original: Callable[..., Any]) -> Callable[..., Any]:
    """Return Inductor's method that loads and stores vectors from strided memory, changed for two cases.

    Every second float of memory, and memory at which the index wraps around (rolls, tiles): Inductor would
    take these elements one by one.
    """
    from torch._inductor.codegen.cpp import DTYPE_TO_CPP, cexpr_index
    from torch._inductor.utils import IndentedBuffer
    from torch.utils._sympy.functions import ModularIndexing
    from torch.utils._sympy.symbol import SymT, symbol_is_type

    def unbroken(self: Any, var: Any, index: Any, dtype: Any, buffer: Any) -> Any:
        """Load a vector at once where the index does not wrap around in it, and element by element
        elsewhere."""
        turns = wraparound(index, _vector_index(self), ModularIndexing)
        if turns is None or any(symbol_is_type(symbol, SymT.TMP) for symbol in index.free_symbols):
            return original(self, var, index, dtype, buffer, None, False)
        own = IndentedBuffer()
        loaded = original(self, var, index, dtype, own, None, False)
        place, size, count = (cexpr_index(number) for number in (*turns, self.num_elems))
        load = self._get_vec_load_line(var, index, dtype)
        lines = load_at_once_where(own.getrawvalue(), f"{place} + {count} <= {size}", load)
        (self.loads if buffer is None else buffer).writelines(lines)
        return loaded

    def load_or_store(
        self: Any,
        var: Any,
        index: Any,
        dtype: Any,
        buffer: Any = None,
        store_value: Any = None,
        accu_store: bool = False,
    ) -> Any:
        kinds = (torch.float32, torch.float64)
        full = self.tail_size is None and self._load_mask is None and not accu_store and var is not None
        if dtype not in kinds or not full or self._try_get_const_stride(index, _vector_index(self)) != 2:
            if store_value is None and var is not None and self._load_mask is None:
                return unbroken(self, var, index, dtype, buffer)
            return original(self, var, index, dtype, buffer, store_value, accu_store)
        vectors = f"{STRIDED_SIGN}{DTYPE_TO_CPP[dtype]}, {self._get_num_vectors(dtype)}>"
        place = f"{var} + {cexpr_index(index)}"
        buffer = self.loads if buffer is None else buffer
        if store_value:
            buffer.writeline(f"{vectors}::store({place}, {store_value});")
            return None
        loaded = self.cse.generate(buffer, f"{vectors}::load({place})", dtype=dtype)
        loaded.is_vec = True
        return loaded

    return load_or_store


def _vector_index(kernel: Any) -> Any:
    return kernel.itervars[kernel.tiling_idx]


@functools.cache
def fused_multiply_add() -> Any:
    """Return the operator a * b + c, rounded once, of Inductor's kernels.

    Returns None where the processor has no such instruction.
    """
    from torch._inductor import config, lowering
    from torch._inductor.codegen import cpp
    from torch._inductor.cpu_vec_isa import pick_vec_isa
    from torch._inductor.virtualized import ops

    with config.patch(SETTINGS):
        if not pick_vec_isa():
            return None

    name = "fma"
    for owner, text in ((cpp.CppOverrides, "std::fma"), (cpp.CppVecOverrides, "at::vec::fmadd")):

        def fma(a: Any, b: Any, c: Any, text: str = text) -> str:
            return f"{text}({a}, {b}, {c})"

        setattr(owner, name, staticmethod(fma))  # Inductor finds the one by the other's name
    _FUSED.define("fma(Tensor a, Tensor b, Tensor c) -> Tensor")
    _FUSED.impl("fma", lambda a, b, c: a * b + c, "CompositeExplicitAutograd")
    operation: Any = torch.ops.npcompile.fma.default
    lowering.register_lowering(operation, broadcast=True)(lowering.make_pointwise(ops.fma))
    return operation


_FUSED = torch.library.Library("npcompile", "FRAGMENT")


def wrapper_tensor(kind: type, shape: Any, dtype: torch.dtype, device: torch.device) -> Any:
    """Return an object of a subclass of tensors, without memory."""
    return torch.Tensor._make_wrapper_subclass(kind, shape, dtype=dtype, device=device)


class Toolchain(NamedTuple):
    """The flags and paths that a C++ compiler needs for Inductor's kernels."""

    defines: list[str]
    arch: list[str]  # flags
    includes: list[str]
    library_dirs: list[str]
    libraries: list[str]


def toolchain() -> Toolchain:
    """Return the toolchain that Inductor would use on this machine."""
    from torch._inductor import config
    from torch._inductor.cpp_builder import CppTorchOptions
    from torch._inductor.cpu_vec_isa import VecISA, pick_vec_isa

    # Outside of the settings, the truth of a set of instructions is a compiler run. Of sets for numbers that
    # NumPy does not have it is one within them, too; they are not asked for.
    build = VecISA.check_build
    with config.patch(SETTINGS):
        VecISA.check_build = lambda isa, code: False  # type: ignore[method-assign, assignment]
        try:
            isa = pick_vec_isa()
        finally:
            VecISA.check_build = build  # type: ignore[method-assign]
        vectors = isa.build_arch_flags().split() if isa else []
        options = CppTorchOptions(vec_isa=isa, include_pytorch=False, shared=True)
    defines = [d.strip() for d in options.get_definitions() if d.strip()]
    arch = [f for f in options.get_cflags() if f.startswith(("march", "mcpu"))]
    return Toolchain(
        defines,
        [*(f"-{f}" for f in arch), *vectors],
        list(options.get_include_dirs()),
        list(options.get_libraries_dirs()),
        list(options.get_libraries()),
    )


def replay_names() -> dict[str, Any]:
    """Return the functions that Inductor's wrappers call besides kernels: all are in torch's core, none in
    Inductor."""
    import torch._C._dynamo.guards

    guards: Any = torch._C._dynamo.guards
    return {
        "torch": torch,
        "aten": torch.ops.aten,
        "device": torch.device,
        "inf": math.inf,
        "nan": math.nan,
        "empty_strided_cpu": guards._empty_strided_cpu,
        "reinterpret_tensor": guards._reinterpret_tensor,
        "extern_kernels": _ExternKernels,
    }


class _ExternKernels:
    """The tuned kernels that Inductor's wrappers call by these names."""

    mm = torch.mm
    addmm = torch.addmm
    bmm = torch.bmm
    baddbmm = torch.baddbmm
    _int_mm = torch._int_mm
    convolution = torch.convolution


EXTERN_KERNELS = frozenset(name for name in vars(_ExternKernels) if not name.startswith("__"))


class DeviceKernel(NamedTuple):
    """A segment compiled for a GPU."""

    run: Callable[..., list[torch.Tensor]]
    source: str  # Inductor's wrapper, with the Triton kernels in it
    kernels: int
    is_direct: bool = False  # Inductor's code is called without AOTAutograd's wrappers around it


class DeviceInput(NamedTuple):
    """One input of a kernel on a device. offset: elements between an aligned address and its first one."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: torch.dtype
    device: str
    offset: int = 0

    def fake(self) -> torch.Tensor:
        """Return a tensor like it. Inductor would copy at each call what it takes for aligned and is not."""
        made = torch.empty_strided(self.shape, self.strides, dtype=self.dtype, device=self.device)
        if not (self.offset and made.numel()):
            return made
        span = 1 + sum((n - 1) * s for n, s in zip(self.shape, self.strides, strict=True))
        memory = torch.empty(span + self.offset, dtype=self.dtype, device=self.device)
        return memory.as_strided(self.shape, self.strides, self.offset)


def compile_device(
    function: Callable[..., list[torch.Tensor]],
    examples: list[DeviceInput],
    results: int,
) -> DeviceKernel:
    """Return Inductor's callable for a function of tensors to a list of `results` tensors."""
    from torch._inductor import compile_fx, config

    device = examples[0].device if examples else "cuda"
    with fake_mode():
        fakes = [example.fake() for example in examples]
    graph = fx.Graph()
    answer = graph.call_function(function, tuple(graph.placeholder(f"a{i}") for i in range(len(examples))))
    graph.output(tuple(graph.call_function(operator.getitem, (answer, i)) for i in range(results)))
    module = fx.GraphModule(torch.nn.Module(), graph)
    sources: list[str] = []
    direct: list[Callable[[list[torch.Tensor]], Any]] = []

    def inner(graph_module: fx.GraphModule, example_inputs: Any, **kwargs: Any) -> Any:
        compiled: Any = compile_fx.compile_fx_inner(graph_module, example_inputs, **kwargs)
        sources.append(compiled.source_code)
        if _takes_and_gives(graph_module, len(examples), results):
            direct.append(compiled.current_callable)
        return compiled

    with config.patch(EXACT), _inductor_corrected(), torch.device(device), torch.no_grad():
        are_apart = _results_are_apart(function, examples)
        compiled: Any = compile_fx.compile_fx(module, fakes, inner_compile=inner)
    source = "\n".join(sources)

    def whole(*tensors: torch.Tensor) -> list[torch.Tensor]:
        return list(compiled(*tensors))

    def inside(*tensors: torch.Tensor) -> list[torch.Tensor]:
        return list(call([*tensors]))

    kernels = source.count("async_compile.triton(")
    if are_apart and len(direct) == len(sources) == 1:
        call = direct[0]
        return DeviceKernel(inside, source, kernels, is_direct=True)
    return DeviceKernel(whole, source, kernels)


def _takes_and_gives(graph_module: fx.GraphModule, inputs: int, results: int) -> bool:
    """Tell if what Inductor compiles has a segment's inputs and results, and no others."""
    given: Any = graph_module.graph.output_node().args[0]
    return len(graph_module.graph.find_nodes(op="placeholder")) == inputs and len(given) == results


def _results_are_apart(function: Callable[..., list[torch.Tensor]], examples: list[DeviceInput]) -> bool:
    """Tell if each result of a function lies in memory of its own.

    Then nothing is left to AOTAutograd when it is called, which takes as long as to launch a few kernels.
    """
    try:
        with fake_mode():
            inputs = [example.fake() for example in examples]
            tensors = [*inputs, *function(*inputs)]
            return len({memory_of(tensor) for tensor in tensors}) == len(tensors)
    except Exception:  # AOTAutograd knows more ways to trace it
        return False
