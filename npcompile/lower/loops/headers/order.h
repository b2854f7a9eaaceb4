// The order of items of lists: numbers by Python's `<`, tuples of numbers item by item.
#pragma once
#include "words.h"

namespace npl {

// Where two NaNs are to be equal, Python first asks if they are one object: native code does not know.
enum comparison { no, yes, not_known };

template <typename One, typename Other>
static inline bool number_less(One a, Other b) {
    if constexpr (std::is_same_v<One, Other>) return less(a, b);
    else if constexpr (std::is_same_v<One, bool>) return number_less(int64_t(a), b);
    else if constexpr (std::is_same_v<Other, bool>) return number_less(a, int64_t(b));
    else return exactly_less(a, b);
}
template <typename One, typename Other>
static inline comparison number_equal(One a, Other b) {
    if constexpr (std::is_same_v<One, Other>) return is_unequal(a) && is_unequal(b) ? not_known : comparison(equal(a, b));
    else if constexpr (std::is_same_v<One, bool>) return number_equal(int64_t(a), b);
    else if constexpr (std::is_same_v<Other, bool>) return number_equal(a, int64_t(b));
    else return comparison(exactly_equal(a, b));
}

static inline bool number_less(py_word a, py_word b) { return less(a, b); }
static inline comparison number_equal(py_word a, py_word b) { return comparison(equal(a, b)); }

// Compares two items of a kind by a function of two numbers.
template <typename Kind>
struct pair_of {
    template <typename F>
    static inline auto with(const typename Kind::value &a, const typename Kind::value &b, F f) {
        return f(a, b);
    }
};
template <typename First, typename Second>
struct pair_of<either_of<First, Second>> {
    using value = typename either_of<First, Second>::value;
    template <typename F>
    static inline auto with(const value &a, const value &b, F f) {
        const auto &x = a.rest, &y = b.rest;
        if (a.first) return b.first ? f(x.rest.first, y.rest.first) : f(x.rest.first, y.first);
        return b.first ? f(x.first, y.rest.first) : f(x.first, y.first);
    }
};

template <typename Kind>
struct order {
    using value = typename Kind::value;
    static inline comparison less(const value &a, const value &b) {
        return comparison(pair_of<Kind>::with(a, b, [](auto x, auto y) { return number_less(x, y); }));
    }
    static inline comparison equal(const value &a, const value &b) {
        return pair_of<Kind>::with(a, b, [](auto x, auto y) { return number_equal(x, y); });
    }
};
template <>
struct order<tuple_of<>> {
    static inline comparison less(const tuple<> &, const tuple<> &) { return no; }
    static inline comparison equal(const tuple<> &, const tuple<> &) { return yes; }
};
template <typename First, typename... Rest>
struct order<tuple_of<First, Rest...>> {
    using value = typename tuple_of<First, Rest...>::value;
    static inline comparison less(const value &a, const value &b) {
        const comparison same = order<First>::equal(a.first, b.first);
        if (same == not_known) return not_known;
        return same == no ? order<First>::less(a.first, b.first) : order<tuple_of<Rest...>>::less(a.rest, b.rest);
    }
    static inline comparison equal(const value &a, const value &b) {
        const comparison same = order<First>::equal(a.first, b.first);
        return same == yes ? order<tuple_of<Rest...>>::equal(a.rest, b.rest) : same;
    }
};

}  // namespace npl
