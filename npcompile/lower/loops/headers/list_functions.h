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

// The items of a list that is sorted: it is empty meanwhile, as Python's is while keys are made.
struct hidden_items {
    list_object *const held;
    void **const items;
    const intptr_t size, room;

    explicit hidden_items(list_object *held) : held(held), items(held->items), size(held->size), room(held->room) {
        held->items = nullptr;
        held->size = held->room = 0;
    }
    ~hidden_items() {
        if (held->items) PyList_SetSlice(held, 0, held->size, nullptr);  // another thread has added some
        held->items = items;
        held->size = size;
        held->room = room;
    }
};

// Memory for so many values, which is freed at the end of a block.
template <typename T>
struct room_for {
    T *const values;
    explicit room_for(int64_t count) : values(static_cast<T *>(std::malloc((count + 1) * sizeof(T)))) {}
    ~room_for() { std::free(values); }
};

// Sorts places by the keys there, stably, from runs of one place on; tells if two keys have no order that is known.
template <typename Kind>
static inline bool sort_places(const typename Kind::value *keys, int64_t *places, int64_t *spare, int64_t count, bool backwards) {
    for (int64_t run = 1; run < count; run *= 2) {
        for (int64_t start = 0; start < count; start += 2 * run) {
            const int64_t middle = start + run < count ? start + run : count;
            const int64_t end = middle + run < count ? middle + run : count;
            int64_t one = start, other = middle;
            for (int64_t to = start; to < end; to++) {
                comparison swaps = no;  // equal keys keep their order
                if (one < middle && other < end) {
                    const auto &first = keys[places[one]], &second = keys[places[other]];
                    swaps = backwards ? order<Kind>::less(first, second) : order<Kind>::less(second, first);
                    if (swaps == not_known) return true;
                }
                spare[to] = one == middle || swaps == yes ? places[other++] : places[one++];
            }
        }
        for (int64_t place = 0; place < count; place++) places[place] = spare[place];
    }
    return false;
}
// Leaves where a key is a NaN: the order then depends on which keys Python compares.
template <typename Kind>
static inline bool sort_by_keys(const hidden_items &list, const py_list<Kind> &keys, bool backwards) {
    const int64_t count = list.size;
    if (list_length(keys) != count) return true;
    const room_for<typename Kind::value> values(count);
    const room_for<int64_t> places(count), spare(count);
    const room_for<void *> sorted(count);
    if (!values.values || !places.values || !spare.values || !sorted.values) return true;
    for (int64_t place = 0; place < count; place++) {
        if (item(keys, place, values.values[place])) return true;
        places.values[place] = place;
    }
    if (sort_places<Kind>(values.values, places.values, spare.values, count, backwards)) return true;
    for (int64_t place = 0; place < count; place++) sorted.values[place] = list.items[places.values[place]];
    for (int64_t place = 0; place < count; place++) list.items[place] = sorted.values[place];
    return false;
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
