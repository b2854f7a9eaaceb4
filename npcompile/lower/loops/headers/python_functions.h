// Python's own functions of numbers: builtins, `math` and `cmath`, and the methods of Python's numbers.
//
// `frontend/loops/scalars/python_functions.py` names them. Each answers bit for bit as Python's function does, and leaves
// where that raises or where its answer has more than 64 bits. Included by functions.h.
#pragma once

#include <cstdio>
#include <cstdlib>

#include "conditions.h"
#include "libm.h"

namespace npl {

// -- builtins ------------------------------------------------------------------------------------------------

// The same number whatever the operand.
template <class T, int value, class X> static inline T constant(X) { return cast<T>(double(value)); }

static inline bool int_absolute(int64_t x, int64_t& answer) {
    answer = x < 0 ? int64_t(0 - uint64_t(x)) : x;
    return x == INT64_MIN;
}

static inline bool complex_absolute(complex<double> x, double& answer) {
    answer = libm::hypot(x.real, x.imag);
    return exact::isinf(answer) && exact::isfinite(x.real) && exact::isfinite(x.imag);
}

// Compares the size of a complex number with a number by their squares; tells if these tell. The library's hypot is
// within a unit in the last place, squares and their sum are within two. is_first: the size is the first operand.
template <auto compare, bool is_first>
static inline bool compares_by_squares(complex<double> x, double with, bool& answer) {
    const double square = product(x.real, x.real) + product(x.imag, x.imag), other = product(with, with);
    const bool is_below = square < product(other, 1 - 0x1p-48), is_above = square > product(other, 1 + 0x1p-48);
    answer = compare(double(is_first ? is_above : is_below), double(is_first ? is_below : is_above));
    return is_below != is_above && square < 0x1p1000 && with > 0x1p-400 && with < 0x1p400;
}

// The first of the smallest operands, the first of the largest: also of NaNs, which are neither.
template <class T> static inline T smallest(T x, T y) { return less(y, x) ? y : x; }
template <class T, class... More> static inline T smallest(T x, T y, More... more) {
    return smallest(smallest(x, y), more...);
}
template <class T> static inline T largest(T x, T y) { return less(x, y) ? y : x; }
template <class T, class... More> static inline T largest(T x, T y, More... more) {
    return largest(largest(x, y), more...);
}

// max(v, x + v) and min(v, x + v) of NumPy integers: x alone tells, which may be known late, if the sum does not wrap.
static inline int64_t largest_with_sum(int64_t x, int64_t v) {
    int64_t sum;
    if (NPL_RARELY(__builtin_add_overflow(x, v, &sum))) return largest(v, sum);
    return x > 0 ? sum : v;
}
static inline int64_t smallest_with_sum(int64_t x, int64_t v) {
    int64_t sum;
    if (NPL_RARELY(__builtin_add_overflow(x, v, &sum))) return smallest(v, sum);
    return x < 0 ? sum : v;
}

static inline bool round_to_int(double x, int64_t& answer) { return fitting_cast<int64_t>(__builtin_rint(x), answer); }

static constexpr double POWERS_OF_TEN[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                           1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// round(x, digits): the decimal of so many digits that is nearest to x, and the float nearest to that.
static inline bool round_to_digits(double x, int64_t digits, double& answer) {
    answer = x;
    if (!exact::isfinite(x) || digits > 323) return false;
    if (digits < -308) {
        answer = 0.0 * x;
        return false;
    }
    if (digits >= 0 && digits <= 22) {
        // Where the scaled number, rounded itself, is clearly not between two integers, its integer is the
        // decimal's; its quotient by an exact power is rounded once.
        double scaled = x * POWERS_OF_TEN[digits], nearest = __builtin_rint(scaled);
        if (exact::fabs(scaled) < 0x1p50 && exact::fabs(exact::fabs(scaled - nearest) - 0.5) > exact::fabs(scaled) * 0x1p-51) {
            answer = __builtin_copysign(nearest / POWERS_OF_TEN[digits], x);
            return false;
        }
    }
    if (digits < 0) return true;
    char text[800];
    std::snprintf(text, sizeof text, "%.*f", int(digits), x);
    answer = std::strtod(text, nullptr);
    return exact::isinf(answer);
}

// round(x, digits) of ints: to even where two multiples of the power of ten are equally near.
static inline bool round_int_to_digits(int64_t x, int64_t digits, int64_t& answer) {
    answer = x;
    if (digits >= 0) return false;
    answer = 0;
    if (digits < -19) return false;
    __int128 power = 1;
    for (int64_t i = digits; i < 0; i++) power *= 10;
    __int128 rest = (x % power + power) % power, low = x - rest, twice = 2 * rest;
    if (twice > power || (twice == power && low / power % 2 != 0)) low += power;
    answer = int64_t(low);
    return low != answer;
}

// Leaves for negative exponents, of which there may be an inverse.
static inline bool power_modulo(int64_t base, int64_t exponent, int64_t modulus, int64_t& answer) {
    if (exponent < 0 || modulus == 0) return true;
    __int128 divisor = modulus < 0 ? -(__int128)modulus : modulus, product = 1 % divisor;
    __int128 factor = (base % divisor + divisor) % divisor;
    for (; exponent; exponent >>= 1) {
        if (exponent & 1) product = product * factor % divisor;
        factor = factor * factor % divisor;
    }
    answer = int64_t(modulus < 0 && product != 0 ? product + modulus : product);
    return false;
}

static inline complex<double> make_complex(double real, double imag) { return {real, imag}; }

// -- methods -------------------------------------------------------------------------------------------------

template <class T> static inline int64_t bit_length(T x) {
    uint64_t size = x < 0 ? 0 - uint64_t(x) : uint64_t(x);
    return size ? 64 - __builtin_clzll(size) : 0;
}

static inline bool is_integer(double x) { return exact::isfinite(x) && __builtin_trunc(x) == x; }

// -- math: floats --------------------------------------------------------------------------------------------

// True where `math` raises: the answer is NaN and no operand is, or infinite and all operands are finite.
template <class... Operands> static inline bool math_raises(double answer, Operands... x) {
    if (__builtin_expect(exact::isfinite(answer), 1)) return false;
    return exact::isnan(answer) ? !(exact::isnan(x) || ...) : (exact::isfinite(x) && ...);
}

#define NPL_MATH_1(name)                                                  \
    static inline bool math_##name(double x, double& answer) {            \
        answer = libm::name(x);                                           \
        return math_raises(answer, x);                                    \
    }
NPL_MATH_1(exp)
NPL_MATH_1(exp2)
NPL_MATH_1(expm1)
NPL_MATH_1(log)
NPL_MATH_1(log2)
NPL_MATH_1(log10)
NPL_MATH_1(log1p)
NPL_MATH_1(sin)
NPL_MATH_1(cos)
NPL_MATH_1(sin_of_both)
NPL_MATH_1(cos_of_both)
NPL_MATH_1(tan)
NPL_MATH_1(asin)
NPL_MATH_1(acos)
NPL_MATH_1(atan)
NPL_MATH_1(sinh)
NPL_MATH_1(cosh)
NPL_MATH_1(tanh)
NPL_MATH_1(asinh)
NPL_MATH_1(acosh)
NPL_MATH_1(atanh)
NPL_MATH_1(cbrt)
#undef NPL_MATH_1

static inline double math_erf(double x) { return libm::erf(x); }
static inline double math_erfc(double x) { return libm::erfc(x); }
static inline double math_fabs(double x) { return __builtin_fabs(x); }
static inline double math_copysign(double x, double y) { return __builtin_copysign(x, y); }
static inline double math_atan2(double x, double y) { return libm::atan2(x, y); }
static inline double math_degrees(double x) { return x * (180.0 / exact::pi); }
static inline double math_radians(double x) { return x * (exact::pi / 180.0); }
static inline bool math_isnan(double x) { return exact::isnan(x); }
static inline bool math_isinf(double x) { return exact::isinf(x); }
static inline bool math_isfinite(double x) { return exact::isfinite(x); }

static inline double math_sqrt_unchecked(double x) { return __builtin_sqrt(x); }
static inline bool math_sqrt(double x, double& answer) {
    if (x < 0) return true;
    answer = __builtin_sqrt(x);
    return false;
}

// The logarithm to a base: a quotient, which raises where the base is 1.
static inline bool math_log(double x, double base, double& answer) {
    double logarithm;
    return math_log(x, answer) || math_log(base, logarithm) || float_divide(answer, logarithm, answer);
}

#define NPL_MATH_2(name)                                                   \
    static inline bool math_##name(double x, double y, double& answer) {   \
        answer = libm::name(x, y);                                         \
        return math_raises(answer, x, y);                                  \
    }
NPL_MATH_2(fmod)
NPL_MATH_2(pow)
#undef NPL_MATH_2

static inline bool math_remainder(double x, double y, double& answer) {
    answer = __builtin_remainder(x, y);
    return math_raises(answer, x, y);
}

static inline double math_nextafter(double x, double y) { return __builtin_nextafter(x, y); }

static inline double math_ulp(double x) {
    x = __builtin_fabs(x);
    if (!exact::isfinite(x)) return x;
    double next = __builtin_nextafter(x, inf);
    return exact::isinf(next) ? x - __builtin_nextafter(x, -inf) : next - x;
}

static inline bool math_ldexp(double x, int64_t exponent, double& answer) {
    int bounded = exponent > 5000 ? 5000 : exponent < -5000 ? -5000 : int(exponent);
    answer = exact::ldexp(x, bounded);
    return math_raises(answer, x);
}

// Rounds to an integer by a function that the compiler knows.
static inline bool math_floor(double x, int64_t& answer) { return fitting_cast<int64_t>(__builtin_floor(x), answer); }
static inline bool math_ceil(double x, int64_t& answer) { return fitting_cast<int64_t>(__builtin_ceil(x), answer); }

static inline bool math_isclose(double x, double y) {
    if (x == y) return true;
    if (exact::isinf(x) || exact::isinf(y)) return false;
    double distance = __builtin_fabs(y - x);
    return distance <= __builtin_fabs(1e-9 * y) || distance <= __builtin_fabs(1e-9 * x) || distance <= 0.0;
}

// The root of a sum of squares: exact products and sums of scaled numbers, and one step of Newton's method on the
// root (Borges, "An Improved Algorithm for hypot(a, b)"), as CPython has it since 3.10. Its versions sum up the low
// parts differently: leaves for roots so near to the middle of two floats that it matters, and for subnormal ones.
template <int count> static inline bool hypot_of(const double (&sizes)[count], double& answer) {
    double largest = 0;
    bool any_nan = false;
    for (double x : sizes) {
        any_nan |= exact::isnan(x);
        largest = x > largest ? x : largest;
    }
    answer = exact::isinf(largest) ? largest : any_nan ? nan : largest;
    if (!exact::isfinite(answer) || largest == 0) return false;
    int exponent = exact::ilogb(largest) + 1;
    if (exponent < -1022) return true;
    double scale = exact::ldexp(1.0, -exponent), sum = 1, low_products = 0, low_sums = 0;
    auto add_exactly = [&](double product, double low) {
        double total = sum + product;
        low_products += low;
        low_sums += product - (total - sum);
        sum = total;
    };
    for (double x : sizes) {
        double scaled = x * scale, square = product(scaled, scaled);
        add_exactly(square, __builtin_fma(scaled, scaled, -square));
    }
    double root = __builtin_sqrt(sum - 1 + (low_products + low_sums)), square = -product(root, root);
    add_exactly(square, __builtin_fma(-root, root, -square));
    double correction = (sum - 1 + (low_products + low_sums)) / (2 * root), slack = root * 0x1p-73;
    answer = (root + correction) / scale;
    return root + (correction - slack) != root + (correction + slack);
}

static inline bool math_hypot(double x, double y, double& answer) {
    return hypot_of<2>({__builtin_fabs(x), __builtin_fabs(y)}, answer);
}
static inline bool math_hypot(double x, double y, double z, double& answer) {
    return hypot_of<3>({__builtin_fabs(x), __builtin_fabs(y), __builtin_fabs(z)}, answer);
}

// -- math: integers ------------------------------------------------------------------------------------------

template <class T> static inline T greatest_common_divisor(T x, T y) {
    while (y) {
        T rest = x % y;
        x = y;
        y = rest;
    }
    return x;
}

static inline uint64_t size_of(int64_t x) { return x < 0 ? 0 - uint64_t(x) : uint64_t(x); }

static inline bool math_gcd(int64_t x, int64_t y, int64_t& answer) {
    return fitting_cast<int64_t>(greatest_common_divisor(size_of(x), size_of(y)), answer);
}

static inline bool math_lcm(int64_t x, int64_t y, int64_t& answer) {
    answer = 0;
    if (x == 0 || y == 0) return false;
    uint64_t product, a = size_of(x), b = size_of(y);
    return __builtin_mul_overflow(a / greatest_common_divisor(a, b), b, &product) ||
           fitting_cast<int64_t>(product, answer);
}

static inline bool math_isqrt(int64_t x, int64_t& answer) {
    if (x < 0) return true;
    uint64_t root = uint64_t(__builtin_sqrt(double(x)));
    if (root * root > uint64_t(x)) root--;
    else if ((root + 1) * (root + 1) <= uint64_t(x)) root++;
    answer = int64_t(root);
    return false;
}

// n * (n - 1) * ... of k factors.
static inline bool math_perm(int64_t n, int64_t k, int64_t& answer) {
    answer = k > n ? 0 : 1;
    if (n < 0 || k < 0) return true;
    if (k > n) return false;
    for (int64_t i = 0; i < k; i++)
        if (__builtin_mul_overflow(answer, n - i, &answer)) return true;
    return false;
}

static inline bool math_factorial(int64_t n, int64_t& answer) { return math_perm(n, n, answer); }

static inline bool math_comb(int64_t n, int64_t k, int64_t& answer) {
    answer = 0;
    if (n < 0 || k < 0) return true;
    if (k > n) return false;
    if (n - k < k) k = n - k;
    __int128 product = 1;
    for (int64_t i = 1; i <= k; i++) {
        product = product * (n - k + i) / i;
        if (product > INT64_MAX) return true;
    }
    answer = int64_t(product);
    return false;
}

// -- cmath ---------------------------------------------------------------------------------------------------

// Leaves where the answer is below the normal numbers: Python may raise.
static inline bool cmath_phase(complex<double> x, double& answer) {
    answer = libm::atan2(x.imag, x.real);
    return x.imag != 0 && __builtin_fabs(answer) < std::numeric_limits<double>::min();
}

static inline bool cmath_isnan(complex<double> x) { return exact::isnan(x.real) || exact::isnan(x.imag); }
static inline bool cmath_isinf(complex<double> x) { return exact::isinf(x.real) || exact::isinf(x.imag); }
static inline bool cmath_isfinite(complex<double> x) { return exact::isfinite(x.real) && exact::isfinite(x.imag); }

// Leaves for infinities, NaNs and powers near the largest float.
static inline bool cmath_exp(complex<double> x, complex<double>& answer) {
    if (!cmath_isfinite(x) || x.real > 708) return true;
    double size = libm::exp(x.real);
    answer = {size * libm::cos(x.imag), size * libm::sin(x.imag)};
    return false;
}

// Leaves for infinities, NaNs and subnormal numbers.
static inline bool cmath_sqrt(complex<double> x, complex<double>& answer) {
    double real = __builtin_fabs(x.real), imag = __builtin_fabs(x.imag);
    if (real == 0 && imag == 0) {
        answer = {0.0, x.imag};
        return false;
    }
    constexpr double least = std::numeric_limits<double>::min();
    if (!cmath_isfinite(x) || (real < least && imag < least)) return true;
    real /= 8;
    double root = 2 * __builtin_sqrt(real + libm::hypot(real, imag / 8)), other = imag / (2 * root);
    if (x.real >= 0) answer = {root, __builtin_copysign(other, x.imag)};
    else answer = {other, __builtin_copysign(root, x.imag)};
    return false;
}

}  // namespace npl
