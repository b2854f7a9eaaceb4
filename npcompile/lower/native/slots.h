// Slots: attributes of Python objects that the native runtime reads, and counts in, at each call.
//
// Included by front.h and entering.h.
#pragma once

#include <structmember.h>

#include <initializer_list>
#include <utility>

namespace {

// An attribute in `__slots__` lies at one place in all instances of a class: reading it takes a nanosecond.
struct Slot {
    Py_ssize_t at = 0;
    PyObject *&of(PyObject *object) const {
        return *reinterpret_cast<PyObject **>(reinterpret_cast<char *>(object) + at);
    }
};

// Adds to a number. Returns false with an exception set.
bool count(PyObject *object, Slot slot, long more) {
    PyObject *&held = slot.of(object);
    long number = held ? PyLong_AsLong(held) : 0;
    if (number == -1 && PyErr_Occurred()) return false;
    PyObject *sum = PyLong_FromLong(number + more);
    if (!sum) return false;
    Py_XSETREF(held, sum);
    return true;
}

constexpr long IDLE = 64;  // as in frontend/rewrite/dual_loops.py

// Counts one more call or trip in a row that came to nothing in a cut function. Returns false with an exception set.
bool comes_to_nothing(PyObject *cut, Slot slot) {
    if (!count(cut, slot, 1)) return false;
    if (PyLong_AsLong(slot.of(cut)) != IDLE) return true;
    PyObject *done = PyObject_CallMethod(cut, "idles", nullptr);
    Py_XDECREF(done);
    return done != nullptr;
}

// Finds the slots of a class. Returns false with an exception set.
bool find_slots(PyObject *type, std::initializer_list<std::pair<const char *, Slot *>> wanted) {
    for (auto &[name, slot] : wanted) {
        PyObject *found = PyObject_GetAttrString(type, name);
        if (!found) return false;
        bool ok = Py_TYPE(found) == &PyMemberDescr_Type;
        if (ok) slot->at = reinterpret_cast<PyMemberDescrObject *>(found)->d_member->offset;
        Py_DECREF(found);
        if (!ok) return PyErr_Format(PyExc_TypeError, "%s is none of the slots of %R", name, type), false;
    }
    return true;
}

// Turns a slot into room for an address, which neither the garbage collector nor Python takes for an object. No instance
// of the class may have it filled.
void hide(PyObject *type, const char *name) {
    PyObject *found = PyObject_GetAttrString(type, name);
    if (!found) return PyErr_Clear();
    PyMemberDef *member = reinterpret_cast<PyMemberDescrObject *>(found)->d_member;
    member->type = T_PYSSIZET;
    member->flags |= READONLY;
    Py_DECREF(found);
}

}  // namespace
