// Iterators over all items of an array in the order of C, and over their places: `more` and `take`.
#pragma once
#include "iterators.h"

namespace npl {

// The places of an array of a shape. left: how many are to come; next: the first of them, where there is one.
template <int N>
struct grid {
    int64_t left, shape[N], next[N];

    // Goes to the place of a number.
    void place(int64_t number) {
        left = 1;
        for (int axis = 0; axis < N; axis++) left *= shape[axis];
        const int64_t count = left;
        left -= number;
        for (int axis = N - 1; axis >= 0; axis--) {
            next[axis] = count ? number % shape[axis] : 0;
            number = count ? number / shape[axis] : 0;
        }
    }
    int64_t number() const {
        int64_t count = 1;
        for (int axis = 0; axis < N; axis++) count *= shape[axis];
        return count - left;
    }
    void advance() {
        left--;
        for (int axis = N - 1; axis >= 0 && ++next[axis] == shape[axis]; axis--) next[axis] = 0;
    }
};
template <typename Source, int N>
struct flat {
    Source source;
    grid<N> at;
};

// Tells if a shape has lengths below 0, or more places than most numbers count.
template <int N>
static inline bool unfit_shape(const int64_t (&shape)[N]) {
    int64_t count = 1;
    bool bad = false;
    for (int axis = 0; axis < N; axis++)
        bad |= shape[axis] < 0 || __builtin_mul_overflow(count, shape[axis] ? shape[axis] : 1, &count);
    return bad || count > int64_t(1) << 40;
}

template <int N>
static inline grid<N> begin_grid(const int64_t (&shape)[N]) {
    grid<N> made;
    for (int axis = 0; axis < N; axis++) made.shape[axis] = shape[axis];
    made.place(0);
    return made;
}
template <typename T, int N, bool packed>
static inline flat<array<T, N, packed>, N> begin_flat(const array<T, N, packed> &source) {
    flat<array<T, N, packed>, N> made{source, {}};
    for (int axis = 0; axis < N; axis++) made.at.shape[axis] = source.shape[axis];
    made.at.place(0);
    return made;
}

template <int N>
static inline bool more(const grid<N> &state) {
    return state.left > 0;
}
template <typename Source, int N>
static inline bool more(const flat<Source, N> &state) {
    return more(state.at);
}

template <int N, size_t... axis>
static inline auto place_of(const grid<N> &state, std::index_sequence<axis...>) {
    return tuple<decltype(int64_t(axis))...>{state.next[axis]...};
}
template <int N>
static inline auto take(grid<N> &state) {
    const auto found = place_of(state, std::make_index_sequence<N>{});
    state.advance();
    return found;
}
template <typename T, int N, bool packed>
static inline T take(flat<array<T, N, packed>, N> &state) {
    const char *data = state.source.data;
    for (int axis = 0; axis < N; axis++) data += state.at.next[axis] * state.source.stride(axis);
    state.at.advance();
    return *reinterpret_cast<const T *>(data);
}

// -- memory that states hold ------------------------------------------------------------------------------

template <typename Source, int N>
static inline void bind(flat<Source, N> &name, const flat<Source, N> &value) {
    bind(name.source, value.source);
    name.at = value.at;
}
template <typename Source, int N>
static inline void drop(flat<Source, N> &name) {
    drop(name.source);
}

// -- exchange with Python by words ------------------------------------------------------------------------

template <int N>
static inline int64_t load(const int64_t *words, grid<N> &value) {
    for (int axis = 0; axis < N; axis++) value.shape[axis] = words[1 + axis];
    value.place(words[0]);
    return 1 + N;
}
template <int N>
static inline int64_t save(int64_t *words, const grid<N> &value) {
    words[0] = value.number();
    for (int axis = 0; axis < N; axis++) words[1 + axis] = value.shape[axis];
    return 1 + N;
}
template <typename Source, int N>
static inline int64_t load(const int64_t *words, flat<Source, N> &value) {
    const int64_t used = load(words, value.source);
    for (int axis = 0; axis < N; axis++) value.at.shape[axis] = value.source.shape[axis];
    value.at.place(words[used]);
    return used + 1;
}
template <typename Source, int N>
static inline int64_t save(int64_t *words, const flat<Source, N> &value) {
    const int64_t used = save(words, value.source);
    words[used] = value.at.number();
    return used + 1;
}

}  // namespace npl
