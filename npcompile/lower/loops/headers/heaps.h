// Python's `heapq` in native loops, on the list objects themselves, with the very places that Python gives items.
// Nothing is changed before it is known that native code can compare all items on the way.
#pragma once
#include "order.h"

namespace npl {

// The places from a heap's item down to a leaf, along the smaller items: those that may move one place up.
struct heap_path {
    intptr_t places[64];
    int count;
};

// Finds the path on which an item moves that is put in place of another one. Leaves where it cannot compare.
template <typename Kind>
static inline bool find_path(const list_object *heap, intptr_t end, intptr_t start, const typename Kind::value &moved,
                             heap_path &path) {
    void **items = heap->items;
    typename Kind::value one{}, other{};
    intptr_t place = start;
    path.places[0] = place;
    path.count = 1;
    while (place < end >> 1) {
        intptr_t child = 2 * place + 1;
        if (child + 1 < end) {
            if (Kind::unbox(items[child], one) || Kind::unbox(items[child + 1], other)) return true;
            const comparison below = order<Kind>::less(one, other);
            if (below == not_known) return true;
            if (below == no) child++;
        }
        place = path.places[path.count++] = child;
    }
    while (path.count > 1) {  // back up, past the items that are not less
        if (Kind::unbox(items[path.places[path.count - 1]], one)) return true;
        const comparison below = order<Kind>::less(moved, one);
        if (below == not_known) return true;
        if (below == no) break;
        path.count--;
    }
    return false;
}

// Moves the items of a path one place up, and puts an object at its end.
static inline void move_along(const list_object *heap, const heap_path &path, void *moved) {
    for (int k = 0; k + 1 < path.count; k++) heap->items[path.places[k]] = heap->items[path.places[k + 1]];
    heap->items[path.places[path.count - 1]] = moved;
}

template <typename Kind, typename Any>
static inline bool heap_push(const py_list<Any> &heap, const typename Kind::value &value) {
    list_object *held = heap.held;
    typename Kind::value other{};
    intptr_t place = held->size;
    while (place > 0) {
        const intptr_t parent = (place - 1) >> 1;
        if (Kind::unbox(held->items[parent], other)) return true;
        const comparison below = order<Kind>::less(value, other);
        if (below == not_known) return true;
        if (below == no) break;
        place = parent;
    }
    if (append<Kind>(heap, value)) return true;
    for (intptr_t at = held->size - 1; at != place; at = (at - 1) >> 1)
        std::swap(held->items[at], held->items[(at - 1) >> 1]);
    return false;
}

// Takes out the first item, which has been read.
template <typename Kind, typename Any>
static inline bool heap_pop(const py_list<Any> &heap) {
    list_object *held = heap.held;
    const intptr_t end = held->size - 1;
    if (end > 0) {
        typename Kind::value moved{};
        heap_path path;
        if (Kind::unbox(held->items[end], moved) || find_path<Kind>(held, end, 0, moved, path)) return true;
        void *first = held->items[0];
        move_along(held, path, held->items[end]);
        held->items[end] = first;
    }
    remove(heap, end);
    return false;
}

// Puts an item in place of the first one, which has been read.
template <typename Kind, typename Any>
static inline bool heap_replace(const py_list<Any> &heap, const typename Kind::value &value) {
    list_object *held = heap.held;
    heap_path path;
    if (find_path<Kind>(held, held->size, 0, value, path)) return true;
    void *made = Kind::box(value);
    if (failed(made)) return true;
    void *first = held->items[0];
    move_along(held, path, made);
    Py_DecRef(first);
    return false;
}

// Finds the lesser one of a heap's first item and another one: `heappushpop` returns it.
template <typename Kind, typename Any>
static inline bool heap_least(const py_list<Any> &heap, const typename Kind::value &value, typename Kind::value &least) {
    least = value;
    if (heap.held->size == 0) return false;
    typename Kind::value first{};
    if (Kind::unbox(heap.held->items[0], first)) return true;
    const comparison below = order<Kind>::less(first, value);
    if (below == yes) least = first;
    return below == not_known;
}
template <typename Kind, typename Any>
static inline bool heap_push_pop(const py_list<Any> &heap, const typename Kind::value &value) {
    if (heap.held->size == 0) return false;
    typename Kind::value first{};
    if (Kind::unbox(heap.held->items[0], first)) return true;
    return order<Kind>::less(first, value) == yes && heap_replace<Kind>(heap, value);
}

// Tells if an item is not of its kind, or not equal to itself, so that comparing it may leave.
template <typename Kind>
static inline bool incomparable(void *object) {
    typename Kind::value item{};
    return Kind::unbox(object, item) || order<Kind>::less(item, item) == not_known;
}
template <typename Kind, typename Any>
static inline bool heapify(const py_list<Any> &heap) {
    const list_object *held = heap.held;
    for (intptr_t place = 0; place < held->size; place++)
        if (incomparable<Kind>(held->items[place])) return true;
    for (intptr_t start = (held->size >> 1) - 1; start >= 0; start--) {
        typename Kind::value moved{};
        heap_path path;
        Kind::unbox(held->items[start], moved);
        find_path<Kind>(held, held->size, start, moved, path);
        move_along(held, path, held->items[start]);
    }
    return false;
}

}  // namespace npl
