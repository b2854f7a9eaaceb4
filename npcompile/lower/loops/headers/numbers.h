// The numbers of native loops: their types, and the casts between them as NumPy does them.
// `arithmetic.h`, `powers.h` and `comparisons.h` have their operators.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "exact.h"

namespace npl {

// -- types ---------------------------------------------------------------------------------------------------

struct half {
    uint16_t bits;
};

template <class T> struct complex {
    T real, imag;
};

constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();

template <class T> struct is_complex : std::false_type {};
template <class T> struct is_complex<complex<T>> : std::true_type {};
template <class T> constexpr bool complex_type = is_complex<T>::value;
template <class T> constexpr bool half_type = std::is_same_v<T, half>;
template <class T> constexpr bool bool_type = std::is_same_v<T, bool>;
template <class T> constexpr bool integer_type = std::is_integral_v<T> && !bool_type<T>;
template <class T> constexpr bool signed_type = integer_type<T> && std::is_signed_v<T>;

template <class To, class From> static inline To bit_cast(From value) {
    static_assert(sizeof(To) == sizeof(From));
    To answer;
    std::memcpy(&answer, &value, sizeof answer);
    return answer;
}

// -- half ----------------------------------------------------------------------------------------------------

static inline float half_to_float(half value) {
#ifdef __F16C__
    return exact::half_to_float(short(value.bits));
#else
    uint32_t sign = uint32_t(value.bits & 0x8000) << 16, rest = value.bits & 0x7fff;
    if (rest >= 0x7c00) return bit_cast<float>(sign | 0x7f800000 | (rest & 0x3ff) << 13);
    if (rest >= 0x0400) return bit_cast<float>(sign | ((rest << 13) + 0x38000000));
    float subnormal = float(rest) * 0x1p-24f;
    return bit_cast<float>(sign | bit_cast<uint32_t>(subnormal));
#endif
}

// Rounds to nearest, ties to even.
static inline half float_to_half(float value) {
#ifdef __F16C__
    return {uint16_t(exact::float_to_half(value))};
#else
    uint32_t bits = bit_cast<uint32_t>(value), rest = bits & 0x7fffffff;
    uint16_t sign = uint16_t(bits >> 16 & 0x8000);
    if (rest > 0x7f800000) return {uint16_t(sign | 0x7e00 | (rest >> 13 & 0x3ff))};
    if (rest >= 0x47800000) return {uint16_t(sign | 0x7c00)};
    // Below the normal numbers of half, the addition of 0.5 rounds to multiples of 2^-24.
    if (rest < 0x38800000)
        return {uint16_t(sign | (bit_cast<uint32_t>(bit_cast<float>(rest) + 0.5f) - 0x3f000000))};
    rest += 0xfff + (rest >> 13 & 1);
    return {uint16_t(sign | ((rest - 0x38000000) >> 13))};
#endif
}

// Rounds once: the float between is rounded to odd, which keeps the second rounding from seeing a false tie.
static inline half double_to_half(double value) {
    uint64_t bits = bit_cast<uint64_t>(value), low = (uint64_t(1) << 29) - 1;
    bits = (bits & ~low) | uint64_t((bits & low) != 0) << 29;
    return float_to_half(float(bit_cast<double>(bits)));
}

// The unsigned type in which integers wrap; int is wider than the short ones, and its products overflow.
template <class T>
using wrapping = std::conditional_t<sizeof(T) < sizeof(int), unsigned, std::make_unsigned_t<T>>;

// The type that a type is computed in.
template <class T> struct computed_in {
    using type = T;
};
template <> struct computed_in<half> {
    using type = float;
};
template <class T> using computed = typename computed_in<T>::type;

static inline float widen(half value) { return half_to_float(value); }
template <class T> static inline T widen(T value) { return value; }

template <class T> static inline T narrow(computed<T> value) {
    if constexpr (half_type<T>) return float_to_half(value);
    else return value;
}

// A product that is rounded before it is added to anything. GCC's vectoriser makes alternate sums and differences
// of products into fused instructions, which round once, and heeds -ffp-contract=off nowhere there (GCC 12). All
// products of floats go through here, those of `functions.h` and of generated code, too.
template <class T> static inline T product(T a, T b) {
#if defined __has_builtin && __has_builtin(__builtin_assoc_barrier)
    return __builtin_assoc_barrier(a * b);
#else
    return a * b;
#endif
}

// -- casts ---------------------------------------------------------------------------------------------------

template <class T> static inline bool truth(T value) {
    if constexpr (complex_type<T>) return value.real != 0 || value.imag != 0;
    else if constexpr (half_type<T>) return (value.bits & 0x7fff) != 0;
    else return value != 0;
}

static inline int32_t truncate_32(double value) {
    return value > -2147483649.0 && value < 2147483648.0 ? int32_t(value) : INT32_MIN;
}

static inline int64_t truncate_64(double value) {
    return value >= -0x1p63 && value < 0x1p63 ? int64_t(value) : INT64_MIN;
}

// C leaves the cast of a float that does not fit undefined; these are the instructions that NumPy is compiled to.
template <class To> static inline To truncate(double value) {
    if constexpr (sizeof(To) < 4 || std::is_same_v<To, int32_t>) return To(truncate_32(value));
    else if constexpr (std::is_same_v<To, uint64_t>)
        return value >= 0x1p63 ? uint64_t(truncate_64(value - 0x1p63)) ^ uint64_t(1) << 63
                               : uint64_t(truncate_64(value));
    else return To(truncate_64(value));
}

// Converts as NumPy casts; a complex number to a real one by its real part.
template <class To, class From> static inline To cast(From value) {
    if constexpr (std::is_same_v<To, From>) return value;
    else if constexpr (bool_type<To>) return truth(value);
    else if constexpr (complex_type<To>) {
        using Part = decltype(To::real);
        if constexpr (complex_type<From>) return {cast<Part>(value.real), cast<Part>(value.imag)};
        else return {cast<Part>(value), Part(0)};
    } else if constexpr (complex_type<From>) return cast<To>(value.real);
    else if constexpr (half_type<From>) return cast<To>(half_to_float(value));
    else if constexpr (half_type<To>) {
        if constexpr (std::is_same_v<From, double>) return double_to_half(value);
        else return float_to_half(float(value));
    } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) return truncate<To>(value);
    else return To(value);
}

// Tells if a number, its fraction cut off, is one of an integer type's.
template <class To, class From> static inline bool fits(From value) {
    using Limits = std::numeric_limits<To>;
    if constexpr (std::is_integral_v<From>) {
        if constexpr (std::is_signed_v<From> && std::is_unsigned_v<To>)
            return value >= 0 && std::make_unsigned_t<From>(value) <= Limits::max();
        else if constexpr (std::is_unsigned_v<From>) return value <= std::make_unsigned_t<To>(Limits::max());
        else return value >= Limits::min() && value <= Limits::max();
    } else {
        constexpr double above = 2.0 * double(uint64_t(1) << (Limits::digits - 1));
        double number = exact::trunc(double(value));
        return number >= double(Limits::min()) && number < above;
    }
}

// Cuts off a float's fraction; tells if that is no int of 64 bits. The processor's instruction gives the least of
// these for all others.
static inline bool fraction_cut_off(double value, int64_t& answer) {
#ifdef __x86_64__
    typedef double pair __attribute__((vector_size(16)));
    answer = __builtin_ia32_cvttsd2si64(pair{value, 0});
    if (answer != INT64_MIN) [[likely]] return false;
    return value != -0x1p63;
#else
    if (!fits<int64_t>(value)) return true;
    answer = int64_t(value);
    return false;
#endif
}

// Converts to an integer type, and leaves where the number is none of its numbers.
template <class To, class From> static inline bool fitting_cast(From value, To& answer) {
    if constexpr (complex_type<From>) return fitting_cast(value.real, answer);
    else if constexpr (half_type<From>) return fitting_cast(half_to_float(value), answer);
    else if constexpr (std::is_same_v<To, int64_t> && std::is_floating_point_v<From>)
        return fraction_cut_off(value, answer);
    else {
        if (!fits<To>(value)) return true;
        answer = To(value);
        return false;
    }
}

// Converts a Python int beside a NumPy scalar, or stored as an item: to a float by way of a double.
template <class To> static inline To weak_cast(int64_t value) {
    if constexpr (integer_type<To>) return To(value);
    else return cast<To>(double(value));
}

}  // namespace npl
