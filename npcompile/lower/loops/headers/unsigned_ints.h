// Python's operators on ints of which one is held in unsigned 64 bits: the answer is the exact one, or the function
// leaves. `frontend/loops/scalars/unsigned.py` names them.
//
// A and B are int64_t or uint64_t, the types that the operands are held in, and so is R, the answer's. The variants
// that are unchecked give the lowest 64 bits of the exact answer.
#pragma once

#include "scalars.h"

namespace npl {

template <class T> static inline bool below_zero(T a) {
    if constexpr (std::is_signed_v<T>) return a < 0;
    else return false;
}
// The distance from zero.
template <class T> static inline uint64_t size_from_zero(T a) { return below_zero(a) ? 0 - uint64_t(a) : uint64_t(a); }

#define NPL_EXACT(name, builtin, operator)                                                              \
    template <class A, class B, class R> static inline bool exact_##name(A a, B b, R& answer) {         \
        return builtin(a, b, &answer);                                                                  \
    }                                                                                                   \
    template <class A, class B, class R> static inline R exact_##name##_unchecked(A a, B b) {           \
        return R(uint64_t(a) operator uint64_t(b));                                                     \
    }                                                                                                   \
    /* Tells if the answer is above all signed ints, and leaves where no type has it. */                \
    template <class A, class B> static inline bool exact_##name##_is_above(A a, B b, bool& above) {     \
        int64_t inside;                                                                                 \
        uint64_t outside;                                                                               \
        above = builtin(a, b, &inside);                                                                 \
        return above && builtin(a, b, &outside);                                                        \
    }
NPL_EXACT(add, __builtin_add_overflow, +)
NPL_EXACT(subtract, __builtin_sub_overflow, -)
NPL_EXACT(multiply, __builtin_mul_overflow, *)
#undef NPL_EXACT

// Of two ints of which one is not negative, so that neither is the answer.
template <class A, class B, class R> static inline R exact_bitwise_and(A a, B b) { return R(uint64_t(a) & uint64_t(b)); }

#define NPL_EXACT(name, operator)                                                                       \
    template <class A, class B, class R> static inline R exact_##name##_unchecked(A a, B b) {           \
        return R(uint64_t(a) operator uint64_t(b));                                                     \
    }                                                                                                   \
    template <class A, class B, class R> static inline bool exact_##name(A a, B b, R& answer) {         \
        answer = exact_##name##_unchecked<A, B, R>(a, b);                                               \
        return below_zero(a) || below_zero(b);                                                          \
    }
NPL_EXACT(bitwise_or, |)
NPL_EXACT(bitwise_xor, ^)
#undef NPL_EXACT

template <class A, class B, class R> static inline R exact_left_shift_unchecked(A a, B b) {
    return R(left_shift(uint64_t(a), uint64_t(b)));
}
template <class A, class B, class R> static inline bool exact_left_shift(A a, B b, R& answer) {
    answer = exact_left_shift_unchecked<A, B, R>(a, b);
    return below_zero(b) || (a != 0 && (uint64_t(b) > 63 || A(answer >> b) != a));
}

template <class A, class B, class R> static inline R exact_right_shift_unchecked(A a, B b) {
    return R(right_shift(uint64_t(a), uint64_t(b)));
}
template <class A, class B, class R> static inline bool exact_right_shift(A a, B b, R& answer) {
    answer = exact_right_shift_unchecked<A, B, R>(a, b);
    return below_zero(b);
}

// Quotients are rounded down, and rests have the sign of the divisor.
template <class A, class B, class R> static inline R exact_floor_divide_unchecked(A a, B b) {
    uint64_t x = size_from_zero(a), y = size_from_zero(b), quotient = x / y;
    if (below_zero(a) == below_zero(b)) return R(quotient);
    return R(0 - (quotient + (x % y != 0)));
}
template <class A, class B, class R> static inline bool exact_floor_divide(A a, B b, R& answer) {
    if (b == 0) return true;
    answer = exact_floor_divide_unchecked<A, B, R>(a, b);
    const bool negative = below_zero(a) != below_zero(b);
    if constexpr (std::is_signed_v<R>) return negative ? answer > 0 : answer < 0;
    else return negative && answer != 0;
}

template <class A, class B, class R> static inline R exact_remainder_unchecked(A a, B b) {
    uint64_t y = size_from_zero(b), rest = size_from_zero(a) % y;
    if (rest != 0 && below_zero(a) != below_zero(b)) rest = y - rest;
    return R(below_zero(b) ? 0 - rest : rest);
}
template <class A, class B, class R> static inline bool exact_remainder(A a, B b, R& answer) {
    if (b == 0) return true;
    answer = exact_remainder_unchecked<A, B, R>(a, b);
    return false;
}

template <class A, class B> static inline double exact_divide_unchecked(A a, B b) {
    const double answer = quotient_of_sizes(size_from_zero(a), size_from_zero(b));
    return below_zero(a) != below_zero(b) ? -answer : answer;
}
template <class A, class B> static inline bool exact_divide(A a, B b, double& answer) {
    if (b == 0) return true;
    answer = exact_divide_unchecked(a, b);
    return false;
}

// Leaves for negative exponents, of which there may be an inverse, and for negative divisors.
template <class A, class B, class C> static inline bool exact_power_modulo(A base, B power, C modulus, C& answer) {
    if (modulus == 0 || below_zero(power) || below_zero(modulus)) return true;
    uint64_t exponent = uint64_t(power), divisor = uint64_t(modulus);
    unsigned __int128 product = 1 % divisor, factor = exact_remainder_unchecked<A, uint64_t, uint64_t>(base, divisor);
    for (; exponent; exponent >>= 1) {
        if (exponent & 1) product = product * factor % divisor;
        factor = factor * factor % divisor;
    }
    answer = C(product);
    return false;
}

}  // namespace npl
