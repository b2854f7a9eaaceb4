// New arrays of the items of several arrays, one after the other.
#pragma once

#include "whole.h"

namespace npl {

// Puts the items of an array of one or two axes to a place of a new one, which lies in the order of C.
template <typename T, typename Item, int N, bool packed>
static inline void put(const array<T, N, true> &to, int axis, int64_t first, const array<Item, N, packed> &from) {
    if constexpr (N == 1) {
        T *items = reinterpret_cast<T *>(to.data) + first;
        for (int64_t place = 0; place < from.shape[0]; place++) items[place] = cast<T>(from.at(place));
    } else {
        for (int64_t row = 0; row < from.shape[0]; row++)
            for (int64_t column = 0; column < from.shape[1]; column++)
                to.at(row + (axis == 0 ? first : 0), column + (axis == 1 ? first : 0)) = cast<T>(from.at(row, column));
    }
}

// Leaves for shapes that do not fit, and for arrays of which NumPy's result would not lie in the order of C.
template <int axis, typename T, int N, typename First, typename... Others>
static bool concatenate(array<T, N, true> &made, scratch &kept, const First &first, const Others &...others) {
    int64_t shape[N];
    bool fits = true;
    for (int at = 0; at < N; at++) shape[at] = at == axis ? 0 : first.shape[at];
    const auto add = [&](const auto &from) {
        for (int at = 0; at < N; at++)
            if (at == axis) shape[at] += from.shape[at];
            else fits &= from.shape[at] == shape[at];
        if constexpr (N > 1) fits &= is_c_ordered(from);
    };
    add(first), (add(others), ...);
    if (!fits || make(shape, made, kept)) return true;
    put(made, axis, 0, first);
    int64_t next = first.shape[axis];
    ((put(made, axis, next, others), next += others.shape[axis]), ...);
    return false;
}

}  // namespace npl
