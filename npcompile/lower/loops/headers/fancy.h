// Items and parts of arrays at the places that index arrays give, and where masks hold.
#pragma once
#include "maps.h"

namespace npl {

// Tells if an index of an axis of this length is not there.
template <typename Index, bool dense>
NPL_INLINE bool beyond(const array<Index, 1, dense> &index, int64_t length) {
    const int64_t count = index.shape[0], least = std::is_signed_v<Index> ? -length : 0;
    bool bad = false;
    auto check = [&](int64_t stride) NPL_INLINED {
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
template <typename T, bool packed, typename One, typename Other>
NPL_INLINE T fetch(const array<T, 2, packed> &from, One one, Other other) {
    return from.at(wrapped(int64_t(one), from.shape[0]), wrapped(int64_t(other), from.shape[1]));
}

// -- parts ---------------------------------------------------------------------------------------------------

// The view of an array at one place of an axis.
template <int axis, typename T, int N, bool packed>
NPL_INLINE array<T, N - 1, false> part_at(const array<T, N, packed> &of, int64_t place) {
    array<T, N - 1, false> part;
    part.data = of.data + place * of.stride(axis);
    for (int from = 0, to = 0; from < N; from++) {
        if (from == axis) continue;
        part.shape[to] = of.shape[from];
        part.strides[to++] = of.stride(from);
    }
    return part;
}

// The view of an array at one place of each of its first axes.
template <int M, typename T, int N, bool packed>
NPL_INLINE array<T, N - M, false> part_at(const array<T, N, packed> &of, const int64_t (&places)[M]) {
    array<T, N - M, false> part;
    part.data = of.data;
    for (int axis = 0; axis < M; axis++) part.data += places[axis] * of.stride(axis);
    for (int axis = M; axis < N; axis++) {
        part.shape[axis - M] = of.shape[axis];
        part.strides[axis - M] = of.stride(axis);
    }
    return part;
}

// Stores the items of one part to another one of the same shape.
template <typename T, int N>
NPL_INLINE void copy_part(const array<T, N, false> &to, const array<T, N, false> &from) {
    if constexpr (N == 0) to.at() = from.at();
    else map<N>(to.shape, [](T item) { return item; }, spread<N>(to, to.shape), spread<N>(from, to.shape));
}
template <typename T, int N>
NPL_INLINE void fill_part(const array<T, N, false> &to, T item) {
    if constexpr (N == 0) to.at() = item;
    else map<N>(to.shape, [=]() { return item; }, spread<N>(to, to.shape));
}

// Calls a function with each place at which a mask holds, in the order of C.
template <int M, bool dense, typename F>
NPL_INLINE void each_true(const array<bool, M, dense> &mask, F f) {
    int64_t places[M] = {};
    if constexpr (M == 1) {
        for (; places[0] < mask.shape[0]; places[0]++)
            if (mask.at(places[0])) f(places);
    } else {
        for (int64_t left = mask.size(); left > 0; left--) {
            if (part_at<M>(mask, places).at()) f(places);
            for (int axis = M - 1; axis >= 0 && ++places[axis] == mask.shape[axis]; axis--) places[axis] = 0;
        }
    }
}

template <typename T, int N, bool packed, int M, bool dense>
NPL_INLINE bool misses(const array<T, N, packed> &of, const array<bool, M, dense> &mask) {
    bool bad = false;
    for (int axis = 0; axis < M; axis++) bad |= mask.shape[axis] != of.shape[axis];
    return bad;
}

template <int M, bool dense>
NPL_INLINE int64_t count_true(const array<bool, M, dense> &mask) {
    int64_t count = 0;
    if constexpr (M == 1)
        for (int64_t place = 0; place < mask.shape[0]; place++) count += mask.at(place);
    else each_true(mask, [&](const auto &) { count++; });
    return count;
}

// Makes an array of the parts along the first axis at indices that are there. Leaves where NumPy would lay out
// the parts in another order than that of C.
template <typename T, int N, bool packed, typename Index, bool dense>
static inline bool take_parts(array<T, N, true> &made, scratch &kept, const array<T, N, packed> &from, const array<Index, 1, dense> &index) {
    int64_t shape[N];
    shape[0] = index.shape[0];
    for (int axis = 1; axis < N; axis++) shape[axis] = from.shape[axis];
    if constexpr (N > 2)
        if (from.shape[0] && !is_c_ordered(part_at<0>(from, 0))) return true;
    if (make(shape, made, kept)) return true;
    for (int64_t place = 0; place < shape[0]; place++)
        copy_part(part_at<0>(made, place), part_at<0>(from, wrapped(int64_t(index.at(place)), from.shape[0])));
    return false;
}

// Makes an array of the items or parts where a mask holds. Leaves where the mask has another shape.
template <typename T, int K, int N, bool packed, int M, bool dense>
static inline bool select(array<T, K, true> &made, scratch &kept, const array<T, N, packed> &from, const array<bool, M, dense> &mask) {
    static_assert(K == 1 + N - M);
    if (misses(from, mask)) return true;
    int64_t shape[K];
    shape[0] = count_true(mask);
    for (int axis = M; axis < N; axis++) shape[1 + axis - M] = from.shape[axis];
    if constexpr (K > 2) {
        const int64_t first[M] = {};
        if (!is_c_ordered(part_at<M>(from, first))) return true;
    }
    if (make(shape, made, kept)) return true;
    if constexpr (N == 1) {
        T *to = reinterpret_cast<T *>(made.data);
        for (int64_t place = 0; place < from.shape[0]; place++)
            if (mask.at(place)) *to++ = from.at(place);
    } else {
        int64_t next = 0;
        each_true(mask, [&](const int64_t (&places)[M]) { copy_part(part_at<0>(made, next++), part_at<M>(from, places)); });
    }
    return false;
}

// -- stores --------------------------------------------------------------------------------------------------

// Gives a function the parts of the items to store, of an array of this shape; they are computed before.
// `put(store)`: `store(target, place)` stores to a part what belongs at a place of the axis.
template <int axis, typename T, int N, typename Put, typename F, typename... Arrays>
NPL_INLINE bool computed_before(const int64_t *shape, Put put, F f, const Arrays &...arrays) {
    if constexpr (sizeof...(Arrays) == 0) {
        const T item = f();
        put([=](const auto &target, int64_t) { fill_part(target, item); });
    } else {
        if ((misfits<N>(arrays, shape) | ...)) return true;
        array<T, N, true> made;
        scratch kept;
        if (make(shape, made, kept)) return true;
        map<N>(shape, f, spread<N>(made, shape), spread<N>(arrays, shape)...);
        put([=](const auto &target, int64_t place) { copy_part(target, part_at<axis>(made, place)); });
    }
    return false;
}

// Leaves where shapes do not fit, and where the indices are among the items.
template <int axis, typename T, int N, bool packed, typename Index, bool dense, typename F, typename... Arrays>
static inline bool scatter(const array<T, N, packed> &target, const array<Index, 1, dense> &index, F f, const Arrays &...arrays) {
    if (overlap(target, index)) return true;
    int64_t shape[N];
    for (int at = 0; at < N; at++) shape[at] = at == axis ? index.shape[0] : target.shape[at];
    const auto put = [&](auto store) {
        for (int64_t place = 0; place < index.shape[0]; place++)
            store(part_at<axis>(target, wrapped(int64_t(index.at(place)), target.shape[axis])), place);
    };
    return computed_before<axis, T, N>(shape, put, f, arrays...);
}

// Stores to items of a matrix by the index of the row and that of the column.
template <typename T, bool packed, typename One, bool dense, typename Other, bool other_dense, typename F, typename... Arrays>
static inline bool scatter_items(const array<T, 2, packed> &target, const array<One, 1, dense> &one, const array<Other, 1, other_dense> &other, F f, const Arrays &...arrays) {
    int64_t count = 1;
    if (widen_shape<1>(one, &count) || widen_shape<1>(other, &count) || overlap(target, one) || overlap(target, other)) return true;
    const int64_t step = one.shape[0] != 1, other_step = other.shape[0] != 1;
    const auto put = [&](auto store) {
        for (int64_t place = 0; place < count; place++) {
            const int64_t places[2] = {wrapped(int64_t(one.at(place * step)), target.shape[0]),
                                       wrapped(int64_t(other.at(place * other_step)), target.shape[1])};
            store(part_at<2>(target, places), place);
        }
    };
    return computed_before<0, T, 1>(&count, put, f, arrays...);
}

template <typename T, int N, bool packed, int M, bool dense, typename F, typename... Arrays>
static inline bool store_where(const array<T, N, packed> &target, const array<bool, M, dense> &mask, F f, const Arrays &...arrays) {
    if (misses(target, mask) || overlap(target, mask)) return true;
    int64_t shape[1 + N - M];
    shape[0] = count_true(mask);
    for (int axis = M; axis < N; axis++) shape[1 + axis - M] = target.shape[axis];
    const auto put = [&](auto store) {
        int64_t next = 0;
        each_true(mask, [&](const int64_t (&places)[M]) { store(part_at<M>(target, places), next++); });
    };
    return computed_before<0, T, 1 + N - M>(shape, put, f, arrays...);
}

}  // namespace npl
