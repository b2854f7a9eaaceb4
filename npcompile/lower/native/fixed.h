// Checks that modules are unchanged (frontend/catalog/assumed_modules.py): NumPy's functions, math's, the builtins.
//
// Each call of a recorded function asks. A dictionary's version says in a nanosecond that nothing in it has changed
// since it was looked through. Names are added to the lists while they are unchanged. Included by native.cpp only.
#pragma once

#include <vector>

namespace {

struct Space {
    PyObject *held, *names, *values;      // lists, which grow
    unsigned long long version;  // of `held`, when all names were last found unchanged
};

std::vector<Space> spaces;

// Returns 0 if this Python has no versions: the names are then looked through at each call.
unsigned long long version_of(PyObject *dict) {
#if PY_VERSION_HEX < 0x030E0000
    return reinterpret_cast<PyDictObject *>(dict)->ma_version_tag;
#else
    return 0;
#endif
}

bool look_through(Space &space) {
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(space.names) && i < PyList_GET_SIZE(space.values); i++) {
        PyObject *now = PyDict_GetItemWithError(space.held, PyList_GET_ITEM(space.names, i));
        if (now != PyList_GET_ITEM(space.values, i)) return PyErr_Clear(), false;
    }
    space.version = version_of(space.held);
    return true;
}

bool are_as_they_were() {
    for (Space &space : spaces) {
        unsigned long long version = version_of(space.held);
        if ((!version || version != space.version) && !look_through(space)) return false;
    }
    return !spaces.empty();
}

// fixed(((dictionary, names, values), ...)): the names that have to stay unchanged. Called once.
PyObject *fixed(PyObject *, PyObject *given) {
    if (!PyTuple_CheckExact(given)) return PyErr_SetString(PyExc_TypeError, "fixed takes a tuple"), nullptr;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(given); i++) {
        Space space = {};
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(given, i), "O!O!O!", &PyDict_Type, &space.held, &PyList_Type,
                              &space.names, &PyList_Type, &space.values))
            return nullptr;
        for (PyObject *kept : {space.held, space.names, space.values}) Py_INCREF(kept);
        spaces.push_back(space);
    }
    Py_RETURN_NONE;
}

PyObject *as_they_were(PyObject *, PyObject *) { return PyBool_FromLong(are_as_they_were()); }

}  // namespace
