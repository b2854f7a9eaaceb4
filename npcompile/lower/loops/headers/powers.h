// Powers of the numbers of native loops, as NumPy's scalars and as Python's numbers have them.
#pragma once

#include <cstdlib>

#include "arithmetic.h"

// The C library's functions, which NumPy and CPython call, too. By names of their own, since the compiler takes
// `pow(x, 2)` for `x * x`, which differs in the last place now and then.
extern "C" {
double npl_pow(double, double) __asm__("pow");
float npl_powf(float, float) __asm__("powf");
_Complex double npl_cpow(_Complex double, _Complex double) __asm__("cpow");
_Complex float npl_cpowf(_Complex float, _Complex float) __asm__("cpowf");
double npl_exp(double) __asm__("exp");
double npl_log(double) __asm__("log");
double npl_sin(double) __asm__("sin");
double npl_cos(double) __asm__("cos");
double npl_atan2(double, double) __asm__("atan2");
double npl_hypot(double, double) __asm__("hypot");
}

namespace npl {

// -- integers ------------------------------------------------------------------------------------------------

// NumPy's power of integers, which wraps; the exponent is not negative.
template <class T> static inline T integer_power_unchecked(T a, T b) {
    wrapping<T> factor = wrapping<T>(a), answer = 1;
    for (auto rest = std::make_unsigned_t<T>(b); rest != 0; rest >>= 1) {
        if (rest & 1) answer *= factor;
        factor *= factor;
    }
    return T(answer);
}
template <class T> static inline bool integer_power(T a, T b, T& answer) {
    if (b < 0) return true;
    answer = integer_power_unchecked(a, b);
    return false;
}

static inline int64_t int_power_unchecked(int64_t a, int64_t b) { return integer_power_unchecked(a, b); }

// Leaves for a negative exponent, too: Python's answer is a float then.
static inline bool int_power(int64_t a, int64_t b, int64_t& answer) {
    if (b < 0) return true;
    if (uint64_t(a) + 1 <= 2) {  // a sign of terms of a series, above all
        answer = b == 0 ? 1 : b & 1 ? a : a * a;
        return false;
    }
    if (a == 2) {
        answer = int64_t(uint64_t(1) << (b & 63));
        return b > 62;
    }
    answer = 1;
    while (true) {
        if (b & 1 && __builtin_mul_overflow(answer, a, &answer)) return true;
        b >>= 1;
        if (b == 0) return false;
        if (__builtin_mul_overflow(a, a, &a)) return true;
    }
}

// -- floats --------------------------------------------------------------------------------------------------

// The library's powers. Squares, cubes and square roots are had from products, where they are so far from the
// middle of two floats that the library's answer can be no other: that of doubles is within 0.54 units in the last
// place of the exact one, that of floats within 0.502 + 0.0025 * |log2(answer)| (glibc since 2.28, musl).
static inline float library_power(float a, float b) {
    if (b == 2 || b == 3 || b == 0.5f) {
        double square = double(a) * double(a);
        double exact = b == 2 ? square : b == 3 ? product(square, double(a)) : exact::sqrt(double(a));
        float answer = float(exact);
        uint32_t bits = bit_cast<uint32_t>(answer) & 0x7fffffff;
        int exponent = int(bits >> 23) - 127;
        double unit = bit_cast<float>(bits & 0x7f800000), low = exact::fabs(exact - double(answer));
        double margin = unit * 0x1p-23 * (0.49 - 0.0025 * (1 + exact::abs(exponent)));
        // Below a power of two the floats are closer.
        bool surely = low == 0 || (low < margin && (bits & 0x7fffff) != 0);
        if (__builtin_expect(surely && exponent > -120 && exponent < 128, 1)) return answer;
    }
    return npl_powf(a, b);
}
#ifdef __FMA__
// Tells if the library's answer for a power of `high + low` is `high`, and if `low` had no underflow. The library's
// error beyond rounding is 0.011 units and 0.00005 for each power of e in the answer: 0.04 units at most, and 0.014
// for answers of a common size. What rounding left is enlarged by as much: it may not change `high` then.
static inline bool rounds_surely(double high, double low) {
    const double size = exact::fabs(high);
    if (__builtin_expect(size >= 0x1p-64 && size <= 0x1p64, 1)) return high + low * 0x1.09p0 == high;
    return size >= 0x1p-900 && high + low * 0x1.1dp0 == high;
}
static inline double library_power(double a, double b) {
    if (b == 2 || b == 3) {
        double high = product(a, a), low = exact::fma(a, a, -high);
        if (b == 3) {
            double square = high;
            const double cube = product(square, a), rest = exact::fma(square, a, -cube) + product(low, a);
            high = cube + rest;
            low = rest - (high - cube);
        }
        if (__builtin_expect(rounds_surely(high, low) || (b == 2 && a == 0), 1)) return high;
    } else if (b == 0.5) {
        double root = exact::sqrt(a), rest = exact::fma(-root, root, a) / (2 * root);
        if (__builtin_expect(rounds_surely(root, rest) && a > 0x1p-900, 1)) return root;
    }
    return npl_pow(a, b);
}
#else
static inline double library_power(double a, double b) { return npl_pow(a, b); }
#endif

// Leaves where Python raises (a zero to a negative power, a result too large) or answers with a complex number.
static inline bool float_power(double a, double b, double& answer) {
    answer = library_power(a, b);
    if (exact::isfinite(a) && exact::isfinite(b))
        return !exact::isfinite(answer);  // an infinity, or the NaN of a negative number's root
    return false;
}

// -- complex numbers -----------------------------------------------------------------------------------------

static inline complex<double> library_power(complex<double> a, complex<double> b) {
    _Complex double x, y;
    __real__ x = a.real, __imag__ x = a.imag;
    __real__ y = b.real, __imag__ y = b.imag;
    _Complex double answer = npl_cpow(x, y);
    return {__real__ answer, __imag__ answer};
}
static inline complex<float> library_power(complex<float> a, complex<float> b) {
    _Complex float x, y;
    __real__ x = a.real, __imag__ x = a.imag;
    __real__ y = b.real, __imag__ y = b.imag;
    _Complex float answer = npl_cpowf(x, y);
    return {__real__ answer, __imag__ answer};
}

// NumPy's power: by products where the exponent is a small integer.
template <class T> static inline complex<T> scalar_power(complex<T> a, complex<T> b) {
    if (b.real == 0 && b.imag == 0) return {1, 0};
    if (a.real == 0 && a.imag == 0) {
        if (b.real > 0) return {0, 0};
        return {T(nan), T(nan)};
    }
    if (b.imag != 0 || !(b.real > -100 && b.real < 100) || T(int(b.real)) != b.real) return library_power(a, b);
    int exponent = int(b.real);
    if (exponent == 1) return a;
    if (exponent == 2) return multiply(a, a);
    if (exponent == 3) return multiply(a, multiply(a, a));
    complex<T> answer = {1, 0}, factor = a;
    for (int rest = exact::abs(exponent);; factor = multiply(factor, factor)) {
        if (rest & 1) answer = multiply(answer, factor);
        rest >>= 1;
        if (rest == 0) break;
    }
    return exponent < 0 ? divide(complex<T>{1, 0}, answer) : answer;
}

static inline double scalar_power(double a, double b) { return library_power(a, b); }
static inline float scalar_power(float a, float b) { return library_power(a, b); }
static inline half scalar_power(half a, half b) { return float_to_half(library_power(widen(a), widen(b))); }

// NumPy's power of floats and complex numbers.
template <class T> static inline T power(T a, T b) { return scalar_power(a, b); }

// NumPy's loop over arrays takes these exponents apart where all items have the same one.
template <class T> static inline bool has_simple_power(T b) {
    return b == T(-1) || b == 0 || b == T(0.5) || b == 1 || b == 2;
}
template <class T> static inline T simple_power(T a, T b) {
    return b == T(0.5) ? exact::sqrt(a) : b == 2 ? product(a, a) : b == 1 ? a : b == 0 ? T(1) : T(1) / a;
}
template <class T> static inline T uniform_power(T a, T b) {
    return has_simple_power(b) ? simple_power(a, b) : power(a, b);
}
// Leaves where the loop has another power than the C library's.
template <class T> static inline bool uniform_power_of_numpy(T a, T b, T& answer) {
    answer = simple_power(a, b);
    return !has_simple_power(b);
}

// Python's power of complex numbers; leaves where it raises.
static inline bool complex_power(complex<double> a, complex<double> b, complex<double>& answer) {
    if (b.imag == 0 && b.real == exact::floor(b.real) && exact::fabs(b.real) <= 100) {
        int exponent = int(b.real);
        complex<double> product = {1, 0}, factor = a;
        for (int rest = exact::abs(exponent); rest != 0; rest >>= 1) {
            if (rest & 1) product = multiply(product, factor);
            factor = multiply(factor, factor);
        }
        if (exponent > 0) answer = product;
        else if (complex_divide(complex<double>{1, 0}, product, answer)) return true;
    } else if (a.real == 0 && a.imag == 0) {
        if (b.imag != 0 || b.real < 0) return true;
        answer = {0, 0};
    } else {
        double size = npl_hypot(a.real, a.imag), length = npl_pow(size, b.real);
        double angle = npl_atan2(a.imag, a.real), phase = product(angle, b.real);
        if (b.imag != 0) {
            length /= npl_exp(product(angle, b.imag));
            phase += product(b.imag, npl_log(size));
        }
        answer = {product(length, npl_cos(phase)), product(length, npl_sin(phase))};
    }
    // Python raises for an infinity, and for the NaN of an infinite phase.
    return !exact::isfinite(answer.real) || !exact::isfinite(answer.imag);
}

}  // namespace npl
