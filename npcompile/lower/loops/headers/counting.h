// Counts of items, and the places at which they are not zero.
#pragma once

#include "whole.h"

namespace npl {

template <typename Item, bool packed>
static bool nonzero(array<int64_t, 1, true> &made, scratch &kept, const array<Item, 1, packed> &from) {
    int64_t count = 0, next = 0;
    for (int64_t place = 0; place < from.shape[0]; place++) count += truth(from.at(place));
    if (make(&count, made, kept)) return true;
    int64_t *to = reinterpret_cast<int64_t *>(made.data);
    for (int64_t place = 0; next < count; place++)
        if (truth(from.at(place))) to[next++] = place;
    return false;
}

// How often each int is among the items, or the sums of their weights. Leaves for ints below zero.
template <typename T, typename Item, bool packed, typename Weight>
static bool bincount(array<T, 1, true> &made, scratch &kept, const array<Item, 1, packed> &from, int64_t least,
                     Weight weight_at) {
    int64_t length = least;
    if (length < 0) return true;
    for (int64_t place = 0; place < from.shape[0]; place++) {
        const int64_t item = int64_t(from.at(place));
        if (item < 0 || item == INT64_MAX) return true;
        if (item >= length) length = item + 1;
    }
    if (make(&length, made, kept)) return true;
    T *to = reinterpret_cast<T *>(made.data);
    for (int64_t bin = 0; bin < length; bin++) to[bin] = 0;
    for (int64_t place = 0; place < from.shape[0]; place++) to[int64_t(from.at(place))] += weight_at(place);
    return false;
}
template <typename Item, bool packed>
static bool bincount(array<int64_t, 1, true> &made, scratch &kept, const array<Item, 1, packed> &from,
                     int64_t least) {
    return bincount(made, kept, from, least, [](int64_t) { return 1; });
}
template <typename Item, bool packed, typename Weight, bool packed_weights>
static bool weighted_bincount(array<double, 1, true> &made, scratch &kept, const array<Item, 1, packed> &from,
                              int64_t least, const array<Weight, 1, packed_weights> &weights) {
    if (weights.shape[0] != from.shape[0]) return true;
    return bincount(made, kept, from, least, [&](int64_t place) { return cast<double>(weights.at(place)); });
}

}  // namespace npl
