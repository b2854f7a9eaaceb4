// NumPy's ufuncs of scalars, and its functions `round` and `clip`; operators are in scalars.h.
//
// `frontend/loops/scalars/ufuncs.py` names them, with the types that NumPy computes in. Each answers bit for bit as NumPy,
// the last digits of transcendental functions excepted: those of arrays are in ufunc_items.h. Included by functions.h.
#pragma once

#include "libm.h"

namespace npl {

// -- operands ------------------------------------------------------------------------------------------------

// An operand as a number of the type that NumPy computes in; a Python int becomes a smaller float by way of a double.
template <class T, class X> static inline T taken(X x) {
    if constexpr (std::is_same_v<X, int64_t>) return weak_cast<T>(x);
    else return cast<T>(x);
}

// Tells if NumPy takes a Python int, or any number of a type that is promoted to T, for a number of type T.
template <class T, class X> static inline bool fits_promoted(X x) {
    if constexpr (std::is_integral_v<T> && std::is_same_v<X, int64_t>) return fits<T>(x);
    else return true;
}

// A function of which Python ints are operands that take part as numbers of type T.
template <auto function, class T, class... Operands> static inline auto weakly(Operands... x) {
    return function(taken<T>(x)...);
}

// The same where a Python int may be no number of the integer type T: NumPy raises.
template <auto function, class T, class X, class Y, class Answer>
static inline bool fitted(X x, Y y, Answer& answer) {
    if (!fits_promoted<T>(x) || !fits_promoted<T>(y)) return true;
    answer = function(T(x), T(y));
    return false;
}
template <auto function, class T, class X, class Y, class Z, class Answer>
static inline bool fitted(X x, Y y, Z z, Answer& answer) {
    if (!fits_promoted<T>(x) || !fits_promoted<T>(y) || !fits_promoted<T>(z)) return true;
    answer = function(T(x), T(y), T(z));
    return false;
}

// -- transcendental functions --------------------------------------------------------------------------------

#define NPL_UFUNC_1(name, of)                                                   \
    template <class T> static inline T name(T x) { return libm::of(x); }
NPL_UFUNC_1(exp, exp)
NPL_UFUNC_1(log, log)
NPL_UFUNC_1(sin, sin)
NPL_UFUNC_1(cos, cos)
NPL_UFUNC_1(tan, tan)
NPL_UFUNC_1(arcsin, asin)
NPL_UFUNC_1(arccos, acos)
NPL_UFUNC_1(arctan, atan)
NPL_UFUNC_1(sinh, sinh)
NPL_UFUNC_1(cosh, cosh)
NPL_UFUNC_1(tanh, tanh)
NPL_UFUNC_1(arcsinh, asinh)
NPL_UFUNC_1(arccosh, acosh)
NPL_UFUNC_1(arctanh, atanh)
NPL_UFUNC_1(exp2, exp2)
NPL_UFUNC_1(expm1, expm1)
NPL_UFUNC_1(log2, log2)
NPL_UFUNC_1(log10, log10)
NPL_UFUNC_1(log1p, log1p)
NPL_UFUNC_1(cbrt, cbrt)
#undef NPL_UFUNC_1

template <class T> static inline T arctan2(T x, T y) { return libm::atan2(x, y); }
template <class T> static inline T hypot(T x, T y) { return libm::hypot(x, y); }
template <class T> static inline T float_power(T x, T y) { return libm::pow(x, y); }

template <class T> static inline T logaddexp(T a, T b) {
    computed<T> x = widen(a), y = widen(b);
    if (x == y) return narrow<T>(x + computed<T>(exact::ln2));
    computed<T> distance = x - y;
    if (distance > 0) return narrow<T>(x + libm::log1p(libm::exp(-distance)));
    return narrow<T>(distance <= 0 ? y + libm::log1p(libm::exp(distance)) : distance);
}

template <class T> static inline T logaddexp2(T a, T b) {
    computed<T> x = widen(a), y = widen(b);
    auto logarithm = [](computed<T> z) { return product(computed<T>(exact::log2e), libm::log1p(libm::exp2(z))); };
    if (x == y) return narrow<T>(x + 1);
    computed<T> distance = x - y;
    if (distance > 0) return narrow<T>(x + logarithm(-distance));
    return narrow<T>(distance <= 0 ? y + logarithm(distance) : distance);
}

// -- exact functions of floats -------------------------------------------------------------------------------

static inline float exact_sqrt(float x) { return __builtin_sqrtf(x); }
static inline double exact_sqrt(double x) { return __builtin_sqrt(x); }
template <class T> static inline T sqrt(T x) {
    if constexpr (complex_type<T>) return libm::sqrt(x);
    else return narrow<T>(exact_sqrt(widen(x)));
}

#define NPL_ROUNDING(name)                                                                    \
    static inline float exact_##name(float x) { return __builtin_##name##f(x); }              \
    static inline double exact_##name(double x) { return __builtin_##name(x); }               \
    template <class T> static inline T name(T x) {                                            \
        if constexpr (std::is_integral_v<T>) return x;                                        \
        else if constexpr (complex_type<T>) return {name(x.real), name(x.imag)};              \
        else return narrow<T>(exact_##name(widen(x)));                                        \
    }
NPL_ROUNDING(floor)
NPL_ROUNDING(ceil)
NPL_ROUNDING(trunc)
NPL_ROUNDING(rint)
#undef NPL_ROUNDING

template <class T> static inline T degrees(T x) {
    return narrow<T>(widen(x) * (computed<T>(180) / computed<T>(exact::pi)));
}
template <class T> static inline T radians(T x) {
    return narrow<T>(widen(x) * (computed<T>(exact::pi) / computed<T>(180)));
}

// Of floats: the sign bit, and the rest of the bits.
template <class T> static inline bool signbit(T x) { return exact::signbit(widen(x)); }
template <class T> static inline T copysign(T x, T y) { return narrow<T>(exact::copysign(widen(x), widen(y))); }
template <class T> static inline T fabs(T x) { return narrow<T>(exact::fabs(widen(x))); }
template <class T> static inline T nextafter(T x, T y) { return exact::nextafter(x, y); }

template <class T> static inline T heaviside(T x, T at_zero) {
    computed<T> value = widen(x);
    if (value == 0) return at_zero;
    return exact::isnan(value) ? x : narrow<T>(value < 0 ? 0 : 1);
}

template <class T> static inline bool isnan(T x) {
    if constexpr (complex_type<T>) return isnan(x.real) || isnan(x.imag);
    else if constexpr (std::is_integral_v<T>) return false;
    else return exact::isnan(widen(x));
}
template <class T> static inline bool isinf(T x) {
    if constexpr (complex_type<T>) return isinf(x.real) || isinf(x.imag);
    else if constexpr (std::is_integral_v<T>) return false;
    else return exact::isinf(widen(x));
}
template <class T> static inline bool isfinite(T x) {
    if constexpr (complex_type<T>) return isfinite(x.real) && isfinite(x.imag);
    else if constexpr (std::is_integral_v<T>) return true;
    else return exact::isfinite(widen(x));
}

// -- functions of all numbers --------------------------------------------------------------------------------

template <class T> static inline auto absolute(T x) {
    if constexpr (complex_type<T>) return libm::hypot(x.real, x.imag);
    else if constexpr (signed_type<T>) return x < 0 ? negative(x) : x;
    else if constexpr (std::is_integral_v<T>) return x;
    else return fabs(x);
}

// The size of a complex number as NumPy's loops over arrays have it. An infinite part counts before a NaN.
template <class T, bool fused> static inline auto size_of_parts(T real, T imag) {
    real = exact::fabs(real), imag = exact::fabs(imag);
    const T larger = real > imag ? real : imag, smaller = real > imag ? imag : real;
    const T ratio = larger == 0 ? T(0) : smaller / larger;
    const T square = fused ? exact::fma(ratio, ratio, T(1)) : product(ratio, ratio) + 1;
    const T size = product(exact::sqrt(square), larger);
    if (real == T(inf) || imag == T(inf)) return T(inf);
    return exact::isnan(real) || exact::isnan(imag) ? T(nan) : size;
}
template <class T> static inline auto size_by_ratio(T x) {
    return size_of_parts<decltype(T::real), false>(x.real, x.imag);
}
template <class T> static inline auto size_by_fused_ratio(T x) {
    return size_of_parts<decltype(T::real), true>(x.real, x.imag);
}

template <class T> static inline T sign(T x) {
    if constexpr (complex_type<T>) {
        auto size = libm::hypot(x.real, x.imag);
        if (exact::isnan(size)) return {decltype(size)(nan), decltype(size)(nan)};
        if (exact::isinf(size)) {
            if (exact::isinf(x.real) && exact::isinf(x.imag)) return {decltype(size)(nan), decltype(size)(nan)};
            if (exact::isinf(x.real)) return {decltype(size)(x.real > 0 ? 1 : -1), 0};
            return {0, decltype(size)(x.imag > 0 ? 1 : -1)};
        }
        return size == 0 ? T{0, 0} : T{x.real / size, x.imag / size};
    } else if constexpr (std::is_integral_v<T>) return T((x > 0) - (x < 0));
    else {
        auto value = widen(x);
        return exact::isnan(value) ? x : narrow<T>((value > 0) - (value < 0));
    }
}

template <class T> static inline T square(T x) { return multiply(x, x); }
template <class T> static inline T fused_square(T x) { return fused_multiply(x, x); }

template <class T> static inline T conjugate(T x) {
    if constexpr (complex_type<T>) return {x.real, -x.imag};
    else return x;
}

template <class T> static inline auto real(T x) { return x.real; }
template <class T> static inline auto imag(T x) { return x.imag; }

template <class T> static inline auto angle(T x) {
    if constexpr (complex_type<T>) return libm::atan2(x.imag, x.real);
    else return libm::atan2(T{0}, x);
}

template <class T> static inline T reciprocal(T x) {
    if constexpr (complex_type<T>) {
        using Part = decltype(T::real);
        if (exact::fabs(x.imag) <= exact::fabs(x.real)) {
            Part ratio = x.imag / x.real, divisor = x.real + product(x.imag, ratio);
            return {1 / divisor, -ratio / divisor};
        }
        Part ratio = x.real / x.imag, divisor = product(x.real, ratio) + x.imag;
        return {ratio / divisor, -1 / divisor};
    } else return narrow<T>(1 / widen(x));
}
// Leaves for 0, of which the answer is the processor's.
template <class T> static inline bool integer_reciprocal(T x, T& answer) {
    answer = T(x == 1 ? 1 : std::is_signed_v<T> && x == T(-1) ? -1 : 0);
    return x == 0;
}

// The orders of these functions.
template <class T> static inline bool above(T x, T y) {
    if constexpr (complex_type<T>) return array_greater(x, y);
    else return greater(x, y);
}
template <class T> static inline bool not_below(T x, T y) {
    if constexpr (complex_type<T>) return array_greater_equal(x, y);
    else return greater_equal(x, y);
}

// The greater and the smaller operand, where one is NaN that; of equal ones the first or the second.
template <class T, bool first> static inline T maximum(T x, T y) {
    return isnan(x) || (first ? not_below(x, y) : above(x, y)) ? x : y;
}
template <class T, bool first> static inline T minimum(T x, T y) {
    return isnan(x) || (first ? not_below(y, x) : above(y, x)) ? x : y;
}
// The same, where one is NaN the other.
template <class T, bool first> static inline T fmax(T x, T y) {
    return isnan(y) || (first ? not_below(x, y) : above(x, y)) ? x : y;
}
template <class T, bool first> static inline T fmin(T x, T y) {
    return isnan(y) || (first ? not_below(y, x) : above(y, x)) ? x : y;
}

template <class T> static inline T clip_below(T x, T low) {
    return !isnan(x) && (isnan(low) || above(low, x)) ? low : x;
}
template <class T> static inline T clip_above(T x, T high) {
    return !isnan(x) && (isnan(high) || above(x, high)) ? high : x;
}
template <class T> static inline T clip(T x, T low, T high) { return clip_above(clip_below(x, low), high); }

// One of two numbers, both of which have been computed.
template <class T> static inline T chosen(bool test, T one, T other) { return test ? one : other; }

// Leaves where a tolerance is not finite: NumPy warns.
static inline bool is_close(double x, double y, double relative, double absolute, bool& answer) {
    if (!isfinite(relative) || !isfinite(absolute)) return true;
    const bool near = exact::fabs(x - y) <= absolute + relative * exact::fabs(y);
    answer = (near && isfinite(y)) || x == y;
    return false;
}

// Clips an integer. A bound that is a Python int counts only where the integer type has numbers beyond it; leaves
// for one beyond all of them on the other side: NumPy raises.
template <class T, bool weak_low, bool weak_high, class X, class Low, class High>
static inline bool clip_integer(X x, Low low, High high, T& answer) {
    bool without_low = false, without_high = false;
    if constexpr (weak_low) without_low = low <= int64_t(std::numeric_limits<X>::min());
    if constexpr (weak_high) without_high = high >= 0 && uint64_t(high) >= uint64_t(std::numeric_limits<X>::max());
    answer = cast<T>(x);
    if (!without_low) {
        if (!fits_promoted<T>(low)) return true;
        answer = clip_below(answer, taken<T>(low));
    }
    if (!without_high) {
        if (!fits_promoted<T>(high)) return true;
        answer = clip_above(answer, taken<T>(high));
    }
    return false;
}

// The rest of a division that is rounded towards zero.
template <class T> static inline T fmod(T x, T y) {
    if constexpr (std::is_integral_v<T>) {
        if (y == 0) return 0;
        if constexpr (std::is_signed_v<T>)
            if (y == -1) return 0;
        return T(x % y);
    } else return libm::fmod(x, y);
}

// -- truth and bits ------------------------------------------------------------------------------------------

static inline bool logical_and(bool x, bool y) { return x && y; }
static inline bool logical_or(bool x, bool y) { return x || y; }
static inline bool logical_xor(bool x, bool y) { return x != y; }

template <class T> static inline uint64_t magnitude(T x) { return uint64_t(std::make_unsigned_t<T>(absolute(x))); }

template <class T> static inline int64_t bit_count(T x) { return __builtin_popcountll(magnitude(x)); }
template <class T> static inline uint8_t bitwise_count(T x) { return uint8_t(bit_count(x)); }

template <class T> static inline T gcd(T x, T y) {
    uint64_t a = magnitude(x), b = magnitude(y);
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return T(a);
}

template <class T> static inline T lcm(T x, T y) {
    uint64_t a = magnitude(x), b = magnitude(y), divisor = std::make_unsigned_t<T>(gcd(x, y));
    return divisor == 0 ? T(0) : T(a / divisor * b);
}

// -- round ---------------------------------------------------------------------------------------------------

static inline double power_of_ten(int64_t exponent) {
    double answer = 1;
    for (; exponent > 0 && answer < inf; exponent--) answer *= 10;
    return answer;
}

// np.round(x, digits): scaled, rounded to even and scaled back, each in the type of x.
template <class T> static inline T rounded(T x, int64_t digits) {
    if constexpr (complex_type<T>) return {rounded(x.real, digits), rounded(x.imag, digits)};
    else if constexpr (std::is_integral_v<T>) return digits >= 0 ? x : cast<T>(rounded(double(x), digits));
    else {
        if (digits == 0) return rint(x);
        T scale = cast<T>(power_of_ten(digits < 0 ? -digits : digits));
        return digits > 0 ? divide(rint(multiply(x, scale)), scale) : multiply(rint(divide(x, scale)), scale);
    }
}

// Leaves where the digits are no C int: NumPy raises.
template <class T> static inline bool round_digits(T x, int64_t digits, T& answer) {
    if (!fits<int32_t>(digits)) return true;
    answer = rounded(x, digits);
    return false;
}

}  // namespace npl
