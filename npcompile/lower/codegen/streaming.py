"""Streaming stores: a result too large to be found in a cache later is written past the caches.

`cpp.emit` takes the changed sources of kernels from here. No value changes.
"""

from __future__ import annotations

import functools
import re

from npcompile.lower.codegen.wrapper import Kernel, Program, View
from npcompile.lower.plan.sizes import STREAMED_FROM

STORE = re.compile(
    r"\b(\w+)\.store\((out_ptr\d+) \+ ([^,;]+?)(?:, static_cast<int64_t>\((\d+)L?\))?\);$", re.MULTILINE
)
PARAMETER = re.compile(r"(\w+)\s*[,)]")
HELPERS = """\
#if defined(__AVX512F__)
#define NPC_LINE __m512i
#define NPC_PUT _mm512_stream_si512
#elif defined(__AVX2__)
#define NPC_LINE __m256i
#define NPC_PUT _mm256_stream_si256
#endif
template <typename V, typename T>
static inline void npc_stream(const V& value, T* to, int64_t count) {
#ifdef NPC_LINE
    constexpr int64_t bytes = V::size() * sizeof(T), line = sizeof(NPC_LINE);
    if constexpr (bytes % line == 0) {
        if (count == V::size() && reinterpret_cast<uintptr_t>(to) % line == 0) {
            alignas(64) T lanes[V::size()];
            value.store(lanes);
            for (int64_t i = 0; i < bytes / line; i++)
                NPC_PUT(reinterpret_cast<NPC_LINE*>(to) + i, reinterpret_cast<NPC_LINE*>(lanes)[i]);
            return;
        }
    }
#endif
    value.store(to, count);
}
// Streaming stores are not ordered with others. Other threads order theirs by the locked instruction that
// ends their share of a region; the calling thread does it here.
static inline void npc_streamed() {
#ifdef NPC_LINE
    _mm_sfence();
#endif
}"""
FENCE = "npc_streamed();"


def streamed(program: Program) -> dict[str, str]:
    """Return the changed sources, by kernel name, of the kernels that store some large result past the
    caches."""
    found = {}
    for kernel in program.kernels:
        large = _large(program, kernel)
        source = STORE.sub(functools.partial(_store, large), kernel.source)
        if source != kernel.source:
            found[kernel.name] = source
    return found


def _large(program: Program, kernel: Kernel) -> set[str]:
    """Return the parameters that are memory of the segment's own and large in every call of the kernel."""
    head = kernel.source[kernel.source.index("kernel(") :]
    names = PARAMETER.findall(head[: head.index("{")])
    large = set(names)
    for call in program.calls:
        if call.kernel is kernel:
            pairs = zip(names, call.arguments, strict=True)
            large &= {n for n, a in pairs if isinstance(a, View) and a.memory.allocated and _is_large(a)}
    return large


def _is_large(view: View) -> bool:
    return view.memory.nbytes >= STREAMED_FROM and view.nbytes >= STREAMED_FROM


def _store(large: set[str], found: re.Match[str]) -> str:
    value, pointer, offset, count = found.groups()
    if pointer not in large:
        return found[0]
    return f"npc_stream({value}, {pointer} + {offset}, {count or f'{value}.size()'});"
