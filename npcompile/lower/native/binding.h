// Binding: a call's arguments are put in the order of a recorded function's parameters, as `bind` in binding.py does.
//
// A call that does not fit is left to Python, which raises. Included by front.h only.
#pragma once

#include <cstddef>
#include <cstring>

namespace {

struct Parameters {
    PyObject *takes;       // the names of parameters by position
    PyObject *only_named;  // the names of those after a star
    Py_ssize_t only_positional;
    bool more, more_named;  // *rest and **named

    Py_ssize_t arity() const { return PyTuple_GET_SIZE(takes); }
};

// A call's arguments in one form: by position (borrowed; in `room` if the caller gave them otherwise), and by name.
struct Bound {
    PyObject *const *args = nullptr;
    Py_ssize_t count = 0;
    PyObject *named = nullptr;  // a dictionary owned here, or null if there are none
    ~Bound() { Py_XDECREF(named); }
};

// Returns the place of a name among others, from a place on; -1 if it is not there. Nearly all names are interned.
Py_ssize_t place_of(PyObject *name, PyObject *names, Py_ssize_t from) {
    bool interned = PyUnicode_CHECK_INTERNED(name);
    for (Py_ssize_t place = from; place < PyTuple_GET_SIZE(names); place++)
        if (PyTuple_GET_ITEM(names, place) == name) return place;
    for (Py_ssize_t place = from; place < PyTuple_GET_SIZE(names); place++) {
        PyObject *other = PyTuple_GET_ITEM(names, place);
        if (!(interned && PyUnicode_CHECK_INTERNED(other)) && PyUnicode_Compare(other, name) == 0) return place;
    }
    return -1;
}

// Puts the arguments by name into `into` in order: those of the function's own parameters, then the others. Returns
// false, without an exception, if they do not fit. left: the number of names that are not parameters by position.
bool bind_named(const Parameters &of, PyObject *function, PyObject *const *values, PyObject *names, Py_ssize_t left,
                PyObject *into) {
    PyObject *defaults = PyFunction_GET_KW_DEFAULTS(function);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(of.only_named); i++) {
        PyObject *name = PyTuple_GET_ITEM(of.only_named, i), *value = nullptr;
        Py_ssize_t at = left ? place_of(name, names, 0) : -1;
        if (at >= 0) value = values[at], left--;
        else if (defaults) value = PyDict_GetItemWithError(defaults, name);
        if (!value || PyDict_SetItem(into, name, value) < 0) return PyErr_Clear(), false;
    }
    if (left && !of.more_named) return false;
    for (Py_ssize_t i = 0; left && i < PyTuple_GET_SIZE(names); i++) {
        PyObject *name = PyTuple_GET_ITEM(names, i);
        if (place_of(name, of.takes, of.only_positional) >= 0 || place_of(name, of.only_named, 0) >= 0) continue;
        if (PyDict_SetItem(into, name, values[i]) < 0) return PyErr_Clear(), false;
    }
    return true;
}

// Returns false if the arguments do not fit, which is left to Python. room: as many places as there are parameters
// by position.
bool bind(const Parameters &of, PyObject *function, PyObject *const *args, Py_ssize_t given, PyObject *names,
          PyObject **room, Bound &bound) {
    Py_ssize_t arity = of.arity(), more = names ? PyTuple_GET_SIZE(names) : 0, used = 0;
    bound.args = args;
    bound.count = given;
    if (given > arity && !of.more) return false;
    if (given < arity) {
        std::memset(room, 0, sizeof(PyObject *) * size_t(arity));
        std::memcpy(room, args, sizeof(PyObject *) * size_t(given));
        bound.args = room;
        bound.count = arity;
    }
    for (Py_ssize_t i = 0; i < more; i++) {
        Py_ssize_t place = place_of(PyTuple_GET_ITEM(names, i), of.takes, of.only_positional);
        if (place < 0) continue;
        if (place < given) return false;  // given twice
        room[place] = args[given + i];
        used++;
    }
    PyObject *defaults = given < arity ? PyFunction_GET_DEFAULTS(function) : nullptr;
    Py_ssize_t first = arity - (defaults ? PyTuple_GET_SIZE(defaults) : 0);
    for (Py_ssize_t place = given; place < arity; place++) {
        if (room[place]) continue;
        if (place < first) return false;
        room[place] = PyTuple_GET_ITEM(defaults, place - first);
    }
    Py_ssize_t left = more - used;
    if (!left && !PyTuple_GET_SIZE(of.only_named)) return true;
    if (!of.more_named && left > PyTuple_GET_SIZE(of.only_named)) return false;
    if (!(bound.named = PyDict_New())) return PyErr_Clear(), false;
    return bind_named(of, function, args + given, names, left, bound.named);
}

}  // namespace
