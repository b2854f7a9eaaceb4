// The entry of a native loop (partition/native_loop.py): checks the types of the values, packs them into words and
// runs the loop's function, without entering Python.
//
// Where a value is not of the type that the loop was compiled for the answer is None, and nothing was done:
// `frontend/loops/run/exchange.py` packs the words then. Included by native.cpp only.
#pragma once

#include <numpy/arrayobject.h>

#include <cstddef>
#include <cstring>
#include <new>
#include <vector>

namespace {

constexpr long long SMALL_INT = 1LL << 40;  // as `SMALL` in lower/loops/ir.py

// One value that is checked and packed. kind: a array, i int, f float, b bool, c complex, n NumPy scalar, r iterator
// over a range, m iterator over an array's items, k the object `expected` itself, which takes no word.
struct EntryPart {
    char kind = 0, source = 0;  // source: a argument, d name in dictionaries, c cell, o attribute of an object
    int place = 0;              // of the argument
    int number = 0, ndim = 0, flags = 0, stride = 0;  // of an array: dtype's number; of a range: its step, 0: any
    bool packed = false, nonnegative = false;
    PyObject *expected = nullptr, *owner = nullptr, *name = nullptr, *other = nullptr;
};

struct LoopEntry {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    std::vector<EntryPart> *parts;
    Py_ssize_t size, arguments;
    long long (*function)(void *);
};

// The value of a part, as a new reference; null where there is none.
PyObject *value_of(const EntryPart &part, PyObject *const *args) {
    PyObject *value = nullptr;
    if (part.source == 'a') {
        value = args[part.place];
    } else if (part.source == 'd') {
        value = PyDict_GetItemWithError(part.owner, part.name);
        if (!value && part.other && !PyErr_Occurred()) value = PyDict_GetItemWithError(part.other, part.name);
    } else if (part.source == 'c') {
        return PyCell_Get(part.owner);
    } else {
        return PyObject_GetAttr(part.owner, part.name);
    }
    return Py_XNewRef(value);
}

// An int's value, if it is one of 64 bits.
bool int_of(PyObject *value, long long &word) {
    if (!PyLong_CheckExact(value)) return false;
    int over = 0;
    word = PyLong_AsLongLongAndOverflow(value, &over);
    return !over;
}

bool small(long long number) { return -SMALL_INT <= number && number <= SMALL_INT; }

bool attribute(PyObject *object, PyObject *name, long long &word) {
    PyObject *value = PyObject_GetAttr(object, name);
    bool found = value && int_of(value, word);
    Py_XDECREF(value);
    return found;
}

// The state of an iterator over a range: its position, its length, its start and its step.
bool range_words(const EntryPart &part, PyObject *iterator, long long *&to) {
    static PyObject *reduce = PyUnicode_InternFromString("__reduce__"), *first = PyUnicode_InternFromString("start"),
                    *difference = PyUnicode_InternFromString("step");
    if (Py_TYPE(iterator) != &PyRangeIter_Type) return false;
    PyObject *reduced = PyObject_CallMethodNoArgs(iterator, reduce);
    if (!reduced) return false;
    // (iter, (range,)) or (iter, (range,), how many are gone)
    PyObject *held = PyTuple_CheckExact(reduced) && PyTuple_GET_SIZE(reduced) >= 2 ? PyTuple_GET_ITEM(reduced, 1) : nullptr;
    PyObject *range = held && PyTuple_CheckExact(held) && PyTuple_GET_SIZE(held) ? PyTuple_GET_ITEM(held, 0) : nullptr;
    long long start = 0, step = 0, gone = 0;
    bool known = range && PyRange_Check(range) && attribute(range, first, start) && attribute(range, difference, step);
    if (known && PyTuple_GET_SIZE(reduced) > 2) {
        PyObject *place = PyTuple_GET_ITEM(reduced, 2);
        known = place == Py_None || int_of(place, gone);
    }
    Py_ssize_t length = known ? PyObject_Size(range) : -1;
    Py_DECREF(reduced);
    if (length < 0 || gone < 0 || gone > length || !small(start) || !small(step) || length > SMALL_INT) return false;
    long long end;
    if (__builtin_mul_overflow((long long)length, step, &end) || __builtin_add_overflow(end, start, &end)) return false;
    start += gone * step, length -= gone;
    if (!small(end)) return false;
    long long least = !length ? 0 : step < 0 ? end - step : start;
    int stride = step == 1 || step == -1 ? int(step) : 0;
    if (stride != part.stride || (least >= 0) != part.nonnegative) return false;
    *to++ = 0, *to++ = length, *to++ = start, *to++ = step;
    return true;
}

// The address of an array.
bool array_word(const EntryPart &part, PyObject *value, long long *&to) {
    if (!PyArray_CheckExact(value)) return false;
    auto *array = reinterpret_cast<PyArrayObject *>(value);
    int ndim = PyArray_NDIM(array);
    const int checked = NPY_ARRAY_ALIGNED | NPY_ARRAY_WRITEABLE;
    bool packed = ndim > 0 && PyArray_STRIDE(array, ndim - 1) == PyArray_ITEMSIZE(array);
    if (ndim != part.ndim || PyArray_TYPE(array) != part.number || !PyArray_ISNOTSWAPPED(array) ||
        (PyArray_FLAGS(array) & checked) != part.flags || packed != part.packed)
        return false;
    *to++ = reinterpret_cast<long long>(value);
    return true;
}

// The array that an iterator goes over, and the place of the next item.
bool items_words(const EntryPart &part, PyObject *iterator, long long *&to) {
    static PyObject *reduce = PyUnicode_InternFromString("__reduce__");
    if (Py_TYPE(iterator) != &PySeqIter_Type) return false;
    PyObject *reduced = PyObject_CallMethodNoArgs(iterator, reduce);
    if (!reduced) return false;
    // (iter, (array,), place); once it is at its end (iter, ((),)). The iterator holds the array.
    bool same = PyTuple_CheckExact(reduced) && PyTuple_GET_SIZE(reduced) == 3;
    PyObject *held = same ? PyTuple_GET_ITEM(reduced, 1) : nullptr;
    same = same && PyTuple_CheckExact(held) && PyTuple_GET_SIZE(held) == 1 &&
           array_word(part, PyTuple_GET_ITEM(held, 0), to) && int_of(PyTuple_GET_ITEM(reduced, 2), *to++);
    Py_DECREF(reduced);
    return same;
}

// Packs a value. Returns false where it is of another type.
bool pack_part(const EntryPart &part, PyObject *value, long long *&to) {
    switch (part.kind) {
        case 'k': return value == part.expected;
        case 'a': return array_word(part, value, to);
        case 'm': return items_words(part, value, to);
        case 'i': return int_of(value, *to) && small(*to++);
        case 'u': {  // a negative int raises
            if (!PyLong_CheckExact(value)) return false;
            unsigned long long number = PyLong_AsUnsignedLongLong(value);
            *to++ = (long long)number;
            return number != -1ull || !PyErr_Occurred();
        }
        case 'b':
            if (!PyBool_Check(value)) return false;
            *to++ = value == Py_True;
            return true;
        case 'f': {
            if (!PyFloat_CheckExact(value)) return false;
            double number = PyFloat_AS_DOUBLE(value);
            memcpy(to++, &number, sizeof number);
            return true;
        }
        case 'c': {
            if (!PyComplex_CheckExact(value)) return false;
            double numbers[] = {PyComplex_RealAsDouble(value), PyComplex_ImagAsDouble(value)};
            memcpy(to, numbers, sizeof numbers);
            to += 2;
            return true;
        }
        case 'n': {
            if (reinterpret_cast<PyObject *>(Py_TYPE(value)) != part.expected) return false;
            PyArray_ScalarAsCtype(value, to);
            to += part.number;
            return true;
        }
        case 'r': return range_words(part, value, to);
    }
    return false;
}

// Packs the values of an entry into words. Returns false where one is of another type.
bool packed_words(const LoopEntry *self, PyObject *const *args, long long *to) {
    memset(to, 0, size_t(self->size) * 8);
    for (const EntryPart &part : *self->parts) {
        PyObject *value = value_of(part, args);
        bool same = value && pack_part(part, value, to);
        Py_XDECREF(value);
        if (!same) return PyErr_Clear(), false;
    }
    return true;
}

// Takes the exception that is set, as an object; null where there is none.
PyObject *raised_now() {
    PyObject *type, *raised, *traceback;
    PyErr_Fetch(&type, &raised, &traceback);
    if (type) PyErr_NormalizeException(&type, &raised, &traceback);
    Py_XDECREF(type);
    Py_XDECREF(traceback);
    return raised;
}

// entry(iterator, *values): None where a value is of another type; else (the exit's number, the words), and the
// exception of a signal's handler where there is one.
PyObject *loop_entry_call(PyObject *object, PyObject *const *args, size_t nargsf, PyObject *named) {
    auto *self = reinterpret_cast<LoopEntry *>(object);
    if (PyVectorcall_NARGS(nargsf) != self->arguments || named) Py_RETURN_NONE;
    PyObject *words = PyByteArray_FromStringAndSize(nullptr, self->size * 8);
    if (!words) return nullptr;
    auto *to = reinterpret_cast<long long *>(PyByteArray_AS_STRING(words));
    if (!packed_words(self, args, to)) {
        Py_DECREF(words);
        Py_RETURN_NONE;
    }
    long long number = self->function(to);
    PyObject *raised = raised_now();
    PyObject *result = Py_BuildValue("LOO", number, words, raised ? raised : Py_None);
    Py_DECREF(words);
    Py_XDECREF(raised);
    return result;
}

PyTypeObject loop_entry_type = {PyVarObject_HEAD_INIT(nullptr, 0)};

int loop_entry_traverse(PyObject *object, visitproc visit, void *arg) {
    if (auto *parts = reinterpret_cast<LoopEntry *>(object)->parts)
        for (EntryPart &part : *parts)
            for (PyObject *held : {part.expected, part.owner, part.name, part.other}) Py_VISIT(held);
    return 0;
}

void loop_entry_dealloc(PyObject *object) {
    PyObject_GC_UnTrack(object);
    auto *self = reinterpret_cast<LoopEntry *>(object);
    if (self->parts)
        for (EntryPart &part : *self->parts)
            for (PyObject *held : {part.expected, part.owner, part.name, part.other}) Py_XDECREF(held);
    delete self->parts;
    Py_TYPE(object)->tp_free(object);
}

// LoopEntry(address, words, arguments, parts): a part is (kind, source, argument's place, expected, owner, name, other,
// (dtype's number or words, ndim, flags, packed, stride, nonnegative))
PyObject *loop_entry_new(PyTypeObject *type, PyObject *given, PyObject *) {
    long long address;
    Py_ssize_t size, arguments;
    PyObject *parts;
    if (!PyArg_ParseTuple(given, "LnnO!", &address, &size, &arguments, &PyTuple_Type, &parts)) return nullptr;
    auto *self = reinterpret_cast<LoopEntry *>(type->tp_alloc(type, 0));
    if (!self) return nullptr;
    self->vectorcall = loop_entry_call;
    self->size = size, self->arguments = arguments;
    self->function = reinterpret_cast<long long (*)(void *)>(address);
    self->parts = new (std::nothrow) std::vector<EntryPart>;
    if (!self->parts) return Py_DECREF(self), PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(parts); i++) {
        EntryPart part;
        int kind, source, packed, nonnegative;
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(parts, i), "CCiOOOO(iiipip)", &kind, &source, &part.place, &part.expected,
                              &part.owner, &part.name, &part.other, &part.number, &part.ndim, &part.flags, &packed,
                              &part.stride, &nonnegative))
            return Py_DECREF(self), nullptr;
        part.kind = char(kind), part.source = char(source), part.packed = packed, part.nonnegative = nonnegative;
        bool known = source == 'a'   ? part.place >= 0 && part.place < arguments
                     : source == 'd' ? PyDict_CheckExact(part.owner)
                     : source == 'c' ? PyCell_Check(part.owner)
                                     : source == 'o';
        if (part.other == Py_None) part.other = nullptr;
        if (!known || (part.other && !PyDict_CheckExact(part.other)))
            return Py_DECREF(self), PyErr_SetString(PyExc_TypeError, "no source of a value"), nullptr;
        for (PyObject *held : {part.expected, part.owner, part.name, part.other}) Py_XINCREF(held);
        self->parts->push_back(part);
    }
    return reinterpret_cast<PyObject *>(self);
}

bool ready_loop_entry() {
    loop_entry_type.tp_name = "npcompile.lower._native.LoopEntry";
    loop_entry_type.tp_basicsize = sizeof(LoopEntry);
    loop_entry_type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_HAVE_GC;
    loop_entry_type.tp_traverse = loop_entry_traverse;
    loop_entry_type.tp_vectorcall_offset = offsetof(LoopEntry, vectorcall);
    loop_entry_type.tp_call = PyVectorcall_Call;
    loop_entry_type.tp_new = loop_entry_new;
    loop_entry_type.tp_dealloc = loop_entry_dealloc;
    loop_entry_type.tp_doc = "The entry of a native loop for the types that it was compiled for.";
    return PyType_Ready(&loop_entry_type) == 0;
}

}  // namespace
