// Reductions of arrays, and of functions of their items, to one number.
#pragma once
#include "maps.h"

namespace npl {

// -- walks ---------------------------------------------------------------------------------------------------

// Gives a function the items of each row by their places: `row(source, length)`.
template <typename Row, typename F, typename... In>
NPL_INLINE void feed(Row &row, F f, int64_t length, point<In>... in) {
    if (((in.stride == int64_t(sizeof(In))) && ...))
        row([=](int64_t place) NPL_INLINED { return f(item_at<false, In>(in.data, place)...); }, length);
    else
        row([=](int64_t place) NPL_INLINED {
            return f(*reinterpret_cast<const In *>(in.data + place * in.stride)...);
        }, length);
}

template <int N, bool ordered, typename Row, typename F, typename... In, int... k>
static void nested_feed(const int64_t *shape, Row &row, F f, counted<k...>, const lane<In, N> &...in) {
    nest<N, sizeof...(In)> loops;
    char *data[sizeof...(In)] = {in.data...};
    for (int axis = 0; axis < N; axis++) {
        loops.shape[axis] = shape[axis];
        ((loops.strides[k][axis] = in.strides[axis]), ...);
    }
    if (ordered) loops.join();
    else loops.arrange();
    const int inner = loops.axes - 1;
    each_row(loops, data, [&](char **at, int64_t length) {
        feed(row, f, length, point<In>{at[k], loops.strides[k][inner]}...);
    });
}

// Visits all items, row by row; ordered: in the order of C. Tells if shapes do not fit.
template <int N, bool ordered = false, typename Row, typename F, typename... Arrays>
NPL_INLINE bool visit(Row &row, F f, const Arrays &...arrays) {
    int64_t shape[N];
    for (int axis = 0; axis < N; axis++) shape[axis] = 1;
    if ((widen_shape<N>(arrays, shape) | ...)) return true;
    if constexpr (N == 1) {
        [&](const auto &...in) NPL_INLINED {
            feed(row, f, shape[0], point<typename std::decay_t<decltype(in)>::item>{in.data, in.strides[0]}...);
        }(spread<N>(arrays, shape)...);
    } else nested_feed<N, ordered>(shape, row, f, typename count_up<sizeof...(Arrays)>::type{}, spread<N>(arrays, shape)...);
    return false;
}

// -- sums ----------------------------------------------------------------------------------------------------

// NumPy's sum in pairs: by eight sums up to 128 items, and by halves above.
template <typename T, typename Source>
static T sum_in_pairs(const Source &source, int64_t first, int64_t length) {
    if (length < 8) {
        T sum = T(-0.0);
        for (int64_t place = 0; place < length; place++) sum += widen(source(first + place));
        return sum;
    }
    if (length <= 128) {
        T sums[8];
        for (int lane = 0; lane < 8; lane++) sums[lane] = widen(source(first + lane));
        int64_t place = 8;
        for (; place < length - length % 8; place += 8)
            for (int lane = 0; lane < 8; lane++) sums[lane] += widen(source(first + place + lane));
        T sum = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
        for (; place < length; place++) sum += widen(source(first + place));
        return sum;
    }
    int64_t half = length / 2;
    half -= half % 8;
    return sum_in_pairs<T>(source, first, half) + sum_in_pairs<T>(source, first + half, length - half);
}

// The same for complex numbers, of which each counts as two.
template <typename T, typename Source>
static complex<T> complex_sum_in_pairs(const Source &source, int64_t first, int64_t length) {
    if (length < 4) {
        complex<T> sum = {T(-0.0), T(-0.0)};
        for (int64_t place = 0; place < length; place++) sum = add(sum, source(first + place));
        return sum;
    }
    if (length <= 64) {
        complex<T> sums[4];
        for (int lane = 0; lane < 4; lane++) sums[lane] = source(first + lane);
        int64_t place = 4;
        for (; place < length - length % 4; place += 4)
            for (int lane = 0; lane < 4; lane++) sums[lane] = add(sums[lane], source(first + place + lane));
        complex<T> sum = add(add(sums[0], sums[1]), add(sums[2], sums[3]));
        for (; place < length; place++) sum = add(sum, source(first + place));
        return sum;
    }
    int64_t half = length / 2;
    half -= half % 4;
    return add(complex_sum_in_pairs<T>(source, first, half), complex_sum_in_pairs<T>(source, first + half, length - half));
}

template <typename T>
struct sum_row {
    computed<T> sum{};
    template <typename Source>
    inline NPL_INLINED void operator()(const Source &source, int64_t length) {
        if constexpr (complex_type<T>) sum = add(sum, complex_sum_in_pairs<decltype(T::real)>(source, 0, length));
        else if constexpr (integer_type<T>) {
            wrapping<T> total = 0;
            for (int64_t place = 0; place < length; place++) total += wrapping<T>(source(place));
            sum = T(wrapping<T>(sum) + total);
        } else {
            sum += sum_in_pairs<computed<T>>(source, 0, length);
            if constexpr (half_type<T>) sum = widen(narrow<T>(sum));
        }
    }
};

template <int N, typename T, typename F, typename... Arrays>
NPL_INLINE bool sum(T &answer, F f, const Arrays &...arrays) {
    sum_row<T> row;
    if (visit<N>(row, f, arrays...)) return true;
    if constexpr (half_type<T>) answer = narrow<T>(row.sum);
    else answer = row.sum;
    return false;
}

// Leaves for no items, as NumPy warns.
template <int N, typename T, typename F, typename... Arrays>
NPL_INLINE bool mean(T &answer, F f, const Arrays &...arrays) {
    int64_t count = 0;
    auto row = [&, sum = sum_row<T>()](const auto &source, int64_t length) mutable {
        sum(source, length);
        count += length;
        answer = sum.sum;
    };
    if (visit<N>(row, f, arrays...) || count == 0) return true;
    answer = divide(answer, cast<T>(double(count)));
    return false;
}

template <typename T>
struct product_row {
    computed<T> product = cast<computed<T>>(1);
    template <typename Source>
    inline NPL_INLINED void operator()(const Source &source, int64_t length) {
        for (int64_t place = 0; place < length; place++) product = multiply(product, widen(source(place)));
    }
};

template <int N, typename T, typename F, typename... Arrays>
NPL_INLINE bool prod(T &answer, F f, const Arrays &...arrays) {
    product_row<T> row;
    if (visit<N>(row, f, arrays...)) return true;
    if constexpr (half_type<T>) answer = narrow<T>(row.product);
    else answer = row.product;
    return false;
}

// A scalar product, whose rounding is free in the order of the sums: by several sums at once.
template <typename T>
struct dot_row {
    computed<T> sum{};
    template <typename Source>
    inline NPL_INLINED void operator()(const Source &source, int64_t length) {
        using C = computed<T>;
        if constexpr (integer_type<T>) {
            wrapping<T> total = 0;
            for (int64_t place = 0; place < length; place++) total += wrapping<T>(source(place));
            sum = T(total);
        } else if constexpr (bool_type<T>) {
            for (int64_t place = 0; place < length; place++) sum |= source(place);
        } else {
            constexpr int lanes = complex_type<T> ? 4 : 128 / sizeof(C);
            // The last items, up to four, are taken one by one: a loop may have stored them a moment ago, and a load
            // of several items waits for stores of one.
            const int64_t together = (length - 1) & ~int64_t(3);
            int64_t place = 0;
            if (together >= lanes) {
                C sums[lanes];
                for (int lane = 0; lane < lanes; lane++) sums[lane] = C{};
                for (; place + lanes <= together; place += lanes)
                    for (int lane = 0; lane < lanes; lane++) sums[lane] = add(sums[lane], source(place + lane));
                for (int width = lanes / 2; width > 0; width /= 2)
                    for (int lane = 0; lane < width; lane++) sums[lane] = add(sums[lane], sums[lane + width]);
                sum = sums[0];
            }
            C rest[4] = {};
            for (; place < together; place += 4)
                for (int lane = 0; lane < 4; lane++) rest[lane] = add(rest[lane], source(place + lane));
            sum = add(sum, add(add(rest[0], rest[1]), add(rest[2], rest[3])));
            C last = C{};
            const int64_t left = length - place;
            if (left > 0) last = source(place);
            if (left > 1) last = add(last, source(place + 1));
            if (left > 2) last = add(last, source(place + 2));
            if (left > 3) last = add(last, source(place + 3));
            sum = add(sum, last);
        }
    }
};

// The same for items that lie apart: by four sums, as putting such items into a vector takes longer than adding them.
template <typename T>
struct apart_row {
    computed<T> sum{};
    template <typename Source>
    inline NPL_INLINED void operator()(const Source &source, int64_t length) {
        using C = computed<T>;
        C one{}, two{}, three{}, four{};
        int64_t place = 0;
        for (; place + 4 <= length; place += 4) {
            one = add(one, source(place)), two = add(two, source(place + 1));
            three = add(three, source(place + 2)), four = add(four, source(place + 3));
        }
        sum = add(add(one, two), add(three, four));
        for (; place < length; place++) sum = add(sum, source(place));
    }
};

// The sum of a function of items of which one array's length has to be the other's. The function widens items.
template <typename T, typename F, typename One, typename Other>
NPL_INLINE bool dot(T &answer, F f, const One &one, const Other &other) {
    if (one.shape[0] != other.shape[0]) return true;
    dot_row<T> row;
    visit<1>(row, f, one, other);
    if constexpr (half_type<T>) answer = narrow<T>(row.sum);
    else answer = row.sum;
    return false;
}

// The sum of the products of items: one function for all statements of a loop, each of which would take as long to
// compile as many loops over items do.
template <typename T, bool mirrors, typename One, typename Other>
static __attribute__((noinline)) computed<T> dot_of_items(point<One> one, point<Other> other, int64_t length) {
    const auto product = [](const One x, const Other y) {
        const auto factor = widen(cast<T>(x));
        if constexpr (mirrors) return multiply(mirrored(factor), widen(cast<T>(y)));
        else return multiply(factor, widen(cast<T>(y)));
    };
    const auto sum_by = [&](auto row) {
        feed(row, product, length, one, other);
        return row.sum;
    };
    if constexpr (std::is_floating_point_v<T>)
        if (one.stride != sizeof(One) || other.stride != sizeof(Other)) return sum_by(apart_row<T>{});
    return sum_by(dot_row<T>{});
}

// The scalar product of two arrays, of which one's length has to be the other's.
template <typename T, bool mirrors, typename One, typename Other, bool packed, bool dense>
NPL_INLINE bool dot_of_arrays(T &answer, const array<One, 1, packed> &one, const array<Other, 1, dense> &other) {
    const int64_t length = one.shape[0];
    if (length != other.shape[0]) return true;
    const auto sum = dot_of_items<T, mirrors>(point<One>{one.data, one.stride(0)}, point<Other>{other.data, other.stride(0)}, length);
    if constexpr (half_type<T>) answer = narrow<T>(sum);
    else answer = sum;
    return false;
}

// -- least and greatest --------------------------------------------------------------------------------------

template <bool least, typename T>
NPL_INLINE bool precedes(T one, T other) {
    if constexpr (least) return less(one, other);
    else return less(other, one);
}

// Tells if the extreme so far is kept. Of zeros with two signs NumPy takes the last one, as the processor's
// instructions for floats and doubles do, and of halves the first.
template <bool least, typename T>
NPL_INLINE bool stays(T extreme, T item) {
    if constexpr (std::is_floating_point_v<T>) return precedes<least>(extreme, item);
    else return !precedes<least>(item, extreme);
}

template <typename T>
NPL_INLINE bool is_nan(T item) {
    if constexpr (complex_type<T>) return item.real != item.real || item.imag != item.imag;
    else if constexpr (half_type<T>) return (item.bits & 0x7fff) > 0x7c00;
    else return item != item;
}

template <typename T, bool least>
struct extreme_row {
    T extreme{}, nan{};
    bool has_any = false, has_nan = false;
    template <typename Source>
    inline NPL_INLINED void operator()(const Source &source, int64_t length) {
        if (!length || has_nan) return;
        if (!has_any) extreme = source(0);
        has_any = true;
        int64_t place = 0;
        if constexpr (std::is_arithmetic_v<T>) {
            constexpr int lanes = 64 / sizeof(T) > 16 ? 64 / sizeof(T) : 16;
            if (length >= lanes) {
                T extremes[lanes];
                unsigned char nans[lanes] = {};
                for (int lane = 0; lane < lanes; lane++) extremes[lane] = extreme;
                for (; place + lanes <= length; place += lanes)
                    for (int lane = 0; lane < lanes; lane++) {
                        const T item = source(place + lane);
                        extremes[lane] = stays<least>(extremes[lane], item) ? extremes[lane] : item;
                        if constexpr (std::is_floating_point_v<T>) nans[lane] |= item != item;
                    }
                for (int lane = 0; lane < lanes; lane++) {
                    if (nans[lane]) has_nan = true;
                    if (!stays<least>(extreme, extremes[lane])) extreme = extremes[lane];
                }
                if (is_nan(extreme)) has_nan = true;
                if (has_nan) place = 0;
            }
        }
        for (; place < length; place++) {
            const T item = source(place);
            if (is_nan(item)) {
                has_nan = true;
                nan = item;
                return;
            }
            if (!stays<least>(extreme, item)) extreme = item;
        }
    }
};

// Leaves for no items, for which NumPy raises.
template <int N, bool least, typename T, typename F, typename... Arrays>
NPL_INLINE bool extreme(T &answer, F f, const Arrays &...arrays) {
    extreme_row<T, least> row;
    if (visit<N>(row, f, arrays...) || !row.has_any) return true;
    answer = row.has_nan ? row.nan : row.extreme;
    return false;
}
template <int N, typename T, typename F, typename... Arrays>
NPL_INLINE bool min(T &answer, F f, const Arrays &...arrays) {
    return extreme<N, true>(answer, f, arrays...);
}
template <int N, typename T, typename F, typename... Arrays>
NPL_INLINE bool max(T &answer, F f, const Arrays &...arrays) {
    return extreme<N, false>(answer, f, arrays...);
}

// The place of the first least or greatest item; a NaN is both.
template <typename T, bool least>
struct place_row {
    int64_t seen = 0, found = -1;
    T extreme{};
    template <typename Source>
    inline NPL_INLINED void operator()(const Source &source, int64_t length) {
        for (int64_t place = 0; place < length; place++) {
            const T item = source(place);
            if (found < 0 || (!is_nan(extreme) && (precedes<least>(item, extreme) || is_nan(item)))) {
                extreme = item;
                found = seen + place;
            }
        }
        seen += length;
    }
};

template <int N, typename T, bool least, typename F, typename... Arrays>
NPL_INLINE bool extreme_place(int64_t &answer, F f, const Arrays &...arrays) {
    place_row<T, least> row;
    if (visit<N, true>(row, f, arrays...) || row.found < 0) return true;
    answer = row.found;
    return false;
}
template <int N, typename T, typename F, typename... Arrays>
NPL_INLINE bool argmin(int64_t &answer, F f, const Arrays &...arrays) {
    return extreme_place<N, T, true>(answer, f, arrays...);
}
template <int N, typename T, typename F, typename... Arrays>
NPL_INLINE bool argmax(int64_t &answer, F f, const Arrays &...arrays) {
    return extreme_place<N, T, false>(answer, f, arrays...);
}

// -- truth ---------------------------------------------------------------------------------------------------

template <bool stops>
struct truth_row {
    bool found = false;
    template <typename Source>
    inline NPL_INLINED void operator()(const Source &source, int64_t length) {
        for (int64_t place = 0; place < length && !found; place++) found = truth(source(place)) == stops;
    }
};
template <int N, typename T, typename F, typename... Arrays>
NPL_INLINE bool any(bool &answer, F f, const Arrays &...arrays) {
    truth_row<true> row;
    if (visit<N>(row, f, arrays...)) return true;
    answer = row.found;
    return false;
}
template <int N, typename T, typename F, typename... Arrays>
NPL_INLINE bool all(bool &answer, F f, const Arrays &...arrays) {
    truth_row<false> row;
    if (visit<N>(row, f, arrays...)) return true;
    answer = !row.found;
    return false;
}

}  // namespace npl
