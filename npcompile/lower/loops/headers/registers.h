// Items of arrays that loops keep in local variables: the checks before such a loop, and storing items back.
#pragma once
#include <cstdint>
#include <type_traits>
#include <utility>

#include "arrays.h"

namespace npl {

// Tells if an item shares no memory with those that trips use in equal steps, from the first to the last.
template <typename T, typename Other>
static inline bool apart(const T &item, const Other &first, const Other &last) {
    const intptr_t one = intptr_t(&first) - intptr_t(&item), other = intptr_t(&last) - intptr_t(&item);
    constexpr intptr_t above = sizeof(T), below = -intptr_t(sizeof(Other));
    return (one >= above && other >= above) || (one <= below && other <= below);
}

struct addresses {
    uintptr_t low, high;  // of the first byte, and of the one after the last

    template <typename T>
    addresses(const T &first, const T &last) : low(uintptr_t(&first)), high(uintptr_t(&last)) {
        if (low > high) std::swap(low, high);
        high += sizeof(T);
    }
    bool apart(uintptr_t from, uintptr_t to) const { return high <= from || to <= low; }
};

// Tells if items that trips use in equal steps, from a first to a last one, share no memory with other such items.
template <typename T, typename Other>
static inline bool ranges_apart(const T &first, const T &last, const Other &other_first, const Other &other_last) {
    const addresses others(other_first, other_last);
    return addresses(first, last).apart(others.low, others.high);
}

// Tells if items that trips use in equal steps, from a first to a last one, share no memory with those of an array.
template <typename T, typename Other, int N, bool packed>
static inline bool all_apart(const T &first, const T &last, const array<Other, N, packed> &of) {
    const reach others = reach_of(of);
    return addresses(first, last).apart(uintptr_t(others.first), uintptr_t(others.end));
}

template <typename T>
static inline bool same_bits(T one, T other) {
    if constexpr (complex_type<T>) {
        return same_bits(one.real, other.real) && same_bits(one.imag, other.imag);
    } else {
        using bits = std::conditional_t<sizeof(T) == 1, uint8_t,
            std::conditional_t<sizeof(T) == 2, uint16_t, std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>>;
        return __builtin_bit_cast(bits, one) == __builtin_bit_cast(bits, other);
    }
}

// Stores an item back, if trips have changed it: memory that no trip stores to is not written.
template <typename T>
static inline void put_back(T *place, T value, T was) {
    if (!same_bits(value, was)) *place = value;
}

}  // namespace npl
