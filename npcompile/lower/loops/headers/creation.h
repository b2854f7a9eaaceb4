// New arrays of native loops that are made from numbers.
#pragma once
#include "maps.h"

namespace npl {

// Leaves for lengths that NumPy refuses.
template <typename T, int N>
static inline bool fill(array<T, N, true> &made, scratch &kept, const int64_t (&shape)[N]) {
    for (int axis = 0; axis < N; axis++)
        if (shape[axis] < 0) return true;
    return make(shape, made, kept);
}
template <typename T, int N>
static inline bool fill(array<T, N, true> &made, scratch &kept, const int64_t (&shape)[N], T item) {
    if (fill(made, kept, shape)) return true;
    T *to = reinterpret_cast<T *>(made.data);
    const int64_t count = made.size();
    for (int64_t place = 0; place < count; place++) to[place] = item;
    return false;
}

template <typename T, int count>
static inline bool list(array<T, 1, true> &made, scratch &kept, const T (&items)[count]) {
    const int64_t shape[] = {count};
    if (make(shape, made, kept)) return true;
    for (int64_t place = 0; place < count; place++) reinterpret_cast<T *>(made.data)[place] = items[place];
    return false;
}

template <typename T>
static inline bool count(array<T, 1, true> &made, scratch &kept, int64_t start, int64_t stop, int64_t step) {
    if (step == 0) return true;
    const range numbers = begin_range(start, stop, step);
    const int64_t shape[] = {numbers.length};
    if (make(shape, made, kept)) return true;
    for (int64_t place = 0; place < shape[0]; place++)
        reinterpret_cast<T *>(made.data)[place] = cast<T>(start + place * step);
    return false;
}

}  // namespace npl
