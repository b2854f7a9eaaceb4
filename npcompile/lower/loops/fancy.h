// Items of arrays at the places that index arrays give, and where masks hold.
#pragma once
#include "maps.h"

namespace npl {

// Tells if an index of an array of one axis is not there.
template <typename Index, bool dense, typename Array>
NPL_INLINE bool beyond(const array<Index, 1, dense> &index, const Array &of) {
    const int64_t count = index.shape[0], length = of.shape[0], least = std::is_signed_v<Index> ? -length : 0;
    bool bad = false;
    auto check = [&](int64_t stride) __attribute__((always_inline)) {
        for (int64_t place = 0; place < count; place++) {
            const int64_t at = int64_t(*reinterpret_cast<const Index *>(index.data + place * stride));
            bad |= (at < least) | (at >= length);
        }
    };
    if (index.stride(0) == int64_t(sizeof(Index))) check(sizeof(Index));
    else check(index.stride(0));
    return bad;
}

template <typename T, bool packed, typename Index>
NPL_INLINE T fetch(const array<T, 1, packed> &from, Index index) {
    return from.at(wrapped(int64_t(index), from.shape[0]));
}

// Makes an array of the items where a mask holds. Leaves where the mask has another length.
template <typename T, bool packed, bool dense>
static inline bool select(array<T, 1, true> &made, scratch &kept, const array<T, 1, packed> &from, const array<bool, 1, dense> &mask) {
    const int64_t length = from.shape[0];
    if (mask.shape[0] != length) return true;
    int64_t count = 0;
    for (int64_t place = 0; place < length; place++) count += mask.at(place);
    if (make(&count, made, kept)) return true;
    T *to = reinterpret_cast<T *>(made.data);
    for (int64_t place = 0; place < length; place++)
        if (mask.at(place)) *to++ = from.at(place);
    return false;
}

}  // namespace npl
