// Comparisons of the numbers of native loops, of two of one type, and by value of two of different types.
#pragma once

#include "numbers.h"

namespace npl {

template <class T> static inline bool logical_not(T a) { return !truth(a); }

template <class T> static inline bool equal(T a, T b) {
    if constexpr (complex_type<T>) return a.real == b.real && a.imag == b.imag;
    else return widen(a) == widen(b);
}
template <class T> static inline bool not_equal(T a, T b) { return !equal(a, b); }

// Compares items of tuples. Leaves for two NaNs, which are equal if they are one object.
template <class T> static inline bool equal_items(T a, T b, bool &answer) {
    answer = equal(a, b);
    return not_equal(a, a) && not_equal(b, b);
}

// Orders complex numbers by their real parts, then by their imaginary ones.
template <class T> static inline bool less(T a, T b) {
    if constexpr (complex_type<T>) return a.real == b.real ? a.imag < b.imag : a.real < b.real;
    else return widen(a) < widen(b);
}
template <class T> static inline bool less_equal(T a, T b) {
    if constexpr (complex_type<T>) return a.real == b.real ? a.imag <= b.imag : a.real <= b.real;
    else return widen(a) <= widen(b);
}
template <class T> static inline bool greater(T a, T b) { return less(b, a); }
template <class T> static inline bool greater_equal(T a, T b) { return less_equal(b, a); }

// The order of complex numbers that NumPy's loops over arrays have: a NaN is below and above nothing.
template <class T> static inline bool array_less(T a, T b) {
    return a.real == b.real ? a.imag < b.imag : a.real < b.real && a.imag == a.imag && b.imag == b.imag;
}
template <class T> static inline bool array_less_equal(T a, T b) {
    return a.real == b.real ? a.imag <= b.imag : a.real < b.real && a.imag == a.imag && b.imag == b.imag;
}
template <class T> static inline bool array_greater(T a, T b) { return array_less(b, a); }
template <class T> static inline bool array_greater_equal(T a, T b) { return array_less_equal(b, a); }

// Comparisons by value, of two types without a common one that holds the values of both.
static inline bool exactly_equal(int64_t a, uint64_t b) { return a >= 0 && uint64_t(a) == b; }
static inline bool exactly_less(int64_t a, uint64_t b) { return a < 0 || uint64_t(a) < b; }
static inline bool exactly_less(uint64_t a, int64_t b) { return b >= 0 && a < uint64_t(b); }

// A double beyond the ints is above or below all of them; any other is an int and a fraction.
static inline bool exactly_equal(int64_t a, double b) {
    return b >= -0x1p63 && b < 0x1p63 && a == int64_t(b) && b == exact::trunc(b);
}
static inline bool exactly_less(int64_t a, double b) {
    if (!(b >= -0x1p63 && b < 0x1p63)) return b > 0;
    int64_t whole = int64_t(b);
    return a < whole || (a == whole && b > double(whole));
}
static inline bool exactly_less(double a, int64_t b) {
    if (!(a >= -0x1p63 && a < 0x1p63)) return a < 0;
    int64_t whole = int64_t(a);
    return whole < b || (whole == b && a < double(whole));
}
static inline bool exactly_equal(uint64_t a, double b) {
    return b >= 0 && b < 0x1p64 && a == uint64_t(b) && b == exact::trunc(b);
}
static inline bool exactly_less(uint64_t a, double b) {
    if (!(b >= 0 && b < 0x1p64)) return b > 0;
    uint64_t whole = uint64_t(b);
    return a < whole || (a == whole && b > double(whole));
}
static inline bool exactly_less(double a, uint64_t b) { return a >= 0 ? a < 0x1p64 && uint64_t(a) < b : a < 0; }
static inline bool exactly_equal(int64_t a, complex<double> b) { return b.imag == 0 && exactly_equal(a, b.real); }
static inline bool exactly_equal(uint64_t a, complex<double> b) { return b.imag == 0 && exactly_equal(a, b.real); }
template <class T> static inline bool exactly_equal(T a, int64_t b) { return exactly_equal(b, a); }
template <class T> static inline bool exactly_equal(T a, uint64_t b) { return exactly_equal(b, a); }

template <class L, class R> static inline bool ordered(L a, R b) {
    if constexpr (std::is_same_v<L, double>) return a == a;
    else if constexpr (std::is_same_v<R, double>) return b == b;
    else return true;
}

// Tells if a number is a double, or an int that is equal to one as its bits are few.
static inline bool is_as_double(double) { return true; }
static inline bool is_as_double(int64_t a) { return uint64_t(a) + (uint64_t(1) << 53) <= uint64_t(1) << 54; }
static inline bool is_as_double(uint64_t a) { return a <= uint64_t(1) << 53; }

template <class L, class R> constexpr bool has_double = std::is_same_v<L, double> || std::is_same_v<R, double>;

template <class L, class R> static inline bool exact_equal(L a, R b) {
    if constexpr (has_double<L, R>)
        if (__builtin_expect(is_as_double(a) && is_as_double(b), 1)) return double(a) == double(b);
    return exactly_equal(a, b);
}
template <class L, class R> static inline bool exact_less(L a, R b) {
    if constexpr (has_double<L, R>)
        if (__builtin_expect(is_as_double(a) && is_as_double(b), 1)) return double(a) < double(b);
    return exactly_less(a, b);
}
template <class L, class R> static inline bool exact_less_equal(L a, R b) {
    if constexpr (has_double<L, R>)
        if (__builtin_expect(is_as_double(a) && is_as_double(b), 1)) return double(a) <= double(b);
    return ordered(a, b) && !exactly_less(b, a);
}
template <class L, class R> static inline bool exact_not_equal(L a, R b) { return !exact_equal(a, b); }
template <class L, class R> static inline bool exact_greater(L a, R b) { return exact_less(b, a); }
template <class L, class R> static inline bool exact_greater_equal(L a, R b) { return exact_less_equal(b, a); }

}  // namespace npl
