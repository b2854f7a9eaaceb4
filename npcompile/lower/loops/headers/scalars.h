// The scalars of native loops, and their operators: NumPy's scalars of each dtype, and Python's bool, int, float
// and complex. `frontend/loops/scalars/arithmetic.py` names the function of each operator and each pair of types.
//
// A function answers bit for bit as the operator on the scalars does. One that may find no answer (an int beyond
// 64 bits, a division that raises) is `bool f(operands..., Result& answer)`: it returns true, and Python does the
// statement. Its `..._unchecked` twin is for operands of which the compiler has proved that there is an answer.
// Signed integers wrap by way of unsigned ones, so no flag of the compiler is needed for them.
#pragma once

#include "arithmetic.h"
#include "comparisons.h"
#include "powers.h"

namespace npl {

// A function of which one operand is a Python int that takes part as a number of the other's type T.
template <auto function, class T> static inline auto weak_left(int64_t a, T b) {
    return function(weak_cast<T>(a), b);
}
template <auto function, class T> static inline auto weak_right(T a, int64_t b) {
    return function(a, weak_cast<T>(b));
}

template <auto function, class T, class Result> static inline bool call(T a, T b, Result& answer) {
    if constexpr (std::is_invocable_v<decltype(function), T, T, Result&>) return function(a, b, answer);
    else {
        answer = function(a, b);
        return false;
    }
}

// The same where the int may be none of T's numbers: NumPy raises OverflowError.
template <auto function, class T, class Result>
static inline bool fitting_left(int64_t a, T b, Result& answer) {
    return !fits<T>(a) || call<function>(T(a), b, answer);
}
template <auto function, class T, class Result>
static inline bool fitting_right(T a, int64_t b, Result& answer) {
    return !fits<T>(b) || call<function>(a, T(b), answer);
}

// One of two numbers that are both computed: the first one could else be computed behind a branch. Of floats GCC makes
// a branch of what comes after the choice, unless instructions are given.
#ifdef __SSE4_1__
typedef double pair __attribute__((vector_size(16)));
typedef long long pair_of_ints __attribute__((vector_size(16)));
static inline double blend(pair_of_ints mask, double one, double other) {
    return __builtin_ia32_blendvpd(pair{other, 0}, pair{one, 0}, (pair)mask)[0];
}
#endif
template <class T> static inline T select(bool test, T one, T other) {
#ifdef __SSE4_1__
    if constexpr (std::is_same_v<T, double>) return blend(pair_of_ints{-(long long)test, 0}, one, other);
#endif
    if constexpr (!std::is_floating_point_v<T>) asm("" : "+r"(one), "+r"(other));
    return test ? one : other;
}
// The same where two doubles are compared: the mask stays in a vector register.
template <bool (*compares)(double, double)>
static inline double select_by(double a, double b, double one, double other) {
#ifdef __SSE4_1__
    const pair left{a, 0}, right{b, 0};
    if constexpr (compares == less<double>) return blend(left < right, one, other);
    else if constexpr (compares == less_equal<double>) return blend(left <= right, one, other);
    else if constexpr (compares == greater<double>) return blend(left > right, one, other);
    else if constexpr (compares == greater_equal<double>) return blend(left >= right, one, other);
#endif
    return select(compares(a, b), one, other);
}

// An int, or a constant. What follows from the constant, as a comparison, could else be behind a branch.
template <class T> static inline T select_or(bool test, T one, T constant) {
    T mask = -T(test);
    asm("" : "+r"(mask));
    return ((one - constant) & mask) + constant;
}

// A function whose loops may have vectors as wide as the compiler takes to be best on the processor.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define NPL_WIDE __attribute__((target("prefer-vector-width=none")))
#else
#define NPL_WIDE
#endif

// A way of a branch of which the compiler makes no choice.
#define NPL_STAYS_BRANCH __asm__ volatile("");

// An int by a mask: of several choices by the same tests GCC could else make branches, and vectorises none.
static inline int64_t masked(bool test, int64_t one, int64_t other) {
    const int64_t mask = -int64_t(test);
    return (one & mask) | (other & ~mask);
}

}  // namespace npl
