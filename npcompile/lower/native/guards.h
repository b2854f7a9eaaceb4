// Guards of replays on what is read from outside: arrays and how they lie to each other in memory, methods, the keys of
// dictionaries, the code of functions.
//
// Each stands for a guard in Python, which is asked where a value is of another kind. Included by native.cpp only.
#pragma once

#include <numpy/arrayobject.h>

#include <cstddef>
#include <cstring>
#include <vector>

namespace {

struct ArrayGuard {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    PyObject *otherwise;
    PyArray_Descr *dtype;
    std::vector<npy_intp> *shape, *strides;
    bool writeable, aligned;
};

struct Pair {
    Py_ssize_t one, other;
    bool apart;         // share nothing, or
    npy_intp distance;  // lie so far from each other
};

struct OverlapGuard {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    PyObject *otherwise;
    std::vector<Pair> *pairs;
};

PyObject *array_guard_call(PyObject *object, PyObject *const *args, size_t nargsf, PyObject *named) {
    auto *self = reinterpret_cast<ArrayGuard *>(object);
    if (PyVectorcall_NARGS(nargsf) != 1 || named || !PyArray_CheckExact(args[0]))
        return PyObject_Vectorcall(self->otherwise, args, nargsf, named);
    auto *array = reinterpret_cast<PyArrayObject *>(args[0]);
    bool same = size_t(PyArray_NDIM(array)) == self->shape->size() && PyArray_ISWRITEABLE(array) == self->writeable &&
                bool(PyArray_CHKFLAGS(array, NPY_ARRAY_ALIGNED)) == self->aligned;
    for (size_t i = 0; same && i < self->shape->size(); i++)
        same = PyArray_DIM(array, int(i)) == (*self->shape)[i] && PyArray_STRIDE(array, int(i)) == (*self->strides)[i];
    if (same && PyArray_DESCR(array) != self->dtype) same = PyArray_EquivTypes(PyArray_DESCR(array), self->dtype);
    return PyBool_FromLong(same);
}

// The addresses of an array's first byte and of the one after its last; the same where it has none.
void bounds(PyArrayObject *array, char *&low, char *&high) {
    low = high = static_cast<char *>(PyArray_DATA(array));
    for (int i = 0; i < PyArray_NDIM(array); i++) {
        if (PyArray_DIM(array, i) == 0) {
            high = low;
            return;
        }
    }
    for (int i = 0; i < PyArray_NDIM(array); i++) {
        npy_intp further = PyArray_STRIDE(array, i) * (PyArray_DIM(array, i) - 1);
        (further < 0 ? low : high) += further;
    }
    high += PyArray_ITEMSIZE(array);
}

PyObject *overlap_guard_call(PyObject *object, PyObject *const *args, size_t nargsf, PyObject *named) {
    auto *self = reinterpret_cast<OverlapGuard *>(object);
    Py_ssize_t given = PyVectorcall_NARGS(nargsf);
    bool usual = !named;
    for (Py_ssize_t i = 0; usual && i < given; i++) usual = PyArray_CheckExact(args[i]);
    if (!usual) return PyObject_Vectorcall(self->otherwise, args, nargsf, named);
    for (const Pair &pair : *self->pairs) {
        if (pair.one >= given || pair.other >= given)
            return PyObject_Vectorcall(self->otherwise, args, nargsf, named);
        auto *one = reinterpret_cast<PyArrayObject *>(args[pair.one]);
        auto *other = reinterpret_cast<PyArrayObject *>(args[pair.other]);
        bool right;
        if (pair.apart) {
            char *low, *high, *other_low, *other_high;
            bounds(one, low, high);
            bounds(other, other_low, other_high);
            right = low == high || other_low == other_high || high <= other_low || other_high <= low;
        } else {
            right = PyArray_BYTES(other) - PyArray_BYTES(one) == pair.distance;
        }
        if (!right) Py_RETURN_FALSE;
    }
    Py_RETURN_TRUE;
}

bool numbers(PyObject *tuple, std::vector<npy_intp> &into) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); i++)
        into.push_back(PyLong_AsSsize_t(PyTuple_GET_ITEM(tuple, i)));
    return !PyErr_Occurred();
}

// ArrayGuard(otherwise, dtype, shape, strides, writeable, aligned)
PyObject *array_guard_new(PyTypeObject *type, PyObject *args, PyObject *) {
    PyObject *otherwise, *dtype, *shape, *strides;
    int writeable, aligned;
    if (!PyArg_ParseTuple(args, "OO!O!O!pp", &otherwise, &PyArrayDescr_Type, &dtype, &PyTuple_Type, &shape,
                          &PyTuple_Type, &strides, &writeable, &aligned))
        return nullptr;
    if (PyTuple_GET_SIZE(shape) != PyTuple_GET_SIZE(strides)) {
        PyErr_SetString(PyExc_ValueError, "shape and strides differ in length");
        return nullptr;
    }
    auto *self = reinterpret_cast<ArrayGuard *>(type->tp_alloc(type, 0));
    if (!self) return nullptr;
    self->vectorcall = array_guard_call;
    self->otherwise = Py_NewRef(otherwise);
    self->dtype = reinterpret_cast<PyArray_Descr *>(Py_NewRef(dtype));
    self->shape = new std::vector<npy_intp>;
    self->strides = new std::vector<npy_intp>;
    self->writeable = writeable;
    self->aligned = aligned;
    if (!numbers(shape, *self->shape) || !numbers(strides, *self->strides)) Py_CLEAR(self);
    return reinterpret_cast<PyObject *>(self);
}

void array_guard_dealloc(PyObject *object) {
    auto *self = reinterpret_cast<ArrayGuard *>(object);
    delete self->shape;
    delete self->strides;
    Py_XDECREF(self->otherwise);
    Py_XDECREF(self->dtype);
    Py_TYPE(object)->tp_free(object);
}

// OverlapGuard(otherwise, pairs): of (place, place, bytes between them; None: they share nothing)
PyObject *overlap_guard_new(PyTypeObject *type, PyObject *args, PyObject *) {
    PyObject *otherwise, *pairs;
    if (!PyArg_ParseTuple(args, "OO!", &otherwise, &PyTuple_Type, &pairs)) return nullptr;
    auto *self = reinterpret_cast<OverlapGuard *>(type->tp_alloc(type, 0));
    if (!self) return nullptr;
    self->vectorcall = overlap_guard_call;
    self->otherwise = Py_NewRef(otherwise);
    self->pairs = new std::vector<Pair>;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(pairs); i++) {
        Pair pair = {};
        PyObject *distance;
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(pairs, i), "nnO;a pair", &pair.one, &pair.other, &distance)) break;
        pair.apart = distance == Py_None;
        if (!pair.apart) pair.distance = PyLong_AsSsize_t(distance);
        self->pairs->push_back(pair);
    }
    if (PyErr_Occurred()) Py_CLEAR(self);
    return reinterpret_cast<PyObject *>(self);
}

void overlap_guard_dealloc(PyObject *object) {
    auto *self = reinterpret_cast<OverlapGuard *>(object);
    delete self->pairs;
    Py_XDECREF(self->otherwise);
    Py_TYPE(object)->tp_free(object);
}

struct ObjectGuard {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    PyObject *otherwise, *expected;
};

// Of a method, whether it is of this function.
PyObject *function_guard_call(PyObject *object, PyObject *const *args, size_t nargsf, PyObject *named) {
    auto *self = reinterpret_cast<ObjectGuard *>(object);
    if (PyVectorcall_NARGS(nargsf) != 1 || named || !PyMethod_Check(args[0]))
        return PyObject_Vectorcall(self->otherwise, args, nargsf, named);
    return PyBool_FromLong(PyMethod_GET_FUNCTION(args[0]) == self->expected);
}

bool same_text(PyObject *one, PyObject *other) {
    return PyUnicode_CheckExact(one) && PyUnicode_CheckExact(other) && PyUnicode_Compare(one, other) == 0;
}

// Of a dictionary, whether its keys are these objects, or the same text, in this order. Python compares others.
PyObject *keys_guard_call(PyObject *object, PyObject *const *args, size_t nargsf, PyObject *named) {
    auto *self = reinterpret_cast<ObjectGuard *>(object);
    bool usual = PyVectorcall_NARGS(nargsf) == 1 && !named && PyDict_CheckExact(args[0]);
    if (usual && PyDict_GET_SIZE(args[0]) != PyTuple_GET_SIZE(self->expected)) Py_RETURN_FALSE;
    PyObject *key, *value;
    for (Py_ssize_t at = 0, i = 0; usual && PyDict_Next(args[0], &at, &key, &value); i++)
        usual = key == PyTuple_GET_ITEM(self->expected, i) || same_text(key, PyTuple_GET_ITEM(self->expected, i));
    if (!usual) return PyObject_Vectorcall(self->otherwise, args, nargsf, named);
    Py_RETURN_TRUE;
}

// Checks that functions have the code that they had: pairs of both.
PyObject *codes_guard_call(PyObject *object, PyObject *const *args, size_t nargsf, PyObject *named) {
    auto *self = reinterpret_cast<ObjectGuard *>(object);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(self->expected); i++) {
        PyObject *pair = PyTuple_GET_ITEM(self->expected, i), *function = PyTuple_GET_ITEM(pair, 0);
        if (!PyFunction_Check(function)) return PyObject_Vectorcall(self->otherwise, args, nargsf, named);
        if (PyFunction_GET_CODE(function) != PyTuple_GET_ITEM(pair, 1)) Py_RETURN_FALSE;
    }
    Py_RETURN_TRUE;
}

// Checks that classes hold what they held: triples of a class, a name and that, an ellipsis for nothing.
PyObject *classes_guard_call(PyObject *object, PyObject *const *, size_t, PyObject *) {
    auto *self = reinterpret_cast<ObjectGuard *>(object);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(self->expected); i++) {
        PyObject *one = PyTuple_GET_ITEM(self->expected, i), *held = PyTuple_GET_ITEM(one, 2);
        auto *kind = reinterpret_cast<PyTypeObject *>(PyTuple_GET_ITEM(one, 0));
        PyObject *now = _PyType_Lookup(kind, PyTuple_GET_ITEM(one, 1));
        if (now != (held == Py_Ellipsis ? nullptr : held)) Py_RETURN_FALSE;
    }
    Py_RETURN_TRUE;
}

bool is_anything(PyObject *) { return true; }

bool is_tuple(PyObject *expected) { return PyTuple_CheckExact(expected); }

bool is_tuple_of(PyObject *expected, Py_ssize_t count) {
    bool right = PyTuple_CheckExact(expected);
    for (Py_ssize_t i = 0; right && i < PyTuple_GET_SIZE(expected); i++) {
        PyObject *one = PyTuple_GET_ITEM(expected, i);
        right = PyTuple_CheckExact(one) && PyTuple_GET_SIZE(one) == count;
    }
    return right;
}

bool are_codes(PyObject *expected) { return is_tuple_of(expected, 2); }

bool are_classes(PyObject *expected) {
    bool right = is_tuple_of(expected, 3);
    for (Py_ssize_t i = 0; right && i < PyTuple_GET_SIZE(expected); i++) {
        PyObject *one = PyTuple_GET_ITEM(expected, i);
        right = PyType_Check(PyTuple_GET_ITEM(one, 0)) && PyUnicode_CheckExact(PyTuple_GET_ITEM(one, 1));
    }
    return right;
}

// A guard (otherwise, expected): its call compares with `expected`, and calls `otherwise` for unusual values.
template <vectorcallfunc call, bool (*takes)(PyObject *)>
PyObject *object_guard_new(PyTypeObject *type, PyObject *args, PyObject *) {
    PyObject *otherwise, *expected;
    if (!PyArg_ParseTuple(args, "OO", &otherwise, &expected)) return nullptr;
    if (!takes(expected)) return PyErr_SetString(PyExc_TypeError, "no such guard"), nullptr;
    auto *self = reinterpret_cast<ObjectGuard *>(type->tp_alloc(type, 0));
    if (!self) return nullptr;
    self->vectorcall = call;
    self->otherwise = Py_NewRef(otherwise);
    self->expected = Py_NewRef(expected);
    return reinterpret_cast<PyObject *>(self);
}

int object_guard_traverse(PyObject *object, visitproc visit, void *arg) {
    auto *self = reinterpret_cast<ObjectGuard *>(object);
    Py_VISIT(self->otherwise);
    Py_VISIT(self->expected);
    return 0;
}

int object_guard_clear(PyObject *object) {
    auto *self = reinterpret_cast<ObjectGuard *>(object);
    Py_CLEAR(self->otherwise);
    Py_CLEAR(self->expected);
    return 0;
}

void object_guard_dealloc(PyObject *object) {
    PyObject_GC_UnTrack(object);
    object_guard_clear(object);
    Py_TYPE(object)->tp_free(object);
}

PyTypeObject function_guard_type = {PyVarObject_HEAD_INIT(nullptr, 0)}, keys_guard_type = {PyVarObject_HEAD_INIT(nullptr, 0)};
PyTypeObject codes_guard_type = {PyVarObject_HEAD_INIT(nullptr, 0)}, classes_guard_type = {PyVarObject_HEAD_INIT(nullptr, 0)};
PyTypeObject array_guard_type = {PyVarObject_HEAD_INIT(nullptr, 0)}, overlap_guard_type = {PyVarObject_HEAD_INIT(nullptr, 0)};

bool ready_guards() {
    auto ready = [](PyTypeObject &type, const char *name, size_t size, size_t offset, newfunc make, destructor end) {
        type.tp_name = name;
        type.tp_basicsize = Py_ssize_t(size);
        type.tp_flags |= Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL;
        type.tp_vectorcall_offset = Py_ssize_t(offset);
        type.tp_call = PyVectorcall_Call;
        type.tp_new = make;
        type.tp_dealloc = end;
        return PyType_Ready(&type) == 0;
    };
    auto ready_object_guard = [&](PyTypeObject &type, const char *name, newfunc make) {
        type.tp_flags = Py_TPFLAGS_HAVE_GC;  // functions refer to what calls them
        type.tp_traverse = object_guard_traverse;
        type.tp_clear = object_guard_clear;
        return ready(type, name, sizeof(ObjectGuard), offsetof(ObjectGuard, vectorcall), make, object_guard_dealloc);
    };
    return ready_object_guard(function_guard_type, "npcompile.lower._native.FunctionGuard",
                              object_guard_new<function_guard_call, is_anything>) &&
           ready_object_guard(keys_guard_type, "npcompile.lower._native.KeysGuard",
                              object_guard_new<keys_guard_call, is_tuple>) &&
           ready_object_guard(codes_guard_type, "npcompile.lower._native.CodesGuard",
                              object_guard_new<codes_guard_call, are_codes>) &&
           ready_object_guard(classes_guard_type, "npcompile.lower._native.ClassesGuard",
                              object_guard_new<classes_guard_call, are_classes>) &&
           ready(array_guard_type, "npcompile.lower._native.ArrayGuard", sizeof(ArrayGuard),
                 offsetof(ArrayGuard, vectorcall), array_guard_new, array_guard_dealloc) &&
           ready(overlap_guard_type, "npcompile.lower._native.OverlapGuard", sizeof(OverlapGuard),
                 offsetof(OverlapGuard, vectorcall), overlap_guard_new, overlap_guard_dealloc);
}

}  // namespace
