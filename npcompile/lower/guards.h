// Guards of replays on arrays that are read from outside: what each is, and how they lie to each other in memory.
//
// Each stands for a guard in Python, which is asked where a value is not an ndarray. Included by native.cpp only.
#pragma once

#include <numpy/arrayobject.h>

#include <cstddef>
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

PyTypeObject array_guard_type = {PyVarObject_HEAD_INIT(nullptr, 0)}, overlap_guard_type = {PyVarObject_HEAD_INIT(nullptr, 0)};

bool ready_guards() {
    auto ready = [](PyTypeObject &type, const char *name, size_t size, size_t offset, newfunc make, destructor end) {
        type.tp_name = name;
        type.tp_basicsize = Py_ssize_t(size);
        type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL;
        type.tp_vectorcall_offset = Py_ssize_t(offset);
        type.tp_call = PyVectorcall_Call;
        type.tp_new = make;
        type.tp_dealloc = end;
        return PyType_Ready(&type) == 0;
    };
    return ready(array_guard_type, "npcompile.lower._native.ArrayGuard", sizeof(ArrayGuard),
                 offsetof(ArrayGuard, vectorcall), array_guard_new, array_guard_dealloc) &&
           ready(overlap_guard_type, "npcompile.lower._native.OverlapGuard", sizeof(OverlapGuard),
                 offsetof(OverlapGuard, vectorcall), overlap_guard_new, overlap_guard_dealloc);
}

}  // namespace
