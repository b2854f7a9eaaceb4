// The pool of reused buffers, and NumPy's allocator hook (NEP 49) that gives them back.
//
// Kernels' results lie in it; arrays own their buffers as any others. Included by native.cpp only.
#pragma once

#include <numpy/arrayobject.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace {

constexpr size_t HEADER = 64;                     // before every buffer; keeps buffers aligned to 64 bytes
constexpr size_t LARGE = size_t(4) << 20;         // from here on: own pages, huge ones (as NumPy asks for itself)
constexpr size_t HUGE_PAGE = size_t(2) << 20;
constexpr int STEPS = 8;                          // size classes for each power of two: at most 1/8 is unused
constexpr int CLASSES = 64 * STEPS;

struct Block {  // lies in the header; the links are used while the block is free
    size_t capacity;
    size_t mapped;  // bytes mapped at the block's start, 0 for malloc's
    int size_class;
    Block *newer, *older;    // among all free blocks
    Block *above, *below;    // among free blocks of the size class, most recently freed first
};
static_assert(sizeof(Block) <= HEADER, "the header holds a block");

struct Pool {
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    Block *free_of_class[CLASSES] = {};
    Block *newest = nullptr, *oldest = nullptr;
    size_t free_bytes = 0, live_bytes = 0, peak_bytes = 0, limit = 0;
    size_t fresh = 0, reused = 0;  // allocations answered by the system, by the pool
} pool;

std::atomic<bool> forked{false};  // OpenMP's threads do not survive a fork: children run kernels on one thread

int class_of(size_t size, size_t *capacity) {
    size_t units = (size + 63) / 64;
    if (units < 1) units = 1;
    if (units <= STEPS) {
        *capacity = units * 64;
        return int(units) - 1;
    }
    int shift = 63 - __builtin_clzll(units - 1) - 3;  // 3 = log2(STEPS)
    size_t step = size_t(1) << shift;
    size_t rounded = (units + step - 1) / step;  // STEPS + 1 .. 2 * STEPS
    *capacity = (rounded << shift) * 64;
    return (shift + 1) * STEPS + int(rounded) - STEPS - 1;
}

Block *block_of(void *buffer) { return reinterpret_cast<Block *>(static_cast<char *>(buffer) - HEADER); }
void *buffer_of(Block *block) { return reinterpret_cast<char *>(block) + HEADER; }

void unlink(Block *b) {
    (b->newer ? b->newer->older : pool.newest) = b->older;
    (b->older ? b->older->newer : pool.oldest) = b->newer;
    (b->above ? b->above->below : pool.free_of_class[b->size_class]) = b->below;
    if (b->below) b->below->above = b->above;
    pool.free_bytes -= b->capacity;
}

void link(Block *b) {
    b->newer = nullptr;
    b->older = pool.newest;
    (pool.newest ? pool.newest->newer : pool.oldest) = b;
    pool.newest = b;
    b->above = nullptr;
    b->below = pool.free_of_class[b->size_class];
    if (b->below) b->below->above = b;
    pool.free_of_class[b->size_class] = b;
    pool.free_bytes += b->capacity;
}

void release(Block *b) {
    if (b->mapped)
        munmap(b, b->mapped);
    else
        std::free(b);
}

Block *obtain(size_t size, size_t capacity, int size_class) {
    Block *b;
    size_t mapped = 0;
    if (capacity >= LARGE) {
        size_t page = 4096;
        mapped = (capacity + HEADER + page - 1) / page * page;
        char *start = static_cast<char *>(
            mmap(nullptr, mapped + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        if (start == MAP_FAILED) return nullptr;
        char *aligned = reinterpret_cast<char *>(
            (reinterpret_cast<uintptr_t>(start) + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE);
        if (aligned > start) munmap(start, aligned - start);
        size_t rest = start + mapped + HUGE_PAGE - (aligned + mapped);
        if (rest) munmap(aligned + mapped, rest);
#ifdef MADV_HUGEPAGE
        // The last page, partly used, stays small: a result takes no more memory than NumPy's.
        madvise(aligned, (HEADER + size) / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
#endif
        b = reinterpret_cast<Block *>(aligned);
    } else {
        void *p = nullptr;
        if (posix_memalign(&p, 64, HEADER + capacity)) return nullptr;
        b = static_cast<Block *>(p);
    }
    b->capacity = capacity;
    b->mapped = mapped;
    b->size_class = size_class;
    return b;
}

// Takes free blocks out, oldest first, until at most `keep` bytes are free; the chain is given back unlocked.
Block *drop_until(size_t keep) {
    Block *chain = nullptr;
    while (pool.free_bytes > keep && pool.oldest) {
        Block *b = pool.oldest;
        unlink(b);
        b->below = chain;
        chain = b;
    }
    return chain;
}

void release_chain(Block *chain) {
    while (chain) {
        Block *next = chain->below;
        release(chain);
        chain = next;
    }
}

void *pool_malloc(void *, size_t size) {
    if (size > (size_t(1) << 62)) return nullptr;
    size_t capacity;
    int size_class = class_of(size, &capacity);
    pthread_mutex_lock(&pool.lock);
    Block *b = pool.free_of_class[size_class];
    Block *dropped = nullptr;
    if (b) {
        unlink(b);
        pool.reused++;
    } else {
        pool.fresh++;
        // Free and used buffers together stay within the limit as far as possible.
        size_t used = pool.live_bytes + capacity;
        dropped = drop_until(pool.limit > used ? pool.limit - used : 0);
    }
    pool.live_bytes += capacity;
    if (pool.live_bytes > pool.peak_bytes) pool.peak_bytes = pool.live_bytes;
    pthread_mutex_unlock(&pool.lock);
    release_chain(dropped);
    if (!b) {
        b = obtain(size, capacity, size_class);
        if (!b) {  // the system has no more memory: give back all free blocks, try again
            pthread_mutex_lock(&pool.lock);
            dropped = drop_until(0);
            pthread_mutex_unlock(&pool.lock);
            release_chain(dropped);
            b = obtain(size, capacity, size_class);
        }
        if (!b) {
            pthread_mutex_lock(&pool.lock);
            pool.live_bytes -= capacity;
            pthread_mutex_unlock(&pool.lock);
            return nullptr;
        }
    }
    return buffer_of(b);
}

void pool_free(void *, void *buffer, size_t) {
    if (!buffer) return;
    Block *b = block_of(buffer);
    pthread_mutex_lock(&pool.lock);
    pool.live_bytes -= b->capacity;
    link(b);
    Block *dropped = drop_until(pool.limit);
    pthread_mutex_unlock(&pool.lock);
    release_chain(dropped);
}

void *pool_calloc(void *, size_t count, size_t size) {
    size_t total;
    if (__builtin_mul_overflow(count, size, &total)) return nullptr;
    void *buffer = pool_malloc(nullptr, total);
    if (buffer) std::memset(buffer, 0, total);
    return buffer;
}

void *pool_realloc(void *, void *buffer, size_t size) {
    if (!buffer) return pool_malloc(nullptr, size);
    size_t had = block_of(buffer)->capacity, wanted;
    class_of(size, &wanted);
    if (wanted == had) return buffer;
    void *moved = pool_malloc(nullptr, size);
    if (!moved) return nullptr;
    std::memcpy(moved, buffer, size < had ? size : had);
    pool_free(nullptr, buffer, 0);
    return moved;
}

void before_fork() { pthread_mutex_lock(&pool.lock); }
void after_fork_in_parent() { pthread_mutex_unlock(&pool.lock); }
void after_fork_in_child() {
    pthread_mutex_init(&pool.lock, nullptr);
    forked = true;
}

PyDataMem_Handler handler = {
    "npcompile_pool", 1, {nullptr, pool_malloc, pool_calloc, pool_realloc, pool_free}};
PyObject *handler_capsule = nullptr;

}  // namespace
