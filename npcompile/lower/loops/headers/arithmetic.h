// The operators of native loops but powers and comparisons, for NumPy's scalars and for Python's numbers (whose
// functions are named `int_`, `float_` and `complex_` where they differ).
#pragma once

#include "numbers.h"

namespace npl {

// -- sums, differences, products -----------------------------------------------------------------------------

template <class T> static inline T add(T a, T b) {
    if constexpr (bool_type<T>) return a || b;
    else if constexpr (integer_type<T>) return T(a + b);  // signed ones wrap, too: see the compiler's flags
    else if constexpr (complex_type<T>) return {a.real + b.real, a.imag + b.imag};
    else return narrow<T>(widen(a) + widen(b));
}

template <class T> static inline T subtract(T a, T b) {
    if constexpr (integer_type<T>) return T(a - b);
    else if constexpr (complex_type<T>) return {a.real - b.real, a.imag - b.imag};
    else return narrow<T>(widen(a) - widen(b));
}

template <class T> static inline T multiply(T a, T b) {
    if constexpr (bool_type<T>) return a && b;
    else if constexpr (integer_type<T>) return T(wrapping<T>(a) * wrapping<T>(b));
    else if constexpr (complex_type<T>)
        return {product(a.real, b.real) - product(a.imag, b.imag),
                product(a.real, b.imag) + product(a.imag, b.real)};
    else return narrow<T>(product(widen(a), widen(b)));
}

// The product as NumPy's loops over arrays have it on a processor with fused instructions.
template <class T> static inline T fused_multiply(T a, T b) {
    return {exact::fma(a.real, b.real, -product(a.imag, b.imag)),
            exact::fma(a.real, b.imag, product(a.imag, b.real))};
}

static inline int64_t int_add_unchecked(int64_t a, int64_t b) { return add(a, b); }
static inline int64_t int_subtract_unchecked(int64_t a, int64_t b) { return subtract(a, b); }
static inline int64_t int_multiply_unchecked(int64_t a, int64_t b) { return multiply(a, b); }

static inline bool int_add(int64_t a, int64_t b, int64_t& answer) {
    return __builtin_add_overflow(a, b, &answer);
}
static inline bool int_subtract(int64_t a, int64_t b, int64_t& answer) {
    return __builtin_sub_overflow(a, b, &answer);
}
// By a known factor a sum of shifts has the product sooner than an instruction that also tells if it is too large.
static inline bool int_multiply_by(int64_t a, int64_t factor, int64_t& answer) {
    answer = multiply(a, factor);
    const uint64_t least = uint64_t(INT64_MIN / factor), most = uint64_t(INT64_MAX / factor);
    return uint64_t(a) - least > most - least;
}
static inline bool int_multiply(int64_t a, int64_t b, int64_t& answer) {
    if (__builtin_constant_p(b) && b > 0) return int_multiply_by(a, b, answer);
    if (__builtin_constant_p(a) && a > 0) return int_multiply_by(b, a, answer);
    return __builtin_mul_overflow(a, b, &answer);
}

// Tells if an int is not among those from `least` on, of which `span` follow it.
static inline bool beyond(int64_t a, uint64_t least, uint64_t span) { return uint64_t(a) - least > span; }

// -- signs ---------------------------------------------------------------------------------------------------

template <class T> static inline T negative(T a) {
    if constexpr (integer_type<T>) return T(wrapping<T>(0) - wrapping<T>(a));
    else if constexpr (complex_type<T>) return {-a.real, -a.imag};
    else if constexpr (half_type<T>) return {uint16_t(a.bits ^ 0x8000)};
    else return -a;
}

template <class T> static inline T positive(T a) { return a; }

static inline int64_t int_negative_unchecked(int64_t a) { return negative(a); }
static inline bool int_negative(int64_t a, int64_t& answer) {
    return __builtin_sub_overflow(int64_t(0), a, &answer);
}

// -- divisions -----------------------------------------------------------------------------------------------

// The quotient of floats and complex numbers; of the latter by Smith's method, with NumPy's one reciprocal.
template <class T> static inline T divide(T a, T b) {
    if constexpr (complex_type<T>) {
        using Part = decltype(T::real);
        Part real = exact::fabs(b.real), imag = exact::fabs(b.imag);
        if (real >= imag) {
            if (real == 0 && imag == 0) return {a.real / real, a.imag / imag};
            Part ratio = b.imag / b.real, scale = Part(1) / (b.real + product(b.imag, ratio));
            return {product(a.real + product(a.imag, ratio), scale),
                    product(a.imag - product(a.real, ratio), scale)};
        }
        Part ratio = b.real / b.imag, scale = Part(1) / (b.imag + product(b.real, ratio));
        return {product(product(a.real, ratio) + a.imag, scale),
                product(product(a.imag, ratio) - a.real, scale)};
    } else return narrow<T>(widen(a) / widen(b));
}

// Of integers that have a quotient in their type.
// A divisor that is a known power of two: the floor is a shift then, and the rest a mask.
#define NPL_IS_POWER_OF_TWO(b) (__builtin_constant_p(b) && (b) > 0 && ((b) & ((b) - 1)) == 0)

// Tells if an unsigned division of 32 bits has the quotient and the rest: it takes less time, and no sign counts.
template <class T> static inline bool is_short_division(T a, T b) {
    if constexpr (sizeof(T) == 8) return !__builtin_constant_p(b) && (uint64_t(a) | uint64_t(b)) >> 32 == 0;
    else return false;
}

// Tells if an unsigned division by a known divisor does: it needs no steps for the sign, which compilers that know
// it keep. Where the sign is not known, looking at it takes less time than these steps.
template <class T> static inline bool is_natural_division(T a, T b) {
    if constexpr (sizeof(T) == 8 && std::is_signed_v<T>) return __builtin_constant_p(b) && b > 0 && a >= 0;
    else return false;
}

template <class T> static inline T floor_quotient(T a, T b) {
    if (is_short_division(a, b)) [[likely]] return T(uint32_t(a) / uint32_t(b));
    if constexpr (std::is_unsigned_v<T>) return T(a / b);
    else {
        if (NPL_IS_POWER_OF_TWO(b)) return T(a >> __builtin_ctzll(uint64_t(b)));
        if (is_natural_division(a, b)) [[likely]] return T(uint64_t(a) / uint64_t(b));
        T quotient = T(a / b), rest = T(a % b);
        return T(quotient - (rest != 0 && (rest < 0) != (b < 0)));
    }
}
template <class T> static inline T floor_rest(T a, T b) {
    if (NPL_IS_POWER_OF_TWO(b)) return T(a & (b - 1));
    if (is_short_division(a, b)) [[likely]] return T(uint32_t(a) % uint32_t(b));
    if (is_natural_division(a, b)) [[likely]] return T(uint64_t(a) % uint64_t(b));
    T rest = T(a % b);
    if constexpr (std::is_unsigned_v<T>) return rest;
    else return rest != 0 && (rest < 0) != (b < 0) ? T(rest + b) : rest;
}

// The rest of a sum: `(i + 1) % n` mostly needs no division, which takes as long as ten additions.
static inline int64_t floor_rest_of_sum(int64_t a, int64_t b) {
    if (!__builtin_constant_p(b) && b > 0) {
        const int64_t once = add(a, a < 0 ? b : 0), less = subtract(once, b), rest = less < 0 ? once : less;
        if (__builtin_expect(uint64_t(rest) < uint64_t(b), 1)) return rest;
    }
    return floor_rest(a, b);
}

// The rest of a division by truncation. It is always a number of the type; where the quotient is exact as an
// integer, one fused step has it, and the library's loop over bits is not needed.
template <class T> static inline T truncated_rest(T a, T b) {
#ifdef __FMA__
    T x = exact::fabs(a), y = exact::fabs(b), quotient = exact::trunc(x / y);
    if (__builtin_expect(quotient < T(uint64_t(1) << std::numeric_limits<T>::digits) && y < T(inf), 1)) {
        T rest = exact::fma(-quotient, y, x);
        // The quotient was rounded up to the next integer.
        if (rest < 0) rest = exact::fma(T(1) - quotient, y, x);
        return exact::copysign(rest, a);
    }
#endif
    return exact::fmod(a, b);
}

// CPython's method, which NumPy has taken over: the quotient of what is divisible, snapped to an integer.
template <class T> static inline T floor_quotient_of_floats(T a, T b) {
    T rest = truncated_rest(a, b), quotient = (a - rest) / b;
    if (rest != 0 && (b < 0) != (rest < 0)) quotient -= T(1);
    if (quotient == 0) return exact::copysign(T(0), a / b);
    T floor = exact::floor(quotient);
    return quotient - floor > T(0.5) ? floor + T(1) : floor;
}
template <class T> static inline T floor_rest_of_floats(T a, T b) {
    T rest = truncated_rest(a, b);
    if (rest == 0) return exact::copysign(T(0), b);
    return (b < 0) != (rest < 0) ? rest + b : rest;
}

// NumPy's `//` and `%`.
template <class T> static inline T floor_divide(T a, T b) {
    if constexpr (integer_type<T>) {
        if (b == 0) return 0;
        if constexpr (signed_type<T>)
            if (b == -1) return negative(a);
        return floor_quotient(a, b);
    } else {
        computed<T> x = widen(a), y = widen(b);
        return narrow<T>(y == 0 ? x / y : floor_quotient_of_floats(x, y));
    }
}

template <class T> static inline T remainder(T a, T b) {
    if constexpr (integer_type<T>) {
        if (b == 0) return 0;
        if constexpr (signed_type<T>)
            if (b == -1) return 0;
        return floor_rest(a, b);
    } else {
        computed<T> x = widen(a), y = widen(b);
        return narrow<T>(y == 0 ? exact::fmod(x, y) : floor_rest_of_floats(x, y));
    }
}

static inline int64_t int_floor_divide_unchecked(int64_t a, int64_t b) { return floor_quotient(a, b); }
static inline bool int_floor_divide(int64_t a, int64_t b, int64_t& answer) {
    if (b == 0) return true;
    if (b == -1) return int_negative(a, answer);
    answer = floor_quotient(a, b);
    return false;
}

static inline int64_t int_remainder_unchecked(int64_t a, int64_t b) { return b == -1 ? 0 : floor_rest(a, b); }
static inline bool int_remainder(int64_t a, int64_t b, int64_t& answer) {
    if (b == 0) return true;
    answer = int_remainder_unchecked(a, b);
    return false;
}
static inline int64_t int_remainder_of_sum_unchecked(int64_t a, int64_t b) {
    return b == -1 ? 0 : floor_rest_of_sum(a, b);
}
static inline bool int_remainder_of_sum(int64_t a, int64_t b, int64_t& answer) {
    if (b == 0) return true;
    answer = int_remainder_of_sum_unchecked(a, b);
    return false;
}

// Of ints of few bits, with such results: a vector holds more of them, and they are divided sooner. Those that are
// divided are not negative.
template <int bits> using narrow_int = std::conditional_t<bits == 16, int16_t, int32_t>;
template <int bits> static inline int64_t narrow_add(int64_t a, int64_t b) {
    return narrow_int<bits>(narrow_int<bits>(a) + narrow_int<bits>(b));
}
template <int bits> static inline int64_t narrow_subtract(int64_t a, int64_t b) {
    return narrow_int<bits>(narrow_int<bits>(a) - narrow_int<bits>(b));
}
template <int bits> static inline int64_t narrow_multiply(int64_t a, int64_t b) {
    return narrow_int<bits>(narrow_int<bits>(a) * narrow_int<bits>(b));
}
template <int bits> static inline int64_t narrow_absolute(int64_t a) {
    return narrow_int<bits>(narrow_int<bits>(a) < 0 ? -narrow_int<bits>(a) : narrow_int<bits>(a));
}
template <int bits> static inline int64_t narrow_floor_divide(int64_t a, int64_t b) { return uint32_t(a) / uint32_t(b); }
template <int bits> static inline int64_t narrow_remainder(int64_t a, int64_t b) { return uint32_t(a) % uint32_t(b); }

// The quotient of two ints by their sizes, rounded once: by integers where one of them is no double.
static inline double quotient_of_sizes(uint64_t x, uint64_t y) {
    constexpr uint64_t exact = uint64_t(1) << 53;
    if (__builtin_expect(x <= exact && y <= exact, 1)) return double(x) / double(y);
    if (x == 0) return 0.0;
    int shift = __builtin_clzll(x);
    unsigned __int128 top = (unsigned __int128)(x << shift) << 63, quotient = top / y;
    return exact::ldexp(double(quotient | (top % y != 0)), -(63 + shift));
}
static inline double int_divide_unchecked(int64_t a, int64_t b) {
    constexpr uint64_t exact = uint64_t(1) << 53;  // doubles hold all ints up to this size
    if (__builtin_expect(uint64_t(a) + exact <= 2 * exact && uint64_t(b) + exact <= 2 * exact, 1))
        return double(a) / double(b);
    uint64_t x = a < 0 ? 0 - uint64_t(a) : uint64_t(a), y = b < 0 ? 0 - uint64_t(b) : uint64_t(b);
    const double answer = quotient_of_sizes(x, y);
    return (a < 0) != (b < 0) ? -answer : answer;
}
static inline bool int_divide(int64_t a, int64_t b, double& answer) {
    if (b == 0) return true;
    answer = int_divide_unchecked(a, b);
    return false;
}

static inline double float_divide_unchecked(double a, double b) { return a / b; }
static inline bool float_divide(double a, double b, double& answer) {
    answer = a / b;
    return b == 0;
}

static inline double float_floor_divide_unchecked(double a, double b) { return floor_quotient_of_floats(a, b); }
static inline bool float_floor_divide(double a, double b, double& answer) {
    if (b == 0) return true;
    answer = floor_quotient_of_floats(a, b);
    return false;
}

static inline double float_remainder_unchecked(double a, double b) { return floor_rest_of_floats(a, b); }
static inline bool float_remainder(double a, double b, double& answer) {
    if (b == 0) return true;
    answer = floor_rest_of_floats(a, b);
    return false;
}

// Smith's method as CPython has it.
static inline complex<double> complex_divide_unchecked(complex<double> a, complex<double> b) {
    double real = exact::fabs(b.real), imag = exact::fabs(b.imag);
    if (real >= imag) {
        double ratio = b.imag / b.real, divisor = b.real + product(b.imag, ratio);
        return {(a.real + product(a.imag, ratio)) / divisor, (a.imag - product(a.real, ratio)) / divisor};
    }
    if (imag >= real) {
        double ratio = b.real / b.imag, divisor = product(b.real, ratio) + b.imag;
        return {(product(a.real, ratio) + a.imag) / divisor, (product(a.imag, ratio) - a.real) / divisor};
    }
    return {nan, nan};
}
static inline bool complex_divide(complex<double> a, complex<double> b, complex<double>& answer) {
    if (b.real == 0 && b.imag == 0) return true;
    answer = complex_divide_unchecked(a, b);
    return false;
}

// -- bits ----------------------------------------------------------------------------------------------------

template <class T> static inline T bitwise_and(T a, T b) { return T(a & b); }
template <class T> static inline T bitwise_or(T a, T b) { return T(a | b); }
template <class T> static inline T bitwise_xor(T a, T b) { return T(a ^ b); }

template <class T> static inline T invert(T a) {
    if constexpr (bool_type<T>) return !a;
    else return T(~a);
}

// NumPy's shifts: by too many bits, or by a negative number of them, all bits go.
template <class T> static inline T left_shift(T a, T b) {
    return uint64_t(b) < 8 * sizeof(T) ? T(wrapping<T>(a) << b) : T(0);
}
template <class T> static inline T right_shift(T a, T b) {
    if (uint64_t(b) < 8 * sizeof(T)) return T(a >> b);
    return a < 0 ? T(-1) : T(0);
}

static inline int64_t int_left_shift_unchecked(int64_t a, int64_t b) { return left_shift(a, b); }
static inline bool int_left_shift(int64_t a, int64_t b, int64_t& answer) {
    if (b < 0) return true;
    answer = left_shift(a, b);
    return a != 0 && (b > 63 || answer >> b != a);
}

static inline int64_t int_right_shift_unchecked(int64_t a, int64_t b) { return right_shift(a, b); }
static inline bool int_right_shift(int64_t a, int64_t b, int64_t& answer) {
    answer = right_shift(a, b);
    return b < 0;
}

}  // namespace npl
