// The native form of `CalleeSubstitution.enter` (callees.py): the function that Python between blocks calls for a
// function of the user's.
//
// It runs at each call of a helper in a loop that stays Python, and answers at once for functions that are called as
// they are; others go to Python. Included by native.cpp only.
#pragma once

#include "slots.h"

namespace {

// One for the process, set once, by `entering`.
struct {
    Slot plain;                   // the list of codes of functions called as they are
    Slot idle;                    // the number of calls in a row of such functions
    PyObject *usual = nullptr;    // CalleeSubstitution.enter in Python
} of_entering;

// CalleeSubstitution.enter
PyObject *enter(PyObject *self, PyObject *fn) {
    PyObject *function = PyMethod_Check(fn) ? PyMethod_GET_FUNCTION(fn) : fn, *plain = of_entering.plain.of(self);
    if (PyFunction_Check(function) && plain && PyList_CheckExact(plain))
        for (Py_ssize_t i = 0; i < PyList_GET_SIZE(plain); i++)
            if (PyList_GET_ITEM(plain, i) == PyFunction_GET_CODE(function))
                return comes_to_nothing(self, of_entering.idle) ? Py_NewRef(fn) : nullptr;
    return PyObject_CallFunctionObjArgs(of_entering.usual, self, fn, nullptr);
}

PyMethodDef enter_def = {"enter", enter, METH_O, "What Python between the blocks calls for a function."};

// entering(class): returns the method that replaces its `enter`
PyObject *entering(PyObject *, PyObject *type) {
    if (!PyType_Check(type)) return PyErr_SetString(PyExc_TypeError, "entering takes a class"), nullptr;
    if (!find_slots(type, {{"_as_they_are", &of_entering.plain}, {"idle", &of_entering.idle}})) return nullptr;
    PyObject *usual = PyObject_GetAttrString(type, enter_def.ml_name);
    if (!usual) return nullptr;
    Py_XSETREF(of_entering.usual, usual);
    return PyDescr_NewMethod(reinterpret_cast<PyTypeObject *>(type), &enter_def);
}

}  // namespace
