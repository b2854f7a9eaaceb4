// Arrays of the numbers in lists, whose rows are tuples or lists.
#pragma once
#include "creation.h"
#include "deques.h"
#include "open_lists.h"

namespace npl {

// Functions `bool convert(Kind{}, value, item)`, one for each kind of number: they leave where they return true.
template <typename... Functions>
struct conversions : Functions... {
    using Functions::operator()...;
};
template <typename... Functions>
conversions(Functions...) -> conversions<Functions...>;

// What an array has of one kind of item: its axes, and their lengths by one such item; the items of an array; the
// choices between two types of numbers. The functions leave where they return true.
template <typename Kind>
struct array_part {
    static constexpr int axes = 0;
    static inline bool measure(const typename Kind::value &, int64_t *) { return false; }
    template <typename T, typename Convert>
    static inline bool store(const typename Kind::value &value, const int64_t *, T *&to, const Convert &convert) {
        return convert(Kind{}, value, *to++);
    }
    template <bool second>
    static inline bool only(const typename Kind::value &, bool &) {
        return false;
    }
};
template <typename One, typename Other>
struct array_part<either_of<One, Other>> {
    using value_type = typename either_of<One, Other>::value;
    static constexpr int axes = 0;
    static inline bool measure(const value_type &, int64_t *) { return false; }
    template <typename T, typename Convert>
    static inline bool store(const value_type &value, const int64_t *, T *&to, const Convert &convert) {
        if (value.first) return convert(Other{}, value.rest.rest.first, *to++);
        return convert(One{}, value.rest.first, *to++);
    }
    template <bool second>
    static inline bool only(const value_type &value, bool &answer) {
        answer &= value.first == second;
        return false;
    }
};
template <typename... Kinds>
struct array_part<tuple_of<Kinds...>> {
    using value_type = typename tuple_of<Kinds...>::value;
    using places = std::index_sequence_for<Kinds...>;
    static constexpr int axes = 1;
    static inline bool measure(const value_type &, int64_t *shape) {
        *shape = sizeof...(Kinds);
        return false;
    }
    template <typename T, typename Convert>
    static inline bool store(const value_type &value, const int64_t *shape, T *&to, const Convert &convert) {
        return [&]<size_t... place>(std::index_sequence<place...>) {
            return (array_part<Kinds>::store(get<place>(value), shape + 1, to, convert) || ...);
        }(places{});
    }
    template <bool second>
    static inline bool only(const value_type &value, bool &answer) {
        return [&]<size_t... place>(std::index_sequence<place...>) {
            return (array_part<Kinds>::template only<second>(get<place>(value), answer) || ...);
        }(places{});
    }
};

template <typename Name>
struct array_part_of_list {
    using Kind = typename Name::item_kind;
    using part = array_part<Kind>;
    static constexpr int axes = 1 + part::axes;
    static inline bool measure(const Name &list, int64_t *shape) {
        *shape = list_length(list);
        if constexpr (part::axes == 0) return false;
        typename Kind::value first{};
        return *shape == 0 || item(list, 0, first) || part::measure(first, shape + 1);
    }
    template <typename T, typename Convert>
    static inline bool store(const Name &list, const int64_t *shape, T *&to, const Convert &convert) {
        if (list_length(list) != *shape) return true;
        typename Kind::value value{};
        for (int64_t place = 0; place < *shape; place++)
            if (item(list, place, value) || part::store(value, shape + 1, to, convert)) return true;
        return false;
    }
    template <bool second>
    static inline bool only(const Name &list, bool &answer) {
        typename Kind::value value{};
        for (int64_t place = 0; place < list_length(list) && answer; place++)
            if (item(list, place, value) || part::template only<second>(value, answer)) return true;
        return false;
    }
};
template <typename Kind>
struct array_part<list_of<Kind>> : array_part_of_list<py_list<Kind>> {
    // Rows without items are of no type.
    static inline bool measure(const py_list<Kind> &row, int64_t *shape) {
        return list_length(row) == 0 || array_part_of_list<py_list<Kind>>::measure(row, shape);
    }
};

template <typename T, int N, holds_object Name, typename Convert>
static inline bool array_of_list(array<T, N, true> &made, scratch &kept, const Name &list, const Convert &convert) {
    static_assert(array_part_of_list<Name>::axes == N);
    int64_t shape[N];
    if (array_part_of_list<Name>::measure(list, shape) || make(shape, made, kept)) return true;
    T *to = reinterpret_cast<T *>(made.data);
    return array_part_of_list<Name>::store(list, shape, to, convert);
}
template <bool second, holds_object Name>
static inline bool holds_only(const Name &list, bool &answer) {
    answer = true;
    return array_part_of_list<Name>::template only<second>(list, answer);
}

}  // namespace npl
