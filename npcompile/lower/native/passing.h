// Calls in a row that the plain function answers, as it did the one before: told by their arguments alone.
//
// Writing and finding a signature takes longer than a solver's callback does. Included by front.h only.
#pragma once

#include <numpy/arrayobject.h>

#include <cstddef>

namespace {

class Passing {
  public:
    // Passes on `calls` calls with such arguments. Returns false if the arguments say too little.
    bool begin(PyObject *const *args, Py_ssize_t given, long calls) {
        end();
        if (given > MOST) return false;
        for (Py_ssize_t i = 0; i < given; i++) {
            if (!kinds[i].see(args[i])) return end(), false;
            count = i + 1;
        }
        left = calls;
        return true;
    }

    void end() {
        for (Py_ssize_t i = 0; i < count; i++) Py_CLEAR(kinds[i].held);
        count = left = 0;
    }

    // Returns true if a call is one of them.
    bool takes(PyObject *const *args, Py_ssize_t given) {
        if (left <= 0 || given != count) return false;
        for (Py_ssize_t i = 0; i < given; i++)
            if (!kinds[i].is(args[i])) return false;
        left--;
        return true;
    }

    // Returns how many more calls are passed on.
    long rest() const { return left; }

    int traverse(visitproc visit, void *arg) {
        for (Py_ssize_t i = 0; i < count; i++) Py_VISIT(kinds[i].held);
        return 0;
    }

  private:
    static constexpr Py_ssize_t MOST = 6;

    // Compares a float or an int by its type, an array by its dtype and shape, any other argument by identity.
    struct Kind {
        PyObject *held;  // the type, the dtype, the object
        int axes;        // -1: a type, -2: an object
        npy_intp shape[2];

        bool see(PyObject *arg) {
            axes = -2;
            held = arg;
            if (PyFloat_CheckExact(arg) || PyLong_CheckExact(arg) || Py_TYPE(arg) == &PyDoubleArrType_Type) {
                axes = -1;
                held = reinterpret_cast<PyObject *>(Py_TYPE(arg));
            } else if (PyArray_CheckExact(arg)) {
                auto *array = reinterpret_cast<PyArrayObject *>(arg);
                axes = PyArray_NDIM(array);
                if (axes > 2) return held = nullptr, false;
                held = reinterpret_cast<PyObject *>(PyArray_DESCR(array));
                for (int i = 0; i < axes; i++) shape[i] = PyArray_DIM(array, i);
            } else if (PyList_Check(arg) || PyTuple_Check(arg) || PyDict_Check(arg) || PyAnySet_Check(arg)) {
                return held = nullptr, false;  // its items may change
            }
            Py_INCREF(held);
            return true;
        }

        bool is(PyObject *arg) const {
            if (axes == -2) return arg == held;
            if (axes == -1) return reinterpret_cast<PyObject *>(Py_TYPE(arg)) == held;
            if (!PyArray_CheckExact(arg)) return false;
            auto *array = reinterpret_cast<PyArrayObject *>(arg);
            if (reinterpret_cast<PyObject *>(PyArray_DESCR(array)) != held || PyArray_NDIM(array) != axes) return false;
            for (int i = 0; i < axes; i++)
                if (PyArray_DIM(array, i) != shape[i]) return false;
            return true;
        }
    } kinds[MOST];

    Py_ssize_t count = 0;
    long left = 0;
};

}  // namespace
