// Elementwise loops: a function of the items of arrays at each place, stored to an array or to new memory.
#pragma once
#include "views.h"

// Without optimization, which tests ask for, code is compiled the faster the less of it is inlined.
#ifdef __OPTIMIZE__
#define NPL_INLINED __attribute__((always_inline))
#else
#define NPL_INLINED
#endif
#define NPL_INLINE static inline NPL_INLINED

namespace npl {

// The items of `array ** exponent`: NumPy does some exponents by other functions. fused: complex numbers are squared
// by fused instructions.
template <class T, bool fused>
NPL_INLINE T array_power(T item, T exponent) {
    if constexpr (complex_type<T>) {
        if (exponent.real == 2 && exponent.imag == 0) return fused ? fused_square(item) : multiply(item, item);
        if (exponent.real == 1 && exponent.imag == 0) return item;
        return power(item, exponent);
    } else {
        const auto value = widen(exponent);
        if (value == 2) return multiply(item, item);
        if (value == 1) return item;
        if (value == 0.5f) return narrow<T>(exact::sqrt(widen(item)));
        if (value == -1) return narrow<T>(1 / widen(item));
        return power(item, exponent);
    }
}

// -- operands ------------------------------------------------------------------------------------------------

// An array stretched to the axes of a loop: an axis of length one has stride 0.
template <typename T, int N>
struct lane {
    using item = T;
    char *data;
    int64_t strides[N ? N : 1];
};

template <int N, typename T, int M, bool packed>
NPL_INLINE bool misfits(const array<T, M, packed> &from, const int64_t *shape) {
    static_assert(M <= N);
    bool bad = false;
    for (int axis = 0; axis < M; axis++) bad |= from.shape[axis] != shape[N - M + axis] && from.shape[axis] != 1;
    return bad;
}

template <int N, typename T, int M, bool packed>
NPL_INLINE lane<T, N> spread(const array<T, M, packed> &from, const int64_t *shape) {
    lane<T, N> to{from.data, {}};
    for (int axis = 0; axis < M; axis++) {
        const int at = N - M + axis;
        to.strides[at] = from.shape[axis] == 1 && shape[at] != 1 ? 0 : from.stride(axis);
    }
    return to;
}

// Adds an operand to a shape, which begins with ones; tells if it does not fit.
template <int N, typename T, int M, bool packed>
NPL_INLINE bool widen_shape(const array<T, M, packed> &from, int64_t *shape) {
    bool bad = false;
    for (int axis = 0; axis < M; axis++) {
        int64_t &length = shape[N - M + axis];
        if (length == 1) length = from.shape[axis];
        else bad |= from.shape[axis] != 1 && from.shape[axis] != length;
    }
    return bad;
}

// -- rows ----------------------------------------------------------------------------------------------------

template <typename T>
struct point {
    char *data;
    int64_t stride;
};

template <bool still, typename T>
NPL_INLINE T item_at(const char *data, int64_t place) {
    return reinterpret_cast<const T *>(data)[still ? 0 : place];
}

// All items lie side by side, but for operands that stand still.
template <bool... still, typename F, typename Out, typename... In>
NPL_INLINE void dense_row(F f, int64_t length, point<Out> out, point<In>... in) {
    Out *to = reinterpret_cast<Out *>(out.data);
#pragma GCC ivdep
    for (int64_t place = 0; place < length; place++) to[place] = f(item_at<still, In>(in.data, place)...);
}

template <bool... still, typename F, typename Out, typename... In>
NPL_INLINE void mixed_row(F f, int64_t length, point<Out> out, point<In>... in) {
    if constexpr (sizeof...(still) == sizeof...(In)) dense_row<still...>(f, length, out, in...);
    else {
        const int64_t strides[] = {in.stride...};
        if (strides[sizeof...(still)] == 0) mixed_row<still..., true>(f, length, out, in...);
        else mixed_row<still..., false>(f, length, out, in...);
    }
}

// Items lie apart: they are loaded and stored one by one, and several are computed at once where that pays.
template <typename F, typename Out, typename... In>
NPL_INLINE void any_row(F f, int64_t length, point<Out> out, point<In>... in) {
#pragma GCC ivdep
    for (int64_t place = 0; place < length; place++)
        *reinterpret_cast<Out *>(out.data + place * out.stride) = f(*reinterpret_cast<const In *>(in.data + place * in.stride)...);
}

// mixes: operands may stand still along the row.
template <bool mixes, typename F, typename Out, typename... In>
NPL_INLINE void row(F f, int64_t length, point<Out> out, point<In>... in) {
    const bool dense = out.stride == int64_t(sizeof(Out));
    if (dense && ((in.stride == int64_t(sizeof(In))) && ...))
        dense_row<(false && sizeof(In))...>(f, length, out, in...);
    else if constexpr (mixes && sizeof...(In) <= 3) {
        if (dense && ((in.stride == int64_t(sizeof(In)) || in.stride == 0) && ...)) mixed_row(f, length, out, in...);
        else any_row(f, length, out, in...);
    } else any_row(f, length, out, in...);
}

// -- nests of loops ------------------------------------------------------------------------------------------

// The loops over N axes for K arrays, the last one innermost.
template <int N, int K>
struct nest {
    int axes = N;
    int64_t shape[N], strides[K][N];

    // Tells if an axis belongs inside another one: by the first array to which it makes a difference.
    bool is_inside(int one, int other) const {
        for (int k = 0; k < K; k++) {
            int64_t x = strides[k][one], y = strides[k][other];
            x = x < 0 ? -x : x, y = y < 0 ? -y : y;
            if (x && y && x != y) return x < y;
        }
        return one > other;
    }

    void swap(int one, int other) {
        int64_t kept = shape[one];
        shape[one] = shape[other], shape[other] = kept;
        for (int k = 0; k < K; k++) {
            kept = strides[k][one];
            strides[k][one] = strides[k][other], strides[k][other] = kept;
        }
    }

    // Puts the axes into the order of memory.
    void arrange() {
        for (int from = 1; from < N; from++)
            for (int at = from; at > 0 && is_inside(at - 1, at); at--) swap(at - 1, at);
        join();
    }

    // Makes one axis of those that lie behind one another.
    void join() {
        int last = 0;
        for (int axis = 1; axis < N; axis++) {
            bool joins = shape[last] == 1 || shape[axis] == 1;
            if (!joins) {
                joins = true;
                for (int k = 0; k < K; k++) joins &= strides[k][last] == strides[k][axis] * shape[axis];
            }
            bool keeps = joins && shape[axis] == 1;
            if (!joins) last++;
            shape[last] = joins ? shape[last] * shape[axis] : shape[axis];
            if (!keeps)
                for (int k = 0; k < K; k++) strides[k][last] = strides[k][axis];
        }
        axes = last + 1;
    }
};

// Calls a function for each row: it is given where the arrays' rows begin, and their length.
template <int N, int K, typename Row>
NPL_INLINE void each_row(const nest<N, K> &loops, char *(&data)[K], Row row) {
    const int inner = loops.axes - 1;
    for (int axis = 0; axis <= inner; axis++)
        if (loops.shape[axis] == 0) return;
    int64_t places[N] = {};
    while (true) {
        row(data, loops.shape[inner]);
        int axis = inner - 1;
        for (; axis >= 0; axis--) {
            for (int k = 0; k < K; k++) data[k] += loops.strides[k][axis];
            if (++places[axis] < loops.shape[axis]) break;
            places[axis] = 0;
            for (int k = 0; k < K; k++) data[k] -= loops.strides[k][axis] * loops.shape[axis];
        }
        if (axis < 0) return;
    }
}

template <int... numbers>
struct counted {};
template <int count, int... numbers>
struct count_up : count_up<count - 1, count - 1, numbers...> {};
template <int... numbers>
struct count_up<0, numbers...> {
    using type = counted<numbers...>;
};

template <int N, typename F, typename Out, typename... In, int... k>
static void nested_map(const int64_t *shape, F f, const lane<Out, N> &out, counted<k...>, const lane<In, N> &...in) {
    nest<N, 1 + sizeof...(In)> loops;
    char *data[1 + sizeof...(In)] = {out.data, in.data...};
    for (int axis = 0; axis < N; axis++) {
        loops.shape[axis] = shape[axis];
        loops.strides[0][axis] = out.strides[axis];
        ((loops.strides[k + 1][axis] = in.strides[axis]), ...);
    }
    loops.arrange();
    const int inner = loops.axes - 1;
    each_row(loops, data, [&](char **at, int64_t length) {
        row<true>(f, length, point<Out>{at[0], loops.strides[0][inner]},
                  point<In>{at[k + 1], loops.strides[k + 1][inner]}...);
    });
}

// Stores a function of the items at each place.
template <int N, typename F, typename Out, typename... In>
NPL_INLINE void map(const int64_t *shape, F f, const lane<Out, N> &out, const lane<In, N> &...in) {
    if constexpr (N == 0) *reinterpret_cast<Out *>(out.data) = f(*reinterpret_cast<const In *>(in.data)...);
    else if constexpr (N == 1) row<false>(f, shape[0], point<Out>{out.data, out.strides[0]}, point<In>{in.data, in.strides[0]}...);
    else nested_map<N>(shape, f, out, typename count_up<sizeof...(In)>::type{}, in...);
}

// -- new memory ----------------------------------------------------------------------------------------------

// Gives an array a shape, its items in C order; returns their bytes, a negative number where there are too many.
template <typename T, int N>
NPL_INLINE int64_t lay_out(const int64_t *shape, array<T, N, true> &made) {
    int64_t count = sizeof(T);
    bool too_large = false, empty = false;
    for (int axis = N - 1; axis >= 0; axis--) {
        made.shape[axis] = shape[axis];
        made.strides[axis] = count;
        empty |= shape[axis] == 0;
        too_large |= __builtin_mul_overflow(count, shape[axis] ? shape[axis] : 1, &count);
    }
    return too_large ? -1 : empty ? 0 : count;
}

// Makes memory for an array of a shape, its items in C order; tells if there is none.
template <typename T, int N>
static inline bool make(const int64_t *shape, array<T, N, true> &made, scratch &kept) {
    if (!(kept.memory = allocate(lay_out(shape, made)))) return true;
    kept.memory->axes = N;
    kept.memory->turned = 0;
    for (int axis = 0; axis < N; axis++) kept.memory->shape[axis] = shape[axis];
    made.data = kept.memory->items;
    made.owner = nullptr;
    made.memory = kept.memory;
    made.itself = true;
    return false;
}

// Tells if an array's axes lie in memory in the order of C, as NumPy's results then do.
template <typename T, int N, bool packed>
NPL_INLINE bool is_c_ordered(const array<T, N, packed> &of) {
    int64_t inner = 0;
    for (int axis = N - 1; axis >= 0; axis--) {
        if (of.shape[axis] == 1 || of.strides[axis] == 0) continue;
        int64_t stride = of.strides[axis] < 0 ? -of.strides[axis] : of.strides[axis];
        if (stride < inner) return false;
        inner = stride;
    }
    return true;
}

// Computes a new array in C order. Leaves where shapes do not fit.
template <typename F, typename T, int N, typename... Arrays>
static inline bool compute_in_c(array<T, N, true> &made, scratch &kept, F f, const Arrays &...arrays) {
    int64_t shape[N ? N : 1];
    for (int axis = 0; axis < N; axis++) shape[axis] = 1;
    if ((widen_shape<N>(arrays, shape) | ... | false) || make(shape, made, kept)) return true;
    map<N>(shape, f, spread<N>(made, shape), spread<N>(arrays, shape)...);
    return false;
}

// Computes a new array. Leaves where shapes do not fit, or the result would not be in C order.
template <typename F, typename T, int N, typename... Arrays>
static inline bool compute(array<T, N, true> &made, scratch &kept, F f, const Arrays &...arrays) {
    if constexpr (N > 1)
        if (!(is_c_ordered(arrays) && ...)) return true;
    return compute_in_c(made, kept, f, arrays...);
}

// The axes along which an operand's items differ, in the order in which they lie: by rows, by columns, or along one
// axis only.
enum { no_axis, by_rows, by_columns, along_first, along_last };
template <typename T, int N, bool packed>
NPL_INLINE int lies(const array<T, N, packed> &of) {
    static_assert(N <= 2);
    if constexpr (N == 0) return no_axis;
    else if constexpr (N == 1) return of.shape[0] == 1 || of.stride(0) == 0 ? no_axis : along_last;
    else {
        int64_t first = of.shape[0] == 1 ? 0 : of.stride(0), last = of.shape[1] == 1 ? 0 : of.stride(1);
        first = first < 0 ? -first : first, last = last < 0 ? -last : last;
        if (!first) return last ? along_last : no_axis;
        return !last ? along_first : last > first ? by_columns : by_rows;
    }
}

// Computes a new matrix, by columns where all operands with two axes lie so, as NumPy's iterator decides. Leaves
// where shapes do not fit, where there are no items, and where a part of the expression may have been a matrix by rows.
template <typename F, typename T, typename... Arrays>
static inline bool compute(array<T, 2, false> &made, scratch &kept, F f, const Arrays &...arrays) {
    int64_t shape[2] = {1, 1};
    if ((widen_shape<2>(arrays, shape) | ... | false) || shape[0] == 0 || shape[1] == 0) return true;
    const int orders[] = {lies(arrays)...};
    bool rows = false, columns = false, first = false, last = false;
    for (int order : orders) {
        rows |= order == by_rows, columns |= order == by_columns;
        first |= order == along_first, last |= order == along_last;
    }
    const bool turned = columns && !rows;
    if (turned && first && last) return true;
    array<T, 2, true> memory;
    const int64_t lengths[2] = {shape[turned], shape[!turned]};
    if (make(lengths, memory, kept)) return true;
    made.data = memory.data, made.owner = nullptr, made.memory = memory.memory, made.itself = true;
    for (int axis = 0; axis < 2; axis++) {
        made.shape[axis] = kept.memory->shape[axis] = shape[axis];
        made.strides[axis] = memory.strides[turned ? 1 - axis : axis];
    }
    kept.memory->turned = turned;
    map<2>(shape, f, spread<2>(made, shape), spread<2>(arrays, shape)...);
    return false;
}

// -- stores --------------------------------------------------------------------------------------------------

constexpr int64_t most_bytes_of_stack = 4096;  // for the items of one array that lives as long as a statement

// Tells if two arrays may have memory in common.
template <typename One, typename Other>
NPL_INLINE bool overlap(const One &one, const Other &other) {
    const reach first = reach_of(one), second = reach_of(other);
    return first.end > second.first && second.end > first.first;
}

// Tells if places of an array may be places of others, too.
template <typename T, int N, bool packed>
NPL_INLINE bool overlaps_itself(const array<T, N, packed> &of) {
    bool apart = true;
    for (int axis = 0; axis < N; axis++) {
        if (of.shape[axis] < 2) continue;
        const int64_t step = exact::abs(of.stride(axis));
        int64_t within = sizeof(T);  // of the items of the axes inside this one
        for (int other = 0; other < N; other++) {
            const int64_t stride = exact::abs(of.stride(other));
            if (stride < step || (stride == step && other > axis)) within += (of.shape[other] - 1) * stride;
        }
        apart &= step >= within;
    }
    return !apart;
}

// Tells if a store to an array may change items of an operand that are read later.
template <typename T, int N, bool packed, typename From, int M, bool dense>
NPL_INLINE bool clashes(const array<T, N, packed> &target, const array<From, M, dense> &from) {
    if (!overlap(target, from)) return false;
    if constexpr (N == M && sizeof(T) == sizeof(From)) {
        bool same = target.data == from.data;
        for (int axis = 0; axis < N; axis++)
            same &= target.shape[axis] == from.shape[axis] && target.stride(axis) == from.stride(axis);
        if (same) return overlaps_itself(target);
        if constexpr (N == 1) {
            int64_t stride = target.stride(0), distance = from.data - target.data;
            if (stride == from.stride(0)) {
                if (stride < 0) stride = -stride;
                if (stride == 0) return true;
                int64_t rest = distance % stride;
                if (rest < 0) rest += stride;
                if (rest >= int64_t(sizeof(T)) && stride - rest >= int64_t(sizeof(T))) return false;
            }
        }
    }
    return true;
}

// Copies items in C order to an array. No part of a store, so that code for it is made once for all of a type.
template <typename T, int N, bool packed>
static __attribute__((noinline)) void put_back(const array<T, N, packed> &target, char *items) {
    const array<T, N, packed> to = target;  // no store of an item may change its shape
    array<T, N, true> made;
    lay_out(to.shape, made);
    made.data = items;
    map<N>(to.shape, [](T item) { return item; }, spread<N>(to, to.shape), spread<N>(made, to.shape));
}

// Stores to an array as if all operands had been read before. Leaves where shapes do not fit.
// needs_copy: the function reads items of the target at other places.
template <typename F, typename T, int N, bool packed, typename... Arrays>
NPL_INLINE bool store(const array<T, N, packed> &target, bool needs_copy, F f, const Arrays &...arrays) {
    if ((misfits<N>(arrays, target.shape) | ... | false)) return true;
    const bool apart = needs_copy || (clashes(target, arrays) | ... | false);
    array<T, N, packed> to = target;
    alignas(64) char few[most_bytes_of_stack];
    scratch kept;
    if (apart) [[unlikely]] {
        array<T, N, true> made;
        const int64_t bytes = lay_out(target.shape, made);
        if (bytes < 0 || bytes > most_bytes_of_stack) {
            if (!(kept.memory = allocate(bytes))) return true;
        }
        to.data = kept.memory ? kept.memory->items : few;
        for (int axis = 0; axis < N; axis++) to.strides[axis] = made.strides[axis];
    }
    map<N>(target.shape, f, spread<N>(to, target.shape), spread<N>(arrays, target.shape)...);
    if (apart) [[unlikely]] put_back(array<T, N, packed>(target), to.data);
    return false;
}

// Moves items one by one, as `PyArray_AssignArray` of NumPy does where the arrays run the same way: the target forward,
// but where the source begins before it and reaches it. Where strides differ, an item may be read after it was stored.
template <typename T, bool packed, bool dense>
static __attribute__((noinline)) void move_in_order(const array<T, 1, packed> &target, const array<T, 1, dense> &from) {
    const int64_t length = target.shape[0], to_stride = target.stride(0), step = from.stride(0);
    char *to = target.data, *source = from.data;
    const bool turned = to_stride < 0;
    const char *first = turned ? source + (length - 1) * step : source, *begin = turned ? to + (length - 1) * to_stride : to;
    const bool backward = first < begin && first + length * (turned ? -step : step) > begin;
    const bool from_end = turned != backward;
    for (int64_t count = 0; count < length; count++) {
        const int64_t place = from_end ? length - 1 - count : count;
        *reinterpret_cast<T *>(to + place * to_stride) = *reinterpret_cast<T *>(source + place * step);
    }
}

// Stores the items of an array as they are. Leaves where shapes do not fit.
template <typename T, bool packed, bool dense>
NPL_INLINE bool move(const array<T, 1, packed> &target, const array<T, 1, dense> &from) {
    if (misfits<1>(from, target.shape)) return true;
    const auto same = [](T item) { return item; };
    const int64_t to_stride = target.stride(0), step = from.stride(0);
    const bool differ = to_stride != step && (to_stride < 0) == (step < 0) && from.shape[0] > 1;
    if (differ && overlap(target, from)) [[unlikely]] {
        move_in_order(array<T, 1, packed>(target), array<T, 1, dense>(from));
        return false;
    }
    return store(target, false, same, from);
}

}  // namespace npl
