// The callable of one segment: it checks host values and runs the segment's kernel on them.
//
// Replays call it. A value of another type, dtype, shape or strides than was compiled raises before anything has run.
// Included by native.cpp only.
#pragma once

#include <alloca.h>
#include <dlfcn.h>
#include <numpy/arrayobject.h>
#include <numpy/arrayscalars.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "pool.h"
#include "team.h"
#include "trying.h"

namespace {

// ---------------------------------------------------------------------------------------------- arguments

enum class Kind { array, scalar, integer, real, complex_, boolean };

struct Spec {
    Kind kind;
    PyArray_Descr *descr = nullptr;
    std::vector<npy_intp> shape, strides;  // strides in bytes
    npy_intp nbytes = 0;
    bool written = false;
};

PyArray_Descr *descr_of(char kind, int size) {
    int type = -1;
    switch (kind) {
        case 'b': type = NPY_BOOL; break;
        case 'i': type = size == 1 ? NPY_INT8 : size == 2 ? NPY_INT16 : size == 4 ? NPY_INT32 : NPY_INT64; break;
        case 'u': type = size == 1 ? NPY_UINT8 : size == 2 ? NPY_UINT16 : size == 4 ? NPY_UINT32 : NPY_UINT64; break;
        case 'f': type = size == 2 ? NPY_FLOAT16 : size == 4 ? NPY_FLOAT32 : NPY_FLOAT64; break;
        case 'c': type = size == 8 ? NPY_COMPLEX64 : NPY_COMPLEX128; break;
    }
    if (type < 0) {
        PyErr_Format(PyExc_ValueError, "no NumPy dtype is %c%d", kind, size);
        return nullptr;
    }
    return PyArray_DescrFromType(type);
}

bool same_dtype(PyArray_Descr *have, PyArray_Descr *want) {
    if (have->type_num == want->type_num) return PyArray_ISNBO(have->byteorder);
    // int64 is `long` on one platform and `long long` on another: kind and size tell the type
    return PyTypeNum_ISNUMBER(have->type_num) && have->kind == want->kind &&
           PyDataType_ELSIZE(have) == PyDataType_ELSIZE(want) && PyArray_ISNBO(have->byteorder);
}

// (kind, dtype kind, itemsize, shape, strides in elements, written)
bool parse_spec(PyObject *item, Spec &spec) {
    const char *kind;
    int code, size, written;
    PyObject *shape, *strides;
    if (!PyArg_ParseTuple(item, "sCiO!O!p;a spec", &kind, &code, &size, &PyTuple_Type, &shape, &PyTuple_Type,
                          &strides, &written))
        return false;
    std::string name = kind;
    spec.kind = name == "array"     ? Kind::array
                : name == "scalar"  ? Kind::scalar
                : name == "int"     ? Kind::integer
                : name == "float"   ? Kind::real
                : name == "complex" ? Kind::complex_
                                    : Kind::boolean;
    spec.written = written;
    spec.descr = descr_of(char(code), size);
    if (!spec.descr) return false;
    if (PyTuple_GET_SIZE(shape) != PyTuple_GET_SIZE(strides) || PyTuple_GET_SIZE(shape) > NPY_MAXDIMS) {
        PyErr_SetString(PyExc_ValueError, "shape and strides differ in length");
        return false;
    }
    spec.nbytes = size;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(shape); i++) {
        spec.shape.push_back(PyLong_AsSsize_t(PyTuple_GET_ITEM(shape, i)));
        spec.strides.push_back(PyLong_AsSsize_t(PyTuple_GET_ITEM(strides, i)) * size);
        spec.nbytes *= spec.shape.back();
    }
    return !PyErr_Occurred();
}

typedef const char *(*Run)(void **, void **, char *, const int64_t *);

struct Kernel {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    std::vector<Spec> *inputs, *outputs;
    Run run;        // the native form, or
    int *threads;   // the library's own count
    std::vector<int64_t> *table;  // the number of threads that share a run, then the kernel's numbers for its sizes
    Trial *trial;   // null: `table` has the number of threads
    PyObject *body;  // the general form: body(input arrays, output arrays)
    PyObject *instead;  // answers if a run fails that has written none of the caller's memory
    bool writes;        // into inputs
    size_t scratch;
    bool release;  // long enough to let other Python threads run
};

union Number {
    npy_int64 i;
    double d[2];
    npy_bool b;
    char bytes[32];
};

// Returns the value's memory, or null with TypeError, ValueError or OverflowError set.
void *pointer_to(const Spec &spec, PyObject *value, Number &number, Py_ssize_t place) {
    switch (spec.kind) {
        case Kind::array: {
            if (!PyArray_CheckExact(value)) {
                PyErr_Format(PyExc_TypeError, "argument %zd is a %.100s, compiled for an ndarray", place,
                             Py_TYPE(value)->tp_name);
                return nullptr;
            }
            PyArrayObject *array = reinterpret_cast<PyArrayObject *>(value);
            if (!same_dtype(PyArray_DESCR(array), spec.descr)) {
                PyErr_Format(PyExc_TypeError, "argument %zd is of dtype %R, compiled for %R", place,
                             reinterpret_cast<PyObject *>(PyArray_DESCR(array)),
                             reinterpret_cast<PyObject *>(spec.descr));
                return nullptr;
            }
            bool same = size_t(PyArray_NDIM(array)) == spec.shape.size();
            bool empty = false;
            for (size_t i = 0; same && i < spec.shape.size(); i++) {
                same = PyArray_DIM(array, i) == spec.shape[i];
                empty |= spec.shape[i] == 0;
            }
            for (size_t i = 0; same && !empty && i < spec.shape.size(); i++)
                same = spec.shape[i] == 1 || PyArray_STRIDE(array, i) == spec.strides[i];
            if (!same || !PyArray_ISALIGNED(array)) {
                PyErr_Format(PyExc_ValueError, "argument %zd has another shape or other strides than compiled for",
                             place);
                return nullptr;
            }
            if (spec.written && !PyArray_ISWRITEABLE(array)) {
                PyErr_SetString(PyExc_ValueError, "assignment destination is read-only");
                return nullptr;
            }
            return PyArray_DATA(array);
        }
        case Kind::scalar: {
            if (!PyArray_CheckScalar(value) || PyArray_CheckExact(value)) break;
            PyArray_Descr *descr = PyArray_DescrFromScalar(value);
            if (!descr) return nullptr;
            bool same = same_dtype(descr, spec.descr);
            Py_DECREF(descr);
            if (!same) break;
            PyArray_ScalarAsCtype(value, number.bytes);
            return number.bytes;
        }
        case Kind::integer:
            if (!PyLong_Check(value) || PyBool_Check(value)) break;
            number.i = PyLong_AsLongLong(value);
            if (number.i == -1 && PyErr_Occurred()) return nullptr;
            return number.bytes;
        case Kind::real:
            if (!PyFloat_Check(value)) break;
            number.d[0] = PyFloat_AS_DOUBLE(value);
            return number.bytes;
        case Kind::complex_:
            if (!PyComplex_Check(value)) break;
            number.d[0] = PyComplex_RealAsDouble(value);
            number.d[1] = PyComplex_ImagAsDouble(value);
            return number.bytes;
        case Kind::boolean:
            if (!PyBool_Check(value)) break;
            number.b = value == Py_True;
            return number.bytes;
    }
    PyErr_Format(PyExc_TypeError, "argument %zd is a %.100s, compiled for another type", place,
                 Py_TYPE(value)->tp_name);
    return nullptr;
}

// Returns a new base-class array that owns its memory, which is the pool's.
PyObject *new_array(const Spec &spec) {
    void *buffer = pool_malloc(nullptr, spec.nbytes);
    if (!buffer) return PyErr_NoMemory();
    Py_INCREF(spec.descr);
    PyObject *array = PyArray_NewFromDescr(
        &PyArray_Type, spec.descr, int(spec.shape.size()), const_cast<npy_intp *>(spec.shape.data()),
        const_cast<npy_intp *>(spec.strides.data()), buffer, NPY_ARRAY_BEHAVED, nullptr);
    if (!array) {
        pool_free(nullptr, buffer, 0);
        return nullptr;
    }
    // As NumPy does with memory from its current handler: note the handler, and own the memory.
    auto *fields = reinterpret_cast<PyArrayObject_fields *>(array);
    Py_INCREF(handler_capsule);
    Py_XSETREF(fields->mem_handler, handler_capsule);
    PyArray_ENABLEFLAGS(reinterpret_cast<PyArrayObject *>(array), NPY_ARRAY_OWNDATA);
    return array;
}

// Returns the argument as an array that torch takes: writeable (torch has no other), on the same memory.
PyObject *as_array(const Spec &spec, PyObject *value, void *pointer) {
    Py_INCREF(spec.descr);
    if (spec.kind != Kind::array) {
        PyObject *array = PyArray_NewFromDescr(&PyArray_Type, spec.descr, 0, nullptr, nullptr, nullptr, 0, nullptr);
        if (array) std::memcpy(PyArray_DATA(reinterpret_cast<PyArrayObject *>(array)), pointer, spec.nbytes);
        return array;
    }
    PyArrayObject *given = reinterpret_cast<PyArrayObject *>(value);
    PyObject *array =
        PyArray_NewFromDescr(&PyArray_Type, spec.descr, PyArray_NDIM(given), PyArray_DIMS(given),
                             PyArray_STRIDES(given), PyArray_DATA(given), NPY_ARRAY_BEHAVED, nullptr);
    if (!array) return nullptr;
    Py_INCREF(value);
    if (PyArray_SetBaseObject(reinterpret_cast<PyArrayObject *>(array), value) < 0) Py_CLEAR(array);
    return array;
}

bool run_general(Kernel *self, PyObject *const *args, void **in, PyObject **results) {
    Py_ssize_t n_in = Py_ssize_t(self->inputs->size()), n_out = Py_ssize_t(self->outputs->size());
    PyObject *ins = PyTuple_New(n_in), *outs = PyTuple_New(n_out), *answer = nullptr;
    bool ok = ins && outs;
    for (Py_ssize_t i = 0; ok && i < n_in; i++) {
        PyObject *array = as_array((*self->inputs)[i], args[i], in[i]);
        ok = array != nullptr;
        if (ok) PyTuple_SET_ITEM(ins, i, array);
    }
    for (Py_ssize_t i = 0; ok && i < n_out; i++) {
        Py_INCREF(results[i]);
        PyTuple_SET_ITEM(outs, i, results[i]);
    }
    if (ok) answer = PyObject_CallFunctionObjArgs(self->body, ins, outs, nullptr);
    ok = answer != nullptr;
    Py_XDECREF(answer);
    Py_XDECREF(ins);
    Py_XDECREF(outs);
    return ok;
}

bool run_native(Kernel *self, void **in, void **out, char *scratch) {
    if (self->threads && forked.load(std::memory_order_relaxed)) *self->threads = 1;
    const char *message;
    const int64_t *table = self->table->data();
    const bool timed = self->trial && self->trial->timed();
    if (self->trial && !self->trial->shared()) {
        auto *alone = static_cast<int64_t *>(alloca(sizeof(int64_t) * self->table->size()));
        std::copy(self->table->begin(), self->table->end(), alone);
        alone[0] = 1;
        table = alone;
    }
    const int64_t began = timed ? nanoseconds() : 0;
    if (self->release) {
        Py_BEGIN_ALLOW_THREADS;
        message = self->run(in, out, scratch, table);
        Py_END_ALLOW_THREADS;
    } else {
        message = self->run(in, out, scratch, table);
    }
    if (timed)
        self->trial->took(nanoseconds() - began);
    else if (self->trial)
        self->trial->ran();
    if (message) PyErr_SetString(std::strcmp(message, "std::bad_alloc") ? PyExc_RuntimeError : PyExc_MemoryError, message);
    return !message;
}

// Returns the answer of `instead`, if there is one; otherwise the exception stays set.
PyObject *done_instead(Kernel *self, PyObject *const *args, Py_ssize_t count) {
    PyObject *type, *error, *traceback;
    PyErr_Fetch(&type, &error, &traceback);
    PyObject *answer = PyObject_Vectorcall(self->instead, args, size_t(count), nullptr);
    if (!answer && PyErr_ExceptionMatches(PyExc_Exception)) {
        PyErr_Restore(type, error, traceback);
        return nullptr;
    }
    Py_XDECREF(type);
    Py_XDECREF(error);
    Py_XDECREF(traceback);
    return answer;
}

PyObject *kernel_call(PyObject *callable, PyObject *const *args, size_t nargsf, PyObject *names) {
    Kernel *self = reinterpret_cast<Kernel *>(callable);
    const Py_ssize_t n_in = Py_ssize_t(self->inputs->size()), n_out = Py_ssize_t(self->outputs->size());
    if (PyVectorcall_NARGS(nargsf) != n_in || (names && PyTuple_GET_SIZE(names))) {
        PyErr_Format(PyExc_TypeError, "the kernel takes %zd positional arguments", n_in);
        return nullptr;
    }
    void **in = static_cast<void **>(alloca(sizeof(void *) * (n_in + 1)));
    void **out = static_cast<void **>(alloca(sizeof(void *) * (n_out + 1)));
    Number *numbers = static_cast<Number *>(alloca(sizeof(Number) * (n_in + n_out + 1)));
    PyObject **results = static_cast<PyObject **>(alloca(sizeof(PyObject *) * (n_out + 1)));
    for (Py_ssize_t i = 0; i < n_in; i++) {
        in[i] = pointer_to((*self->inputs)[i], args[i], numbers[i], i);
        if (!in[i] && PyErr_Occurred()) return nullptr;
    }
    bool ok = true;
    Py_ssize_t made = 0;
    for (; made < n_out; made++) {
        const Spec &spec = (*self->outputs)[made];
        if (spec.kind == Kind::array || self->body) {
            results[made] = new_array(spec);
            if (!results[made]) {
                ok = false;
                break;
            }
            out[made] = PyArray_DATA(reinterpret_cast<PyArrayObject *>(results[made]));
        } else {
            results[made] = nullptr;
            out[made] = numbers[n_in + made].bytes;
        }
    }
    const size_t wanted = self->body ? 0 : self->scratch;
    char *scratch = ok && wanted ? static_cast<char *>(pool_malloc(nullptr, wanted)) : nullptr;
    const bool begun = ok && (scratch || !wanted);
    if (ok && !begun) PyErr_NoMemory();
    ok = begun && (self->body ? run_general(self, args, in, results) : run_native(self, in, out, scratch));
    pool_free(nullptr, scratch, 0);
    const bool again = !ok && !(begun && self->writes) && PyErr_ExceptionMatches(PyExc_Exception);
    for (Py_ssize_t i = 0; ok && i < n_out; i++) {
        const Spec &spec = (*self->outputs)[i];
        if (spec.kind == Kind::array) continue;
        PyObject *scalar = spec.kind == Kind::integer ? PyLong_FromLongLong(*static_cast<long long *>(out[i]))
                                                      : PyArray_Scalar(out[i], spec.descr, nullptr);
        Py_XSETREF(results[i], scalar);
        ok = scalar != nullptr;
    }
    if (ok && n_out == 1) return results[0];
    PyObject *tuple = ok ? PyTuple_New(n_out) : nullptr;
    for (Py_ssize_t i = 0; i < made; i++) {
        if (tuple)
            PyTuple_SET_ITEM(tuple, i, results[i]);
        else
            Py_XDECREF(results[i]);
    }
    return again ? done_instead(self, args, n_in) : tuple;
}

// Kernel(library, inputs, outputs, scratch, release, body, table, tried, instead)
PyObject *kernel_new(PyTypeObject *type, PyObject *args, PyObject *) {
    const char *library;
    PyObject *inputs, *outputs, *body, *table, *instead;
    Py_ssize_t scratch;
    int release, tried;
    if (!PyArg_ParseTuple(args, "zO!O!npOO!pO", &library, &PyTuple_Type, &inputs, &PyTuple_Type, &outputs, &scratch,
                          &release, &body, &PyTuple_Type, &table, &tried, &instead))
        return nullptr;
    Kernel *self = reinterpret_cast<Kernel *>(type->tp_alloc(type, 0));
    if (!self) return nullptr;
    self->vectorcall = kernel_call;
    self->inputs = new std::vector<Spec>(PyTuple_GET_SIZE(inputs));
    self->outputs = new std::vector<Spec>(PyTuple_GET_SIZE(outputs));
    self->table = new std::vector<int64_t>(PyTuple_GET_SIZE(table));
    self->scratch = size_t(scratch);
    self->release = release;
    if (tried) self->trial = new Trial;
    if (body != Py_None) self->body = Py_NewRef(body);
    self->instead = Py_NewRef(instead);
    for (size_t i = 0; i < self->table->size(); i++)
        (*self->table)[i] = PyLong_AsLongLong(PyTuple_GET_ITEM(table, i));
    if (PyErr_Occurred()) goto failed;
    for (size_t i = 0; i < self->inputs->size(); i++)
        if (!parse_spec(PyTuple_GET_ITEM(inputs, i), (*self->inputs)[i])) goto failed;
    for (const Spec &spec : *self->inputs) self->writes |= spec.written;
    for (size_t i = 0; i < self->outputs->size(); i++)
        if (!parse_spec(PyTuple_GET_ITEM(outputs, i), (*self->outputs)[i])) goto failed;
    if (library) {
        // never closed: other kernels of the library, and other threads, may be running
        void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
        self->run = handle ? reinterpret_cast<Run>(dlsym(handle, "npc_run")) : nullptr;
        if (!self->run) {
            const char *reason = dlerror();
            PyErr_SetString(PyExc_OSError, reason ? reason : "the library has no entry");
            goto failed;
        }
        self->threads = static_cast<int *>(dlsym(handle, "npc_threads"));
        if (auto **calls = static_cast<const TeamCalls **>(dlsym(handle, "npc_team"))) *calls = &team_calls;
    } else if (!self->body) {
        PyErr_SetString(PyExc_ValueError, "a kernel needs a library or a body");
        goto failed;
    }
    return reinterpret_cast<PyObject *>(self);
failed:
    Py_DECREF(self);
    return nullptr;
}

void kernel_dealloc(PyObject *object) {
    Kernel *self = reinterpret_cast<Kernel *>(object);
    for (auto *specs : {self->inputs, self->outputs}) {
        if (!specs) continue;
        for (Spec &spec : *specs) Py_XDECREF(spec.descr);
        delete specs;
    }
    delete self->table;
    delete self->trial;
    Py_XDECREF(self->body);
    Py_XDECREF(self->instead);
    Py_TYPE(object)->tp_free(object);
}

PyObject *kernel_threads(PyObject *object, void *) {
    const Kernel *self = reinterpret_cast<Kernel *>(object);
    const bool alone = forked.load(std::memory_order_relaxed) || (self->trial && !self->trial->shared());
    return PyLong_FromLongLong(alone ? 1 : (*self->table)[0]);
}

PyGetSetDef kernel_fields[] = {{"threads", kernel_threads, nullptr, "How many threads share a run.", nullptr},
                               {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyTypeObject kernel_type = {PyVarObject_HEAD_INIT(nullptr, 0)};

}  // namespace
