"""Writes the C++ file of a segment, with one function that calls its kernels, and compiles it to a library.

`service/compile.py` calls `emit` and `build`; `shapes/fitting.py` writes the calling function again for other
sizes. Kernels keep Inductor's text but for a few substitutions, each explained beside its constant.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import torch

from npcompile.diagnostics.settings import config
from npcompile.lower import adapter
from npcompile.lower.codegen import streaming
from npcompile.lower.codegen.wrapper import Call, Memory, Program, Unreadable, View, numel

# Inductor's own flags without those that break IEEE 754 (-fno-signed-zeros and its kin). Without errno and
# traps a square root is one instruction; neither changes a value. Integers wrap around as NumPy's do: without
# -fwrapv GCC assumes that abs(x) is positive and a + 1 > a true.
FLAGS = (
    "-O3 -DNDEBUG -std=c++20 -fPIC -shared -fopenmp -w -fwrapv -ffp-contract=off -fno-trapping-math "
    "-fno-math-errno -fno-tree-loop-vectorize -fno-gnu-unique -fvisibility=hidden"
).split()
PARALLEL = re.compile(r"#pragma omp parallel( for)?(?: num_threads\(\d+\))?[ ]*$", re.MULTILINE)
INCLUDE = re.compile(r"^[ ]*#include.*$", re.MULTILINE)
COPY_TYPES = {1: "uint8_t", 2: "uint16_t", 4: "uint32_t", 8: "uint64_t", 16: "std::array<uint64_t, 2>"}
ALIGNMENT = 64
# Bounds on the work of a kernel, in nanoseconds as `compile.cost` estimates it. The estimate is up to thirty
# times what a run takes where many operations are fused (heat_3d: 74 microseconds against 4). Between the two
# bounds, runs are therefore measured (trying.h); below one thread does the work, above threads share it.
MEASURED_FROM, SHARED_FROM = 10_000.0, 400_000.0
# The same bound for kernels whose number of threads may not change from call to call, as a sum's last digits
# follow from it. Waking a second thread takes 30 microseconds, in which the caller goes on alone.
FIXED_FROM = 100_000.0
PARTIAL_SUM_SIGNS = ("[tid]", "omp_get_num_threads")  # in kernels whose threads have sums of their own
# A kernel that adds at places given by data runs on one thread, where plain additions do: several threads
# would have to add atomically. Bins of 400,000 numbers take 0.84 ms on one thread and 2.4 ms on two.
ATOMIC_ADD = "atomic_add"
SERIAL_ADD = """\
template <typename T> static inline void atomic_add(volatile T* to, T value) { *to = *to + value; }
#ifdef INDUCTOR_USE_VECTOR_TYPES
#if INDUCTOR_USE_VECTOR_TYPES()
template <typename T, int NI, int NV>
static inline void atomic_add_vec(
    T* to, at::vec::VectorizedN<int64_t, NI> index, at::vec::VectorizedN<T, NV> values,
    int64_t count = at::vec::VectorizedN<int64_t, NI>::size()) {
    constexpr int lanes = at::vec::VectorizedN<int64_t, NI>::size();
    __at_align__ std::array<T, lanes> value;
    __at_align__ std::array<int64_t, lanes> place;
    values.store(value.data(), lanes);
    index.store(place.data(), lanes);
    for (int64_t i = 0; i < count; i++) to[place[i]] += value[i];
}
#endif
#endif"""
# Inductor adds 4096 vectors of float32 in a row before it adds in pairs: 5 to 15 ulp off where NumPy's sums
# are off by one. Chunks of 64 are as exact as NumPy's and take no longer.
SUM_CHUNK = re.compile(r"(CascadeSumHelper<.*?), 4096>")
# The compiler assumes that the cast of an absolute value is not negative, but a float that does not fit
# becomes the least integer in NumPy. The empty `asm` hides from it where the number came from.
CAST, OPAQUE_CAST = "c10::convert<int", "npc_convert<int"
OPAQUE_CAST_SOURCE = """\
template <typename To, typename From>
static inline To npc_convert(From from) {
    To to = c10::convert<To>(from);
    if constexpr (!std::is_integral_v<From>) asm("" : "+r"(to));
    return to;
}"""
MASK_SIGN = "VecMask<"  # in kernels that need MASKS
NATIVE = Path(__file__).parents[1] / "native"
MASKS = NATIVE / "masks.h"
SECONDS = NATIVE / "seconds.h"
REGIONS = NATIVE / "regions.h"


INDUCTOR = "#include <torch/csrc/inductor/cpp_prefix.h>\n"


class CompilerMissing(Exception):
    """This machine has no C++ compiler."""


class CompilerFailed(Exception):
    """The C++ compiler refused a file; the text is its last output."""


class TooSmall(Exception):
    """The work is too little for more than one thread in a kernel whose number of threads is fixed."""


class OutputLayout(NamedTuple):
    """The layout in which one output is to be left. Strides count elements."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    itemsize: int

    @property
    def nbytes(self) -> int:
        return numel(self.shape) * self.itemsize


class SizeText:
    """Writes the numbers that follow from sizes into the calling function.

    A number is written as it is, or as a place in the table that the function is called with.
    """

    def __init__(self, in_table: bool) -> None:
        self.in_table = in_table
        self.table: list[int] = []

    def __call__(self, number: int) -> str:
        if not self.in_table:
            return str(number)
        self.table.append(number)
        return f"t[{len(self.table)}]"  # t[0]: the threads


class Emitted(NamedTuple):
    source: str
    entry: str  # the text of `npc_run`, which calls the kernels
    table: list[int]
    scratch: int  # bytes
    bytes_written: int
    written: set[int]  # inputs that some kernel writes
    fixed: bool  # results depend on the number of threads, or `npc_run` cannot choose that number


def output_memories(program: Program, outs: list[OutputLayout]) -> dict[Memory, int]:
    """Return the memories that can be an output's own: allocated, returned whole and laid out as demanded."""
    places: dict[Memory, int] = {}
    for index, (view, out) in enumerate(zip(program.returned, outs, strict=True)):
        if view is None or view.memory in places or not view.memory.allocated:
            continue
        if view.offset == 0 and view.memory.nbytes == out.nbytes and same_layout(view, out):
            places[view.memory] = index
    return places


def same_layout(view: View, out: OutputLayout) -> bool:
    pairs = zip(view.shape, view.strides, out.strides, strict=True)
    return view.shape == out.shape and (0 in out.shape or all(a == b for n, a, b in pairs if n != 1))


def emit(program: Program, outs: list[OutputLayout], threads: int, sized: bool = False) -> Emitted:
    """Return one C++ file: a namespace for each kernel, and `npc_run(inputs, outputs, scratch, table)`.

    `npc_run` calls the kernels, and returns a message if one throws. In the general form each kernel has a
    function of its own instead. sized: the library serves any sizes; numbers that follow from them stand in
    the table.
    """
    numbers = SizeText(sized)
    count = "npc_now" if program.general is None else "npc_threads"
    includes: dict[str, None] = {}
    kernels: list[str] = []
    streamed = streaming.streamed(program) if program.general is None else {}
    for index, kernel in enumerate(program.kernels):
        source = streamed.get(kernel.name, kernel.source)
        includes.update(dict.fromkeys(line.strip() for line in INCLUDE.findall(source)))
        text = INCLUDE.sub("", source).replace('extern "C"', "").strip()
        alone = ATOMIC_ADD in text
        text = f"{SERIAL_ADD}\n{text}" if alone else text
        text, found = PARALLEL.subn(rf"#pragma omp parallel\1 num_threads({1 if alone else count})", text)
        if found != text.count("omp parallel"):  # a kernel's buffers hold one entry a thread
            raise Unreadable("a parallel region whose threads cannot be set")
        text = SUM_CHUNK.sub(r"\1, 64>", text.replace(CAST, OPAQUE_CAST))
        kernels.append(f"// {kernel.name}\nnamespace kernel_{index} {{\n{text}\n}}")
    head = [
        *includes,
        "#include <array>\n#include <cstdint>\n#include <cstring>\n#include <exception>",
        '#define NPC_EXPORT extern "C" __attribute__((visibility("default")))',
        f"NPC_EXPORT int npc_threads = {threads};  // a forked child sets it to 1",
        *(["static thread_local int npc_now = 1;  // of this call"] if program.general is None else []),
        "static thread_local char npc_message[512];",
        "static const char* npc_failed(const char* what) {\n"
        "    std::strncpy(npc_message, what, sizeof npc_message - 1);\n    return npc_message;\n}",
    ]
    if any("omp parallel" in kernel for kernel in kernels):
        head.append(REGIONS.read_text().strip())
    if any(MASK_SIGN in kernel.source for kernel in program.kernels):
        head.insert(len(includes) + 1, MASKS.read_text())
    if any(adapter.STRIDED_SIGN in kernel.source for kernel in program.kernels):
        head.insert(len(includes) + 1, SECONDS.read_text())
    if any(OPAQUE_CAST in kernel for kernel in kernels):
        head.insert(len(includes) + 1, OPAQUE_CAST_SOURCE)
    if streamed:
        head.insert(len(includes) + 1, streaming.HELPERS)
    if program.general is not None:
        tail = [_entry(f"kernel_{i}", k.types) for i, k in enumerate(program.kernels)]
        entry, scratch = "", 0
    else:
        entry, scratch = entry_of(program, outs, numbers, streaming.FENCE if streamed else "")
        tail = [entry]
    written = bytes_written(program, outs)
    inputs = {v.memory.index for call in program.calls for v in call.results() if v.memory.index >= 0}
    source = "\n\n".join([*head, *kernels, *tail]) + "\n"
    fixed = program.general is not None or any(
        sign in k.source for sign in PARTIAL_SUM_SIGNS for k in program.kernels
    )
    return Emitted(source, entry, numbers.table, scratch, written, inputs, fixed)


def bytes_written(program: Program, outs: list[OutputLayout]) -> int:
    """Return how many bytes one run writes."""
    written = sum(view.nbytes for call in program.calls for view in call.results())
    return written + sum(out.nbytes for _, out in _copied(program, outs))


def _copied(program: Program, outs: list[OutputLayout]) -> list[tuple[int, OutputLayout]]:
    own = set(output_memories(program, outs).values())
    return [(i, out) for i, out in enumerate(outs) if i not in own]


def _entry(name: str, types: list[str]) -> str:
    parameters = ", ".join(f"void* a{i}" for i in range(len(types)))
    arguments = ", ".join(f"({t})a{i}" for i, t in enumerate(types))
    body = _guarded([f"{name}::kernel({arguments});"])
    return f"NPC_EXPORT const char* {name}_call({parameters}) {{\n{body}}}"


def _guarded(lines: list[str]) -> str:
    body = "".join(f"        {line}\n" for line in lines)
    caught = "catch (const std::exception& e) {\n        return npc_failed(e.what());\n    }"
    return f"    try {{\n{body}    }} {caught}\n    return nullptr;\n"


def allowed_threads(nanoseconds: float, threads: int, fixed: bool = False) -> int:
    """Return how many threads may share kernels of that much work.

    fixed: they always will, not only where measured runs show that sharing pays.
    """
    return threads if nanoseconds >= (FIXED_FROM if fixed else MEASURED_FROM) else 1


def sharing_is_measured(nanoseconds: float, threads: int, fixed: bool) -> bool:
    """Return True if runs have to be measured to decide if threads share the work."""
    return threads > 1 and nanoseconds < SHARED_FROM and not fixed


def entry_of(program: Program, outs: list[OutputLayout], numbers: SizeText, fence: str) -> tuple[str, int]:
    """Return the text of `npc_run`, and the size of its scratch memory in bytes."""
    names = {kernel.name: f"kernel_{index}" for index, kernel in enumerate(program.kernels)}
    own = output_memories(program, outs)
    constants: list[str] = []
    offsets: dict[Memory, int] = {}
    last = max((m.last for m in program.memories), default=0)
    for index, _ in _copied(program, outs):  # these are copied after the last kernel
        view = program.returned[index]
        assert view is not None
        view.memory.last = last + 1
    scratch = _assign([m for m in program.memories if m not in own], offsets)

    def pointer(view: View, type_: str) -> str:
        memory = view.memory
        if memory.constant is not None:
            name = f"constant_{len(constants)}"
            data = bytes(memory.constant.untyped_storage().tolist())
            values = ",".join(map(str, data)) or "0"
            constants.append(f"alignas(64) static const unsigned char {name}[] = {{{values}}};")
            base = name
        elif memory.index >= 0:
            base = f"in[{memory.index}]"
        elif memory in own:
            base = f"out[{own[memory]}]"
        else:
            base = f"(scratch + {numbers(offsets[memory])})"
        shift = f" + {numbers(view.offset)}" if view.offset or numbers.in_table else ""
        return f"({type_}){base}{shift}"

    lines = [f"{names[c.kernel.name]}::kernel({_arguments(c, pointer, numbers)});" for c in program.calls]
    for index, out in _copied(program, outs):
        view = program.returned[index]
        assert view is not None
        type_ = COPY_TYPES[out.itemsize]
        source, target = "0", "0"
        loops = []
        for axis, (n, a, b) in enumerate(zip(out.shape, view.strides, out.strides, strict=True)):
            loops.append(f"for (int64_t i{axis} = 0; i{axis} < {numbers(n)}; i{axis}++)")
            source += f" + i{axis} * {numbers(a)}"
            target += f" + i{axis} * {numbers(b)}"
        read = pointer(view, f"const {type_}*")
        lines.append(" ".join([*loops, f"(({type_}*)out[{index}])[{target}] = ({read})[{source}];"]))
    if fence:
        lines.append(fence)
    if program.kernels:
        lines.insert(0, "npc_now = t[0] < npc_threads ? int(t[0]) : npc_threads;")
    head = "NPC_EXPORT const char* npc_run(void** in, void** out, char* scratch, const int64_t* t)"
    entry = f"{head} {{\n{_guarded(lines)}}}"
    return "\n\n".join([*constants, entry]), scratch


def _arguments(call: Call, pointer: Callable[[View, str], str], numbers: SizeText) -> str:
    texts = []
    for argument, type_ in zip(call.arguments, call.kernel.types, strict=True):
        if isinstance(argument, View):
            texts.append(pointer(argument, type_))
        else:
            texts.append(f"({type_}){numbers(argument) if type(argument) is int else argument}")
    return ", ".join(texts)


def _assign(memories: list[Memory], offsets: dict[Memory, int]) -> int:
    """Give memories that are never in use together places in one scratch area; return the area's size."""
    placed_: list[tuple[int, int, Memory]] = []
    total = 0
    for memory in sorted(memories, key=lambda m: -m.nbytes):
        offset = 0
        for start, end, other in sorted(placed_, key=lambda p: p[0]):
            apart = other.last < memory.first or memory.last < other.first
            if not apart and offset < end and start < offset + memory.nbytes:
                offset = end
        end = -(-(offset + memory.nbytes) // ALIGNMENT) * ALIGNMENT
        placed_.append((offset, end, memory))
        offsets[memory] = offset
        total = max(total, end)
    return total


def compiler() -> str:
    """Return the path of the C++ compiler: `$CXX` if that is set, else g++, else clang++.

    Raises CompilerMissing.
    """
    chosen = os.environ.get("CXX")
    names = [chosen] if chosen else ["g++", "clang++"]
    for name in names:
        if path := shutil.which(name):
            return path
    raise CompilerMissing(f"no C++ compiler found: {' or '.join(names)} is not on the path")


class Header:
    """A header, precompiled for many files: Inductor's, of which parsing is most of a kernel's compilation.

    Precompiling takes as long as four kernels, some 150 MB in `folder`, and a core that kernels on all cores
    wait for. Only a process that compiles much does it therefore, beside its eighth kernel, and uses the
    result once it is there. g++ ignores a precompiled header that does not fit.

    NPCOMPILE_HEADER_DIR names a folder that keeps it for later processes, which use it from their first
    kernel on.

    text: what the header includes. flags: gives the flags of the files that include it.
    """

    MADE_AT = 8

    def __init__(
        self, folder: Path, text: str = INDUCTOR, flags: Callable[[], list[str]] | None = None
    ) -> None:
        self.text = text
        self._flags = _flags if flags is None else flags
        self.kept = config.header_dir or None
        self.folder = Path(self.kept or folder)
        self.kernels = 0
        self.process: subprocess.Popen[bytes] | None = None
        self.making: Path | None = None  # where the process writes

    def flags(self, compiler: str) -> list[str]:
        """Return the compiler's flags for the next kernel, with the precompiled header if it is ready."""
        self.kernels += 1
        source = self.folder / self._name(compiler)
        compiled = Path(f"{source}.gch")
        if self.making is not None and self.process is not None and self.process.poll() == 0:
            self.making.rename(compiled)
            self.making = None
        if compiled.exists():
            return ["-include", str(source)]
        if self.kernels >= self.MADE_AT and self.process is None:
            self._make(compiler, source)
        return []

    def _name(self, compiler: str) -> str:
        """Return the name of the header's file, which says for what it was compiled where it is kept."""
        if self.kept is None:
            return "prefix.h"
        made_by = " ".join([compiler, *self._flags(), torch.__version__, self.text])
        return f"{hashlib.sha256(made_by.encode()).hexdigest()[:16]}-prefix.h"

    def _make(self, compiler: str, source: Path) -> None:
        """Begin to compile the header."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self.making = Path(f"{source}.{os.getpid()}")
        if not source.exists():  # another process may read it
            source.write_text(self.text)
        command = [compiler, "-x", "c++-header", str(source), *self._flags(), "-o", str(self.making)]
        nowhere = subprocess.DEVNULL
        self.process = subprocess.Popen(command, stdin=nowhere, stdout=nowhere, stderr=nowhere)

    def stop(self) -> None:
        """End the header's compilation, if it is under way."""
        if self.process is not None and self.process.poll() is None:
            assert self.making is not None
            self.process.kill()
            self.process.wait()
            self.making.unlink(missing_ok=True)


def _flags() -> list[str]:
    tools = adapter.toolchain()
    defines = [f"-D{d}" for d in tools.defines]
    return [*FLAGS, *tools.arch, *defines, *(f"-I{d}" for d in tools.includes)]


def build(source: Path, library: Path, compiler: str, header: Header) -> None:
    """Compile a kernel file to a library. Raises CompilerFailed."""
    tools = adapter.toolchain()
    linked = [*(f"-L{d}" for d in tools.library_dirs), *(f"-l{n}" for n in tools.libraries)]
    command = [compiler, *header.flags(compiler), str(source), *_flags()]
    command += ["-Wl,--as-needed", *linked, "-o", str(library)]  # most kernels need none of torch's libraries
    try:
        run(command)
    except CompilerFailed:  # another version of torch may define the casts of masks.h itself
        if MASK_SIGN not in source.read_text():
            raise
        run([*command, "-DNPC_NO_MASKS"])


def run(command: list[str]) -> None:
    """Run a compiler. Raises CompilerFailed with the first errors of its output."""
    result = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if result.returncode:
        said = (result.stderr or result.stdout).strip().splitlines()
        errors = (
            [line for line in said if "error" in line] or said[-3:] or [f"exit status {result.returncode}"]
        )
        raise CompilerFailed(f"the C++ compiler failed: {'; '.join(errors[:3])}")
