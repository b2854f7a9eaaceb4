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

// -- stores --------------------------------------------------------------------------------------------------

// Gives a function the items to store by their places: `put(source)`; they are computed before.
template <typename T, typename Put, typename F, typename... Arrays>
NPL_INLINE bool computed_before(int64_t count, Put put, F f, const Arrays &...arrays) {
    if constexpr (sizeof...(Arrays) == 0) {
        const T item = f();
        put([=](int64_t) { return item; });
    } else {
        array<T, 1, true> made;
        scratch kept;
        if (make(&count, made, kept)) return true;
        map<1>(&count, f, spread<1>(made, &count), spread<1>(arrays, &count)...);
        const T *items = reinterpret_cast<const T *>(made.data);
        put([=](int64_t place) { return items[place]; });
    }
    return false;
}

// Leaves where shapes do not fit, and where the indices are among the items.
template <typename T, bool packed, typename Index, bool dense, typename F, typename... Arrays>
static inline bool scatter(const array<T, 1, packed> &target, const array<Index, 1, dense> &index, F f, const Arrays &...arrays) {
    if ((misfits<1>(arrays, index.shape) | ... | false) || overlap(target, index)) return true;
    const auto put = [&](auto items) {
        for (int64_t place = 0; place < index.shape[0]; place++)
            target.at(wrapped(int64_t(index.at(place)), target.shape[0])) = items(place);
    };
    return computed_before<T>(index.shape[0], put, f, arrays...);
}

template <typename T, bool packed, bool dense, typename F, typename... Arrays>
static inline bool store_where(const array<T, 1, packed> &target, const array<bool, 1, dense> &mask, F f, const Arrays &...arrays) {
    if (mask.shape[0] != target.shape[0] || overlap(target, mask)) return true;
    int64_t count = 0;
    for (int64_t place = 0; place < mask.shape[0]; place++) count += mask.at(place);
    if ((misfits<1>(arrays, &count) | ... | false)) return true;
    const auto put = [&](auto items) {
        for (int64_t place = 0, next = 0; place < mask.shape[0]; place++)
            if (mask.at(place)) target.at(place) = items(next++);
    };
    return computed_before<T>(count, put, f, arrays...);
}

}  // namespace npl
