// What Python between blocks calls for a function of the user's (callees.py): one that is called as it is, at once.
//
// It is asked at each call of a helper in a loop that stays Python's. Included by native.cpp only.
#pragma once

#include "slots.h"

namespace {

// Of the process: set once, by `entering`.
struct {
    Slot plain;                   // the code of those that are called as they are, a list
    Slot idle;                    // how many calls in a row were of such
    PyObject *usual = nullptr;    // CalleeSubstitution.enter as Python has it
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

// entering(class): what it is to have as its `enter` instead
PyObject *entering(PyObject *, PyObject *type) {
    if (!PyType_Check(type)) return PyErr_SetString(PyExc_TypeError, "entering takes a class"), nullptr;
    if (!find_slots(type, {{"_as_they_are", &of_entering.plain}, {"idle", &of_entering.idle}})) return nullptr;
    PyObject *usual = PyObject_GetAttrString(type, enter_def.ml_name);
    if (!usual) return nullptr;
    Py_XSETREF(of_entering.usual, usual);
    return PyDescr_NewMethod(reinterpret_cast<PyTypeObject *>(type), &enter_def);
}

}  // namespace
