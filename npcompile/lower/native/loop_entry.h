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

// One value that is checked and packed, or one check. kind: a array, i int, f float, b bool, c complex, n NumPy scalar,
// t tuple of `items`, r iterator over a range, m iterator over an array's items, k the object `expected` itself, which
// takes no word, s text of the type `expected`, q container of that type, of which a function answers as it did: `asks` is
// the function and its answer.
// These are kept by the entry while it runs, in its order: o object of the type `expected`, whose methods and other
// attributes of its class are those that it had; w function with the code `expected`; e cell.
// x: the object at `place` has no attribute of its own that is named so.
struct EntryPart {
    // a argument, d name in dictionaries, c cell, o attribute of an object; of what the entry keeps, at `place`: m item
    // of an object's dictionary, g attribute that is not in it, v value of a cell, p default of a function's parameter,
    // l cell of a function.
    char kind = 0, source = 0;
    int place = 0;              // of the argument, or of what is kept
    // number: of an array's dtype. stride: of a range, 0 for any; of an array the most bytes, 0 for any.
    int number = 0, ndim = 0, flags = 0, stride = 0;
    bool packed = false, nonnegative = false;
    PyObject *expected = nullptr, *owner = nullptr, *name = nullptr, *other = nullptr, *asks = nullptr;
    Py_ssize_t offset = 0;      // of the first word
    int same = -1;              // what is kept is the very one that is kept at this place; -1: none of those before
    int index = 0;              // of a function's cell or default
    unsigned version = 0;       // of an object's type
    bool given_back = false;    // the value is handed to the caller
    std::vector<EntryPart> items;
};

constexpr int MOST_HELD = 64;  // objects and cells that one entry keeps

// The objects and the cells that an entry has found, with a reference to each. dictionaries: of objects, null where one
// has none.
struct Found {
    PyObject *objects[MOST_HELD], *dictionaries[MOST_HELD], *values = nullptr;
    int count = 0;
    ~Found() {
        for (int i = 0; i < count; i++) Py_XDECREF(objects[i]), Py_XDECREF(dictionaries[i]);
        Py_XDECREF(values);
    }
};

struct LoopEntry {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    std::vector<EntryPart> *parts;
    Py_ssize_t size, arguments, given_back;
    int held;  // so many objects and cells are kept
    long long (*function)(void *);
};

// The value of a part, as a new reference; null where there is none.
PyObject *value_of(const EntryPart &part, PyObject *const *args, const Found &found) {
    PyObject *value = nullptr;
    switch (part.source) {
        case 'a': value = args[part.place]; break;
        case 'd':
            value = PyDict_GetItemWithError(part.owner, part.name);
            if (!value && part.other && !PyErr_Occurred()) value = PyDict_GetItemWithError(part.other, part.name);
            break;
        case 'c': return PyCell_Get(part.owner);
        case 'o': return PyObject_GetAttr(part.owner, part.name);
        case 'm':
            if (PyObject *own = found.dictionaries[part.place]) value = PyDict_GetItemWithError(own, part.name);
            break;
        case 'g': return PyObject_GenericGetAttr(found.objects[part.place], part.name);
        case 'v': return PyCell_Get(found.objects[part.place]);
        case 'p':
            if (PyObject *defaults = PyFunction_GET_DEFAULTS(found.objects[part.place]))
                value = PyTuple_GET_ITEM(defaults, part.index);
            break;
        case 'l': value = PyTuple_GET_ITEM(PyFunction_GET_CLOSURE(found.objects[part.place]), part.index); break;
    }
    return Py_XNewRef(value);
}

bool has_version(PyTypeObject *type, unsigned version) {
    return PyType_HasFeature(type, Py_TPFLAGS_VALID_VERSION_TAG) && type->tp_version_tag == version;
}

// Keeps an object, a function or a cell. Returns false where it is another one than the parts say.
bool keep(const EntryPart &part, PyObject *value, Found &found) {
    PyObject *own = nullptr;
    if (part.kind == 'e') {
        if (!PyCell_Check(value)) return false;
    } else if (part.kind == 'w') {
        if (!PyFunction_Check(value) || PyFunction_GET_CODE(value) != part.expected ||
            PyFunction_GET_GLOBALS(value) != part.owner)
            return false;
        PyObject *defaults = PyFunction_GET_DEFAULTS(value), *named = PyFunction_GET_KW_DEFAULTS(value);
        if ((defaults ? PyTuple_GET_SIZE(defaults) : 0) != part.number || (named && named != Py_None)) return false;
    } else {
        PyTypeObject *type = Py_TYPE(value);
        if (reinterpret_cast<PyObject *>(type) != part.expected) return false;
        if (PyDict_CheckExact(value)) {
            own = Py_NewRef(value);
        } else {
            if (!has_version(type, part.version)) return false;
            own = PyObject_GenericGetDict(value, nullptr);
            if (!own) PyErr_Clear();
            else if (!PyDict_CheckExact(own)) Py_CLEAR(own);
        }
    }
    bool same = part.same < 0 || found.objects[part.same] == value;
    for (int i = 0; part.same < 0 && i < found.count; i++)
        same = same && found.objects[i] != value && found.dictionaries[i] != value && (!own || found.objects[i] != own);
    if (!same || part.same >= 0) return Py_XDECREF(own), same;
    found.dictionaries[found.count] = own;
    found.objects[found.count++] = Py_NewRef(value);
    return true;
}

bool is_absent(const EntryPart &part, const Found &found) {
    PyObject *own = found.dictionaries[part.place];
    return !own || (!PyDict_GetItemWithError(own, part.name) && !PyErr_Occurred());
}

// Returns true if a container is what native code takes it for, by some of its items.
bool is_expected(const EntryPart &part, PyObject *value) {
    if (reinterpret_cast<PyObject *>(Py_TYPE(value)) != part.expected) return false;
    if (!part.asks) return true;
    PyObject *answer = PyObject_CallOneArg(PyTuple_GET_ITEM(part.asks, 0), value);
    bool same = answer && PyObject_RichCompareBool(answer, PyTuple_GET_ITEM(part.asks, 1), Py_EQ) == 1;
    Py_XDECREF(answer);
    return same;
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
        (PyArray_FLAGS(array) & checked) != part.flags || packed != part.packed ||
        (part.stride && PyArray_NBYTES(array) > part.stride))
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
        case 's':
        case 'q': *to++ = reinterpret_cast<long long>(value); return is_expected(part, value);
        case 't':
            if (!PyTuple_CheckExact(value) || PyTuple_GET_SIZE(value) != Py_ssize_t(part.items.size())) return false;
            for (size_t i = 0; i < part.items.size(); i++)
                if (!pack_part(part.items[i], PyTuple_GET_ITEM(value, Py_ssize_t(i)), to)) return false;
            return true;
    }
    return false;
}

// Checks one part, packs its value into words, or keeps it. Returns false where it is another than native code takes.
bool take_part(const EntryPart &part, PyObject *value, long long *words, Found &found, Py_ssize_t &given_back) {
    if (part.kind == 'o' && part.asks && !is_expected(part, value)) return false;
    if (part.kind == 'o' || part.kind == 'w' || part.kind == 'e') return keep(part, value, found);
    if (part.given_back) PyTuple_SET_ITEM(found.values, given_back++, Py_NewRef(value));
    long long *to = words + part.offset;
    return pack_part(part, value, to);
}

// Packs the values of an entry into words. Returns false where one is of another type.
bool packed_words(const LoopEntry *self, PyObject *const *args, long long *words, Found &found) {
    memset(words, 0, size_t(self->size) * 8);
    Py_ssize_t given_back = 0;
    if (self->given_back && !(found.values = PyTuple_New(self->given_back))) return PyErr_Clear(), false;
    for (const EntryPart &part : *self->parts) {
        bool same;
        if (part.kind == 'x') {
            same = is_absent(part, found);
        } else {
            PyObject *value = value_of(part, args, found);
            same = value && take_part(part, value, words, found, given_back);
            Py_XDECREF(value);
        }
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

// entry(iterator, *values): None where a value is of another type; else (the exit's number, the words, the exception of
// a signal's handler or None, and, where values are handed back, the objects and cells that were kept, and these values).
PyObject *loop_entry_call(PyObject *object, PyObject *const *args, size_t nargsf, PyObject *named) {
    auto *self = reinterpret_cast<LoopEntry *>(object);
    if (PyVectorcall_NARGS(nargsf) != self->arguments || named) Py_RETURN_NONE;
    PyObject *words = PyByteArray_FromStringAndSize(nullptr, self->size * 8);
    if (!words) return nullptr;
    auto *to = reinterpret_cast<long long *>(PyByteArray_AS_STRING(words));
    Found found;
    if (!packed_words(self, args, to, found)) {
        Py_DECREF(words);
        Py_RETURN_NONE;
    }
    long long number = self->function(to);
    PyObject *raised = raised_now(), *shown = raised ? raised : Py_None, *result = nullptr;
    if (found.values) {
        PyObject *held = PyTuple_New(self->held);
        for (int i = 0; held && i < self->held; i++) PyTuple_SET_ITEM(held, i, Py_NewRef(found.objects[i]));
        if (held) result = Py_BuildValue("LOO(NO)", number, words, shown, held, found.values);
    } else {
        result = Py_BuildValue("LOOO", number, words, shown, Py_None);
    }
    Py_DECREF(words);
    Py_XDECREF(raised);
    return result;
}

PyTypeObject loop_entry_type = {PyVarObject_HEAD_INIT(nullptr, 0)};

int visit_parts(const std::vector<EntryPart> &parts, visitproc visit, void *arg) {
    for (const EntryPart &part : parts) {
        for (PyObject *held : {part.expected, part.owner, part.name, part.other, part.asks}) Py_VISIT(held);
        if (int found = visit_parts(part.items, visit, arg)) return found;
    }
    return 0;
}

void clear_parts(const std::vector<EntryPart> &parts) {
    for (const EntryPart &part : parts) {
        for (PyObject *held : {part.expected, part.owner, part.name, part.other, part.asks}) Py_XDECREF(held);
        clear_parts(part.items);
    }
}

int loop_entry_traverse(PyObject *object, visitproc visit, void *arg) {
    if (auto *parts = reinterpret_cast<LoopEntry *>(object)->parts)
        return visit_parts(*parts, visit, arg);
    return 0;
}

void loop_entry_dealloc(PyObject *object) {
    PyObject_GC_UnTrack(object);
    auto *self = reinterpret_cast<LoopEntry *>(object);
    if (self->parts) clear_parts(*self->parts);
    delete self->parts;
    Py_TYPE(object)->tp_free(object);
}

// The version of an object's type, by which a change of the type is seen; 0 where it has none.
unsigned type_version(PyObject *type) {
    static PyObject *name = PyUnicode_InternFromString("__doc__");
    PyObject *found = PyObject_GetAttr(type, name);  // gives the type a version
    found ? Py_DECREF(found) : PyErr_Clear();
    auto *known = reinterpret_cast<PyTypeObject *>(type);
    return PyType_HasFeature(known, Py_TPFLAGS_VALID_VERSION_TAG) ? known->tp_version_tag : 0;
}

// Returns true if a part's place is one of the arguments, or of what was kept before it.
bool has_place(const EntryPart &part, Py_ssize_t arguments, const std::vector<char> &held) {
    auto is_held = [&](char kind) {
        return part.place >= 0 && size_t(part.place) < held.size() && held[size_t(part.place)] == kind;
    };
    switch (part.source) {
        case 'a': return part.place >= 0 && part.place < arguments;
        case 'd': return PyDict_CheckExact(part.owner) && (!part.other || PyDict_CheckExact(part.other));
        case 'c': return PyCell_Check(part.owner);
        case 'o': return true;
        case 'm':
        case 'g': return is_held('o');
        case 'v': return is_held('e');
        case 'p':
        case 'l': return is_held('w');
    }
    return false;
}

// Reads a part: (kind, source, place, expected, owner, name, other, numbers, asks, offset, same, index, given_back,
// items). numbers: (dtype's number, words, or the count of a function's defaults; ndim; flags; packed; stride;
// nonnegative).
bool read_part(PyObject *given, EntryPart &part) {
    int kind, source, packed, nonnegative, given_back;
    PyObject *items;
    if (!PyArg_ParseTuple(given, "CCiOOOO(iiipip)OniipO!", &kind, &source, &part.place, &part.expected, &part.owner,
                          &part.name, &part.other, &part.number, &part.ndim, &part.flags, &packed, &part.stride,
                          &nonnegative, &part.asks, &part.offset, &part.same, &part.index, &given_back, &PyTuple_Type,
                          &items))
        return false;
    part.kind = char(kind), part.source = char(source), part.packed = packed, part.nonnegative = nonnegative;
    part.given_back = given_back;
    if (part.other == Py_None) part.other = nullptr;
    if (part.asks == Py_None) part.asks = nullptr;
    if (part.asks && !(PyTuple_CheckExact(part.asks) && PyTuple_GET_SIZE(part.asks) == 2))
        return PyErr_SetString(PyExc_TypeError, "no question"), false;
    if (kind == 'o' && part.expected != reinterpret_cast<PyObject *>(&PyDict_Type)) {
        if (!PyType_Check(part.expected)) return PyErr_SetString(PyExc_TypeError, "no type"), false;
        if (!(part.version = type_version(part.expected))) return false;
    }
    for (PyObject *held : {part.expected, part.owner, part.name, part.other, part.asks}) Py_XINCREF(held);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items); i++) {
        EntryPart item;
        if (!read_part(PyTuple_GET_ITEM(items, i), item)) return false;
        part.items.push_back(item);
    }
    return true;
}

// LoopEntry(address, words, arguments, parts): None where an entry does not keep that many, or a type has no version.
PyObject *loop_entry_new(PyTypeObject *type, PyObject *given, PyObject *) {
    long long address;
    Py_ssize_t size, arguments;
    PyObject *parts;
    if (!PyArg_ParseTuple(given, "LnnO!", &address, &size, &arguments, &PyTuple_Type, &parts)) return nullptr;
    auto *self = reinterpret_cast<LoopEntry *>(type->tp_alloc(type, 0));
    if (!self) return nullptr;
    self->vectorcall = loop_entry_call;
    self->size = size, self->arguments = arguments, self->given_back = 0, self->held = 0;
    self->function = reinterpret_cast<long long (*)(void *)>(address);
    self->parts = new (std::nothrow) std::vector<EntryPart>;
    if (!self->parts) return Py_DECREF(self), PyErr_NoMemory();
    std::vector<char> held;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(parts); i++) {
        EntryPart part;
        if (!read_part(PyTuple_GET_ITEM(parts, i), part)) {
            Py_DECREF(self);
            if (PyErr_Occurred()) return nullptr;
            Py_RETURN_NONE;
        }
        self->parts->push_back(part);
        bool known = has_place(part, arguments, held);
        if (part.kind == 'o' || part.kind == 'w' || part.kind == 'e') {
            known = known && part.same < int(held.size()) && (part.same < 0 || held[size_t(part.same)] == part.kind);
            if (part.same < 0) held.push_back(part.kind);
        }
        if (!known) return Py_DECREF(self), PyErr_SetString(PyExc_TypeError, "no source of a value"), nullptr;
        self->given_back += part.given_back;
    }
    self->held = int(held.size());
    if (self->held > MOST_HELD) {
        Py_DECREF(self);
        Py_RETURN_NONE;
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
