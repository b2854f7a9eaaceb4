// Python's `collections.deque` in native loops: the objects themselves, which hold their items in linked blocks.
// Where a block begins or ends, Python's own methods do the operation.
#pragma once
#include "lists.h"

extern "C" {
void *PyObject_CallMethod(void *, const char *, const char *, ...);
void *PyObject_CallFunctionObjArgs(void *, ...);
}

namespace npl {

// `frontend/loops/run/deques.py` checks that the process's Python has these fields.
constexpr intptr_t in_block = 64;
struct deque_block {
    deque_block *left;
    void *items[in_block];
    deque_block *right;
};
struct deque_object {
    head object;
    intptr_t size;
    deque_block *left, *right;
    intptr_t first, last;  // the places of the outermost items in their blocks
    size_t moves;
    intptr_t most;  // the largest length, -1 where there is none
};

template <typename Kind>
struct py_deque {
    using item_kind = Kind;
    deque_object *held;
};

// Gives a call's result back; tells if it has raised.
static inline bool done_with(void *result) {
    if (failed(result)) return true;
    Py_DecRef(result);
    return false;
}

// -- operations: those that return a bool leave where it is true --------------------------------------------------

static __attribute__((noinline, cold)) void *deque_type() {
    void *module = PyImport_ImportModule("collections");
    if (failed(module)) return nullptr;
    void *found = PyObject_GetAttrString(module, "deque");
    Py_DecRef(module);
    failed(found);
    return found;
}
// most: an int object, null where there is none.
template <typename Kind, typename Source>
static inline bool new_deque(py_deque<Kind> &made, const py_list<Source> &source, void *most) {
    static void *const type = deque_type();
    if (!type) return true;
    made.held = static_cast<deque_object *>(PyObject_CallFunctionObjArgs(type, source.held, most, nullptr));
    if (most) Py_DecRef(most);
    return failed(made.held);
}

static inline void *&place_in(const deque_object *held, int64_t index) {
    const intptr_t place = held->first + index;
    intptr_t block = place / in_block;
    deque_block *at = held->left;
    if (index < held->size >> 1) {
        while (--block >= 0) at = at->right;
    } else {
        block = (held->first + held->size - 1) / in_block - block;
        at = held->right;
        while (--block >= 0) at = at->left;
    }
    return at->items[place % in_block];
}
template <typename Kind>
static inline bool item(const py_deque<Kind> &source, int64_t place, typename Kind::value &to) {
    return Kind::unbox(place_in(source.held, place), to);
}
template <typename Kind, typename Any>
static inline bool store(const py_deque<Any> &to, int64_t place, const typename Kind::value &value) {
    return replace_object<Kind>(place_in(to.held, place), value);
}

template <typename Kind, typename Any>
static inline bool append(const py_deque<Any> &to, const typename Kind::value &value) {
    void *made = Kind::box(value);
    if (failed(made)) return true;
    deque_object *held = to.held;
    if (held->last < in_block - 1 && size_t(held->size) < size_t(held->most)) [[likely]] {
        held->right->items[++held->last] = made;
        held->size++;
        held->moves++;
        return false;
    }
    void *result = PyObject_CallMethod(held, "append", "(O)", made);
    Py_DecRef(made);
    return done_with(result);
}
template <typename Kind, typename Any>
static inline bool append_left(const py_deque<Any> &to, const typename Kind::value &value) {
    void *made = Kind::box(value);
    if (failed(made)) return true;
    deque_object *held = to.held;
    if (held->first > 0 && size_t(held->size) < size_t(held->most)) [[likely]] {
        held->left->items[--held->first] = made;
        held->size++;
        held->moves++;
        return false;
    }
    void *result = PyObject_CallMethod(held, "appendleft", "(O)", made);
    Py_DecRef(made);
    return done_with(result);
}
// Take an outermost item out, which has been read.
template <typename Any>
static inline bool pop_right(const py_deque<Any> &from) {
    deque_object *held = from.held;
    if (held->last == 0) return done_with(PyObject_CallMethod(held, "pop", nullptr));
    held->size--;
    held->moves++;
    release(held->right->items[held->last--]);
    return false;
}
template <typename Any>
static inline bool pop_left(const py_deque<Any> &from) {
    deque_object *held = from.held;
    if (held->first == in_block - 1) return done_with(PyObject_CallMethod(held, "popleft", nullptr));
    held->size--;
    held->moves++;
    release(held->left->items[held->first++]);
    return false;
}
template <typename Any>
static inline bool clear(const py_deque<Any> &which) {
    return done_with(PyObject_CallMethod(which.held, "clear", nullptr));
}
template <typename Any>
static inline bool rotate(const py_deque<Any> &which, int64_t by) {
    return done_with(PyObject_CallMethod(which.held, "rotate", "(L)", static_cast<long long>(by)));
}
template <typename Any, typename Other>
static inline bool extend(const py_deque<Any> &to, const py_list<Other> &by) {
    return done_with(PyObject_CallMethod(to.held, "extend", "(O)", by.held));
}

}  // namespace npl
