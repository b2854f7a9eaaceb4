// Functions of whole lists, which Python's own lists do once it is known that all items are of their kind.
#pragma once
#include "order.h"

extern "C" {
int PyList_Sort(void *);
}

namespace npl {

template <typename Kind>
static inline bool all_fit(const py_list<Kind> &source) {
    typename Kind::value value{};
    for (intptr_t place = 0; place < source.held->size; place++)
        if (item(source, place, value)) return false;
    return true;
}

// As Python does it, items that are equal keep their order also where a list is sorted backwards.
template <typename Kind>
static inline bool sort_list(const py_list<Kind> &which, bool backwards) {
    if (!all_fit(which)) return true;
    if (backwards) PyList_Reverse(which.held);
    const bool bad = PyList_Sort(which.held) != 0;
    if (backwards) PyList_Reverse(which.held);
    if (bad) PyErr_Clear();
    return bad;
}
template <typename Kind>
static inline bool sorted_list(py_list<Kind> &made, const py_list<Kind> &source, bool backwards) {
    return take_new(made, PyList_GetSlice(source.held, 0, source.held->size)) || sort_list(made, backwards);
}

// Finds the next item from a place on that equals a value: Python is asked where both are NaNs.
template <typename Kind>
static inline bool find_item(const py_list<Kind> &source, const typename Kind::value &value, int64_t &place) {
    typename Kind::value other{};
    for (; place < source.held->size; place++) {
        if (item(source, place, other)) return true;
        const comparison same = order<Kind>::equal(other, value);
        if (same == not_known) return true;
        if (same == yes) break;
    }
    return false;
}
template <typename Kind>
static inline bool index_of(const py_list<Kind> &source, const typename Kind::value &value, int64_t &place) {
    place = 0;
    return find_item(source, value, place) || place == source.held->size;
}
template <typename Kind>
static inline bool count_of(const py_list<Kind> &source, const typename Kind::value &value, int64_t &count) {
    count = 0;
    for (int64_t place = 0;; place++, count++) {
        if (find_item(source, value, place)) return true;
        if (place == source.held->size) return false;
    }
}
template <typename Kind>
static inline bool remove_item(const py_list<Kind> &from, const typename Kind::value &value) {
    int64_t place;
    if (index_of(from, value, place)) return true;
    remove(from, place);
    return false;
}

}  // namespace npl
