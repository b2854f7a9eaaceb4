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

template <int rows, typename T, typename... Items>
static inline bool matrix(array<T, 2, true> &made, scratch &kept, const Items &...items) {
    const int64_t shape[] = {rows, int64_t(sizeof...(Items)) / rows};
    const T all[] = {items...};
    if (make(shape, made, kept)) return true;
    std::memcpy(made.data, all, sizeof(all));
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

// A matrix of zeros, with ones on a diagonal.
template <typename T>
static inline bool eye(array<T, 2, true> &made, scratch &kept, int64_t rows, int64_t columns, int64_t diagonal) {
    if (fill(made, kept, {rows, columns}, T(0))) return true;
    for (int64_t row = diagonal < 0 ? -diagonal : 0; row < rows && row + diagonal < columns; row++)
        reinterpret_cast<T *>(made.data)[row * columns + row + diagonal] = T(1);
    return false;
}

// The numbers of `linspace`, by NumPy's operations. ends: the last number is `stop`.
template <bool ends>
static inline bool linspace(array<double, 1, true> &made, scratch &kept, double start, double stop, int64_t count) {
    if (count < 0 || make(&count, made, kept)) return true;
    double *to = reinterpret_cast<double *>(made.data);
    const int64_t parts = ends ? count - 1 : count;
    const double away = stop - start, step = away / double(parts);
    for (int64_t place = 0; place < count; place++) {
        const double number = double(place);
        to[place] = (parts <= 0 ? number * away : step == 0 ? number / double(parts) * away : number * step) + start;
    }
    if (ends && count > 1) to[count - 1] = stop;
    return false;
}

}  // namespace npl
