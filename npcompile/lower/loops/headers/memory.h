// Memory of the arrays that native loops make: counted blocks, freed when the last name or temporary lets go.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace npl {

constexpr int most_axes = 8;

// `frontend/loops/run/exchange.py` reads the fields before `items`: the array for which the memory was made.
struct block {
    int64_t references, bytes, axes;
    int64_t shape[most_axes];
    int64_t turned;  // it lies by columns
    alignas(64) char items[];
};
static_assert(offsetof(block, items) == 128);

// The result has one reference; it is null where memory is short.
static inline block *allocate(int64_t bytes) {
    if (bytes < 0) return nullptr;
    void *start = std::malloc(size_t(bytes) + sizeof(block) + 64);
    if (!start) return nullptr;
    // The address that `free` needs stands before the block, for `exchange.py`, too.
    char *place = reinterpret_cast<char *>((reinterpret_cast<uintptr_t>(start) + 64) & ~uintptr_t(63));
    reinterpret_cast<void **>(place)[-1] = start;
    block *made = reinterpret_cast<block *>(place);
    made->references = 1;
    made->bytes = bytes;
    return made;
}

static inline void release(block *memory) {
    if (memory && --memory->references == 0) std::free(reinterpret_cast<void **>(memory)[-1]);
}

// Memory for as long as a statement is done: it stays where a name has taken a reference.
struct scratch {
    block *memory = nullptr;
    scratch() = default;
    scratch(const scratch &) = delete;
    ~scratch() { release(memory); }
};

}  // namespace npl
