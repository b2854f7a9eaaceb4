// Arrays, ranges and tuples of native loops, and their exchange with Python by words.
#pragma once
#include <time.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "conditions.h"
#include "memory.h"
#include "polls.h"
#include "scalars.h"

// Python's own functions, found in the process that loads the library.
extern "C" {
int PyErr_CheckSignals(void);
void *PyEval_SaveThread(void);
void PyEval_RestoreThread(void *);
}

namespace npl {

// Trips of innermost loops after which other threads may run and Ctrl-C is looked at: some milliseconds at most.
constexpr int64_t trips_between_polls = 1 << 20;
constexpr int64_t most_without_poll = 1 << 27;  // trips of a loop that is written without polls: a second at most

// The thread does a part of a round of trips that threads share: it does not enter Python.
static thread_local bool in_round = false;
struct round_part {
    round_part() { in_round = true; }
    ~round_part() { in_round = false; }
};

// Called before Python may run in between, where there is something that it is not to find as it is.
static thread_local void (*before_python)() = nullptr;

// Nanoseconds between two turns of other threads. A thread that waits for its turn asks for it after 5 ms, and begins
// to wait anew where it finds that the turn was given away and taken again: more often, it may wait for seconds.
constexpr double between_turns = 5.5e6;
// Of so many turns one goes on for a moment, for threads that ask later, by `sys.setswitchinterval`.
constexpr int64_t turns_between_naps = 64;

static inline double now() {
    timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return double(time.tv_sec) * 1e9 + double(time.tv_nsec);
}

// Lets other threads run. Where the process ends, Python ends a thread that waits for its turn: it waits for ever, as
// nothing of a loop may be done any more.
static void give_turn() {
    static thread_local double last = 0;
    static thread_local int64_t turns = 0;
    if (now() - last < between_turns) return;
    try {
        void *thread = PyEval_SaveThread();
        if (++turns % turns_between_naps == 0) usleep(1);
        PyEval_RestoreThread(thread);
    } catch (...) {
        for (;;) pause();
    }
    last = now();
}

// Lets other threads run, now and then; tells if there is an exception to raise, by a signal's handler.
static __attribute__((noinline, cold)) bool look_for_interrupts(void *) {
    if (in_round) return false;
    if (before_python) before_python();
    give_turn();
    return PyErr_CheckSignals() != 0;
}
static inline bool interrupted() { return keeping_registers(look_for_interrupts, nullptr); }

// The most calls of users' functions within one another: where there are more, Python makes them, and it says
// what is wrong.
constexpr int deepest = 400;

// The words of the calls that were left half-way, innermost first: of each its function's number, the number of
// the exit, how many words follow, and the words of its names.
struct frames {
    int64_t *words = nullptr;
    int64_t size = 0, room = 0;
    ~frames() { std::free(words); }
};
static thread_local frames left;

static __attribute__((noinline, cold)) int64_t *push_frame(int64_t function, int64_t exit, int64_t count) {
    if (left.size + count + 3 > left.room) {
        left.room = 2 * (left.size + count + 3);
        left.words = static_cast<int64_t *>(std::realloc(left.words, left.room * sizeof(int64_t)));
    }
    int64_t *words = left.words + left.size;
    words[0] = function, words[1] = exit, words[2] = count;
    left.size += count + 3;
    return words + 3;
}

// The answers of a user's function: it is done, it has done nothing, or it was left half-way.
enum { done, undone, half_done };

// The fields of a NumPy array object, as NumPy's C interface has them since version 1.7.
struct object {
    void *head[2];
    char *data;
    int ndim;
    int64_t *shape, *strides;
};

// packed: items of the last axis lie side by side. Strides count bytes. The memory is that of an array of Python's
// (`owner`) or of a block. itself: no view, but the array that the memory was made for.
template <typename T, int N, bool packed>
struct array {
    char *data;
    object *owner;
    block *memory;
    bool itself;
    int64_t shape[N ? N : 1], strides[N ? N : 1];

    inline int64_t stride(int axis) const { return packed && axis == N - 1 ? int64_t(sizeof(T)) : strides[axis]; }
    inline int64_t size() const {
        int64_t count = 1;
        for (int axis = 0; axis < N; axis++) count *= shape[axis];
        return count;
    }

    template <typename... Index>
    inline T &at(Index... index) const {
        static_assert(sizeof...(Index) == N);
        const int64_t places[N ? N : 1] = {index...};
        char *place = data;
        for (int axis = 0; axis < N; axis++)
            place += places[axis] * stride(axis);
        return *reinterpret_cast<T *>(place);
    }
};

struct range {
    int64_t position, length, start, stride;
};

static inline int64_t wrapped(int64_t index, int64_t length) { return index < 0 ? index + length : index; }
static inline bool outside(int64_t index, int64_t length) { return uint64_t(index) >= uint64_t(length); }

// Counts an index from the axis's start, and tells if there is no such item. Few are negative: what is read
// there need not wait for a choice. Of an index that is used again, the compiler makes that choice once.
static inline bool misses(int64_t& index, int64_t length) {
    if (!outside(index, length)) [[likely]] return false;
    index = int64_t(uint64_t(index) + uint64_t(length));
    return outside(index, length);
}

// The truth of an item, of whose byte any bit may be set. GCC vectorises no loop over items of type `bool`.
static inline bool is_set(const bool &item) { return reinterpret_cast<const uint8_t &>(item) != 0; }

// Tells if an int stays one of 64 bits while a loop without polls adds at most 2^31 to it at each of 8 places.
static inline bool is_far_from_ends(int64_t value) { return value > -(int64_t(1) << 62) & value < int64_t(1) << 62; }

// Bits of which none above the n-th is set if an int is one of n + 1 bits.
static inline int64_t bits_of_size(int64_t value) { return value ^ (value >> 63); }

static inline range begin_range(int64_t start, int64_t stop, int64_t stride) {
    uint64_t length = 0;
    if (stride > 0 && start < stop)
        length = (uint64_t(stop) - uint64_t(start) - 1) / uint64_t(stride) + 1;
    else if (stride < 0 && start > stop)
        length = (uint64_t(start) - uint64_t(stop) - 1) / (-uint64_t(stride)) + 1;
    return {0, int64_t(length), start, stride};
}

// An object that is known while compiling: it takes no words.
struct nothing {};

template <typename T>
constexpr int64_t words_of = (sizeof(T) + 7) / 8;
template <typename T>
constexpr int64_t words_of<complex<T>> = 2;

// Loading and saving return how many words they have used.
static inline int64_t load(const int64_t *, nothing &) { return 0; }
static inline int64_t save(int64_t *, const nothing &) { return 0; }
template <typename T>
static inline int64_t load(const int64_t *words, T &value) {
    std::memcpy(&value, words, sizeof(T));
    return words_of<T>;
}
template <typename T>
static inline int64_t save(int64_t *words, const T &value) {
    words[0] = 0;
    std::memcpy(words, &value, sizeof(T));
    return words_of<T>;
}
// By its parts: a number that is copied whole would be kept by its bits, in registers of ints.
template <typename T>
static inline int64_t load(const int64_t *words, complex<T> &value) {
    T parts[2];
    std::memcpy(parts, words, sizeof(parts));
    value = {parts[0], parts[1]};
    return words_of<complex<T>>;
}
template <typename T>
static inline int64_t save(int64_t *words, const complex<T> &value) {
    const T parts[2] = {value.real, value.imag};
    words[0] = 0;
    std::memcpy(words, parts, sizeof(parts));
    return words_of<complex<T>>;
}
// By its fields: a range that is copied whole would stay in memory, from which each trip takes its position.
static inline int64_t load(const int64_t *words, range &value) {
    value = {words[0], words[1], words[2], words[3]};
    return 4;
}
static inline int64_t save(int64_t *words, const range &value) {
    words[0] = value.position, words[1] = value.length, words[2] = value.start, words[3] = value.stride;
    return 4;
}
template <typename T, int N, bool packed>
static inline int64_t load(const int64_t *words, array<T, N, packed> &value) {
    value.owner = reinterpret_cast<object *>(words[0]);
    value.memory = nullptr;
    value.itself = true;
    value.data = value.owner->data;
    for (int axis = 0; axis < N; axis++) {
        value.shape[axis] = value.owner->shape[axis];
        value.strides[axis] = value.owner->strides[axis];
    }
    return 1;
}
template <typename T, int N, bool packed>
static inline int64_t save(int64_t *words, const array<T, N, packed> &value) {
    int64_t source = value.memory ? reinterpret_cast<int64_t>(value.memory) | 1 : reinterpret_cast<int64_t>(value.owner);
    words[0] = source | (value.itself ? 2 : 0);
    words[1] = reinterpret_cast<int64_t>(value.data);
    for (int axis = 0; axis < N; axis++) {
        words[2 + axis] = value.shape[axis];
        words[2 + N + axis] = value.strides[axis];
    }
    return 2 + 2 * N;
}

// Gives a name a value; of an array the name keeps the memory.
template <typename T>
static inline void bind(T &name, const T &value) {
    name = value;
}
// A part of a sum, which its bits hold.
static inline void bind(int16_t &name, const int64_t &value) { name = int16_t(value); }
static inline void bind(int32_t &name, const int64_t &value) { name = int32_t(value); }
template <typename T>
static inline void bind(complex<T> &name, const complex<T> &value) {
    name.real = value.real, name.imag = value.imag;
}
template <typename T>
static inline void drop(const T &) {}
template <typename T, int N, bool packed>
static inline void drop(array<T, N, packed> &name) {
    release(name.memory);
    name.memory = nullptr;
}
template <typename T, int N, bool packed>
static inline void bind(array<T, N, packed> &name, const array<T, N, packed> &value) {
    if (value.memory) value.memory->references++;
    release(name.memory);
    name = value;
}

// Adds a reference to a value's memory: Python takes it over.
template <typename T>
static inline void keep(const T &value) {
    T name{};
    bind(name, value);
}

// A tuple is its first item and the rest.
template <typename... Items>
struct tuple {};
template <typename First, typename... Rest>
struct tuple<First, Rest...> {
    First first;
    tuple<Rest...> rest;
    tuple() = default;
    tuple(First one, Rest... others) : first(one), rest(others...) {}
};
template <size_t index, typename First, typename... Rest>
static inline auto get(const tuple<First, Rest...> &from) {
    if constexpr (index == 0)
        return from.first;
    else
        return get<index - 1>(from.rest);
}
// An item of a tuple whose items have one type; they lie side by side.
template <typename First, typename... Rest>
static inline First item_at(const tuple<First, Rest...> &from, int64_t place) {
    static_assert(sizeof(from) >= (1 + sizeof...(Rest)) * sizeof(First));
    First item;
    std::memcpy(&item, reinterpret_cast<const char *>(&from) + place * int64_t(sizeof(First)), sizeof(First));
    return item;
}

static inline void bind(tuple<> &, const tuple<> &) {}
static inline void drop(tuple<> &) {}
template <typename First, typename... Rest>
static inline void bind(tuple<First, Rest...> &name, const tuple<First, Rest...> &value) {
    bind(name.first, value.first);
    bind(name.rest, value.rest);
}
template <typename First, typename... Rest>
static inline void drop(tuple<First, Rest...> &name) {
    drop(name.first);
    drop(name.rest);
}
static inline int64_t load(const int64_t *, tuple<> &) { return 0; }
static inline int64_t save(int64_t *, const tuple<> &) { return 0; }
template <typename First, typename... Rest>
static inline int64_t load(const int64_t *words, tuple<First, Rest...> &value) {
    const int64_t used = load(words, value.first);
    return used + load(words + used, value.rest);
}
template <typename First, typename... Rest>
static inline int64_t save(int64_t *words, const tuple<First, Rest...> &value) {
    const int64_t used = save(words, value.first);
    return used + save(words + used, value.rest);
}

// Lets go of a name's memory where the name's function ends, or its step. is_left: Python takes over the names.
template <typename T>
struct keeper {
    T &name;
    const bool *is_left = nullptr;
    ~keeper() {
        if (!is_left || !*is_left) drop(name);
    }
};

// The memory of an array's items; nowhere if it has none.
struct reach {
    const char *first = nullptr, *end = nullptr;
};
template <typename T, int N, bool packed>
static inline reach reach_of(const array<T, N, packed> &of) {
    const char *first = of.data, *end = of.data + sizeof(T);
    for (int axis = 0; axis < N; axis++) {
        if (of.shape[axis] == 0) return {};
        const int64_t span = (of.shape[axis] - 1) * of.stride(axis);
        (span < 0 ? first : end) += span;
    }
    return {first, end};
}

}  // namespace npl
