// Memory that native loops have made (lower/loops/headers/memory.h) becomes that of NumPy's arrays, without a copy.
//
// NumPy frees and resizes such memory through its allocator hook (NEP 49), by the functions below. Included by
// body_calls.h only.
#pragma once

#include <numpy/arrayobject.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace {

// The fields of a block of native code's memory before its items. The address that `free` needs stands before it.
struct BlockHead {
    long long references, bytes, axes, shape[8], turned;
};
constexpr size_t BLOCK_ITEMS = 128;
constexpr long long LEAST_ADOPTED = 1 << 14;  // bytes: less is copied sooner

void *block_malloc(void *, size_t bytes) {
    void *start = std::malloc(bytes + BLOCK_ITEMS + 64);
    if (!start) return nullptr;
    char *place = reinterpret_cast<char *>((reinterpret_cast<uintptr_t>(start) + 64) & ~uintptr_t(63));
    reinterpret_cast<void **>(place)[-1] = start;
    reinterpret_cast<BlockHead *>(place)->bytes = (long long)bytes;
    return place + BLOCK_ITEMS;
}

void *block_calloc(void *context, size_t count, size_t bytes) {
    void *made = block_malloc(context, count * bytes);
    return made ? std::memset(made, 0, count * bytes) : nullptr;
}

void block_free(void *, void *items, size_t) {
    if (items) std::free(reinterpret_cast<void **>(static_cast<char *>(items) - BLOCK_ITEMS)[-1]);
}

void *block_realloc(void *context, void *items, size_t bytes) {
    void *made = block_malloc(context, bytes);
    if (!made || !items) return made;
    auto before = size_t(reinterpret_cast<BlockHead *>(static_cast<char *>(items) - BLOCK_ITEMS)->bytes);
    std::memcpy(made, items, before < bytes ? before : bytes);
    block_free(context, items, before);
    return made;
}

PyDataMem_Handler block_handler = {"npcompile_block", 1, {nullptr, block_malloc, block_calloc, block_realloc, block_free}};

// Returns the array for which a block was made. A large block's memory is the array's then: its count of references
// becomes -1, and nobody else frees it. Of a small one the items are copied. dtype: a reference that is taken over.
PyObject *array_of_memory(char *start, PyArray_Descr *dtype) {
    static PyObject *handler = PyCapsule_New(&block_handler, "mem_handler", nullptr);
    auto *head = reinterpret_cast<BlockHead *>(start);
    npy_intp shape[8];
    for (long long axis = 0; axis < head->axes; axis++) shape[axis] = npy_intp(head->shape[axis]);
    if (!handler || head->bytes < LEAST_ADOPTED) {
        PyErr_Clear();
        PyObject *array = PyArray_Empty(int(head->axes), shape, dtype, head->turned != 0);
        if (array)
            std::memcpy(PyArray_DATA(reinterpret_cast<PyArrayObject *>(array)), start + BLOCK_ITEMS, size_t(head->bytes));
        return array;
    }
    int flags = head->turned ? NPY_ARRAY_FARRAY : NPY_ARRAY_CARRAY;
    PyObject *array = PyArray_NewFromDescr(&PyArray_Type, dtype, int(head->axes), shape, nullptr, start + BLOCK_ITEMS,
                                           flags, nullptr);
    if (!array) return nullptr;
    auto *made = reinterpret_cast<PyArrayObject *>(array);
    reinterpret_cast<PyArrayObject_fields *>(array)->mem_handler = Py_NewRef(handler);
    PyArray_ENABLEFLAGS(made, NPY_ARRAY_OWNDATA);
    head->references = -1;
    return array;
}

// adopt(address, dtype): the array for which the block at an address was made, and if its memory is the array's now.
PyObject *adopt(PyObject *, PyObject *args) {
    unsigned long long address;
    PyObject *dtype;
    if (!PyArg_ParseTuple(args, "KO!", &address, &PyArrayDescr_Type, &dtype)) return nullptr;
    auto *start = reinterpret_cast<char *>(address);
    PyObject *array = array_of_memory(start, reinterpret_cast<PyArray_Descr *>(Py_NewRef(dtype)));
    if (!array) return nullptr;
    bool adopted = reinterpret_cast<BlockHead *>(start)->references == -1;
    return Py_BuildValue("NO", array, adopted ? Py_True : Py_False);
}

}  // namespace
