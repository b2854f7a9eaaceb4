// Signatures of calls as bytes: all that a recorded program's validity depends on in its arguments, and its leaves.
//
// A signature says no less than key_of in frontend/program/signature.py does, and has the same leaves, in a tenth of the
// time. Addresses stand in the text for types, code and other objects: they are valid while the entry under the text
// keeps these objects alive, which a key of key_of does. Included by native.cpp only.
#pragma once

#include <numpy/arrayobject.h>
#include <numpy/arrayscalars.h>

#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace {

// Types, and classes, whose instances count by value; and classes whose instances' type says too little.
PyObject *by_value = nullptr, *classes_by_value = nullptr, *not_by_type = nullptr, *owners = nullptr;

bool is_one_of(PyTypeObject *type, PyObject *classes) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(classes); i++)
        if (PyType_IsSubtype(type, reinterpret_cast<PyTypeObject *>(PyTuple_GET_ITEM(classes, i)))) return true;
    return false;
}

// A vector that begins on the stack and holds at most `most`.
template <typename T, size_t few, size_t most>
class Grown {
    T own[few];
    T *room = own;
    size_t capacity = few;

   public:
    size_t size = 0;
    Grown() = default;
    Grown(const Grown &) = delete;
    Grown &operator=(const Grown &) = delete;
    ~Grown() {
        if (room != own) std::free(room);
    }
    T *data() { return room; }
    bool add(const T *more, size_t count) {
        if (size + count > capacity) {
            if (size + count > most) return false;
            size_t wanted = 2 * (size + count);
            T *larger = static_cast<T *>(std::malloc(wanted * sizeof(T)));
            if (!larger) return false;
            std::memcpy(larger, room, size * sizeof(T));
            if (room != own) std::free(room);
            room = larger;
            capacity = wanted;
        }
        std::memcpy(room + size, more, count * sizeof(T));
        size += count;
        return true;
    }
};

class Signature {
    static constexpr int DEEPEST = 16;  // containers within containers
    static constexpr int FLAGS =
        NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_F_CONTIGUOUS | NPY_ARRAY_ALIGNED | NPY_ARRAY_WRITEABLE;
    // The kinds of items in the text; a dtype's number, which is none of these, stands for an array.
    enum Mark : int { number = -1, plain = -2, same = -3, text_ = -4, function = -5, method = -6, tuple = -7, list = -8,
                      dict = -9, slice = -10, by_name = -11, unusual = -12, bound = -13 };

   public:
    Grown<char, 1024, size_t(1) << 16> text;
    Grown<PyObject *, 48, size_t(1) << 12> leaves;

    ~Signature() {
        if (owned)
            for (size_t i = 0; i < leaves.size; i++) Py_DECREF(leaves.data()[i]);
    }

    // Own leaves from now on: their holder may let go of them while they are in use.
    void own() {
        if (owned) return;
        owned = true;
        for (size_t i = 0; i < leaves.size; i++) Py_INCREF(leaves.data()[i]);
    }

    // Returns false, without an exception, for arguments of unknown kinds, or too many.
    // growing: a bit for each place whose lists, dictionaries and texts count by their type alone. Only Python tells
    // which tuples are long enough for that.
    bool of(PyObject *const *args, Py_ssize_t count, unsigned long long growing = 0) {
        for (Py_ssize_t i = 0; i < count && !owned; i++) {
            PyTypeObject *type = Py_TYPE(args[i]);
            if (type == &PyTuple_Type || type == &PyList_Type || type == &PyDict_Type) own();
        }
        for (Py_ssize_t i = 0; i < count; i++) {
            bool grows = i < 64 && growing >> i & 1;
            if (grows && PyTuple_CheckExact(args[i])) return false;
            grows = grows && (PyList_CheckExact(args[i]) || PyDict_CheckExact(args[i]) ||
                              PyUnicode_CheckExact(args[i]) || PyBytes_CheckExact(args[i]));
            if (!(grows ? put(plain, Py_TYPE(args[i])) && leaf(args[i]) : item(args[i], 0))) return false;
        }
        return true;
    }

    // Adds arguments by name, after those by position; the caller keeps the dictionary while this is in use.
    bool of_named(PyObject *named) { return put(int(by_name)) && items(named, 0); }

    // Adds a leaf that comes before those of the arguments. Called first.
    bool leaf(PyObject *value) {
        if (!leaves.add(&value, 1)) return false;
        if (owned) Py_INCREF(value);
        return true;
    }

   private:
    bool owned = false;

    template <typename T>
    bool put(const T &value) {
        return text.add(reinterpret_cast<const char *>(&value), sizeof value);
    }
    bool put(Mark mark, const void *address) { return put(int(mark)) && put(address); }
    bool put(Mark mark, Py_ssize_t length) { return put(int(mark)) && put(length); }

    bool item(PyObject *value, int depth) {
        PyTypeObject *type = Py_TYPE(value);
        if (type == &PyArray_Type) return array(reinterpret_cast<PyArrayObject *>(value)) && leaf(value);
        if (type == &PyFloat_Type || type == &PyLong_Type || type == &PyComplex_Type)
            return put(number, type) && leaf(value);
        if (value == Py_None || type == &PyBool_Type) return put(same, value);
        if (type == &PyUnicode_Type) return word(value) && leaf(value);
        if (type == &PyTuple_Type || type == &PyList_Type || type == &PyDict_Type)
            return depth < DEEPEST && (type == &PyDict_Type ? items(value, depth) : parts(value, depth));
        if (type == &PyFunction_Type)
            return put(function, PyFunction_GET_CODE(value)) && put(PyFunction_GET_GLOBALS(value)) && leaf(value);
        if (type == &PyMethod_Type) return put(method, PyMethod_GET_FUNCTION(value)) && leaf(value);
        if (PyArray_IsScalar(value, Generic)) {
            bool usual = PyArray_IsScalar(value, Number) || PyArray_IsScalar(value, Bool);
            if (PyArray_IsScalar(value, Datetime) || PyArray_IsScalar(value, Timedelta))
                return put(number, type) && put(reinterpret_cast<PyDatetimeScalarObject *>(value)->obmeta) && leaf(value);
            return usual && !(type->tp_flags & Py_TPFLAGS_HEAPTYPE) && put(number, type) && leaf(value);
        }
        if (type == &PyCFunction_Type && PyCFunction_GET_SELF(value)) {
            PyTypeObject *owner = Py_TYPE(PyCFunction_GET_SELF(value));
            int known = PySet_Contains(owners, reinterpret_cast<PyObject *>(owner));
            if (known < 0) return cleared();
            // A method such as `history.append`: its object does not count.
            const void *kind = reinterpret_cast<PyCFunctionObject *>(value)->m_ml;
            if (known) return put(bound, kind) && put(owner) && leaf(value);
        }
        int decides = PySet_Contains(by_value, reinterpret_cast<PyObject *>(type));
        if (decides < 0) return cleared();
        if (decides) {
            bool made_anew = type == &PyBytes_Type || type == &PyRange_Type;  // there may be several that are equal
            return put(same, value) && (!made_anew || leaf(value));
        }
        if (is_one_of(type, classes_by_value)) return put(same, value);
        if (type == &PySlice_Type || PyWeakref_CheckProxy(value) || !known_by_type(type)) return false;
        return put(plain, type) && leaf(value);
    }

    static bool cleared() {
        PyErr_Clear();
        return false;
    }

    bool array(PyArrayObject *array) {
        int dtype = PyArray_TYPE(array), ndim = PyArray_NDIM(array), shown = PyArray_FLAGS(array) & FLAGS;
        if ((dtype > NPY_CLONGDOUBLE && dtype != NPY_HALF) || !PyArray_ISNOTSWAPPED(array)) {
            // Of objects, text, times, fields and swapped numbers the dtype's number says too little.
            if (!put(unusual, PyArray_DESCR(array)) || !fields(PyArray_DESCR(array))) return false;
        }
        int head[] = {dtype, ndim, shown};
        size_t size = size_t(ndim) * sizeof(npy_intp);
        return put(head) && text.add(reinterpret_cast<char *>(PyArray_DIMS(array)), size) &&
               text.add(reinterpret_cast<char *>(PyArray_STRIDES(array)), size);
    }

    // Adds the names of fields, nested ones included: they may be changed in place.
    bool fields(PyArray_Descr *descr) {
        while (PyDataType_HASSUBARRAY(descr)) descr = PyDataType_SUBARRAY(descr)->base;
        if (!PyDataType_HASFIELDS(descr)) return true;
        PyObject *names = PyDataType_NAMES(descr);
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); i++) {
            PyObject *name = PyTuple_GET_ITEM(names, i);
            PyObject *field = PyDict_GetItemWithError(PyDataType_FIELDS(descr), name);
            if (!field) return cleared();
            if (!word(name) || !fields(reinterpret_cast<PyArray_Descr *>(PyTuple_GET_ITEM(field, 0)))) return false;
        }
        return true;
    }

    bool word(PyObject *value) {
#if PY_VERSION_HEX < 0x030C0000
        if (!PyUnicode_IS_READY(value)) return false;
#endif
        Py_ssize_t head[] = {PyUnicode_GET_LENGTH(value), PyUnicode_KIND(value)};
        return put(int(text_)) && put(head) &&
               text.add(static_cast<const char *>(PyUnicode_DATA(value)), size_t(head[0] * head[1]));
    }

    bool parts(PyObject *value, int depth) {
        bool is_list = PyList_CheckExact(value);
        if (!put(is_list ? list : tuple, PySequence_Fast_GET_SIZE(value)) || !leaf(value)) return false;
        for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(value); i++)
            if (!item(PySequence_Fast_GET_ITEM(value, i), depth + 1)) return false;
        return true;
    }

    bool items(PyObject *value, int depth) {
        if (!put(dict, PyDict_GET_SIZE(value)) || !leaf(value)) return false;
        PyObject *key, *held;
        for (Py_ssize_t at = 0; PyDict_Next(value, &at, &key, &held);)
            if (!PyUnicode_CheckExact(key) || !word(key) || !item(held, depth + 1)) return false;
        return true;
    }

    // Returns true if key_of says nothing of an object but its type. An object may pass for one of another class.
    static bool known_by_type(PyTypeObject *type) {
        if (is_one_of(type, not_by_type)) return false;
        if (!(type->tp_flags & Py_TPFLAGS_HEAPTYPE)) return true;
        static PyObject *passing = PyUnicode_InternFromString("__class__");
        static PyObject *asking = PyUnicode_InternFromString("__getattribute__");
        const bool usual = type->tp_getattro == PyObject_GenericGetAttr;
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(type->tp_mro); i++) {
            auto *base = reinterpret_cast<PyTypeObject *>(PyTuple_GET_ITEM(type->tp_mro, i));
            if (!(base->tp_flags & Py_TPFLAGS_HEAPTYPE)) continue;
            int found = PyDict_Contains(base->tp_dict, passing);
            if (!found && !usual) found = PyDict_Contains(base->tp_dict, asking);
            if (found) return found < 0 ? cleared() : false;
        }
        return true;
    }
};

// signature(args): (text, leaves), or None.
PyObject *signature(PyObject *, PyObject *args) {
    if (!PyTuple_CheckExact(args)) {
        PyErr_SetString(PyExc_TypeError, "signature takes a tuple");
        return nullptr;
    }
    Signature found;
    if (!found.of(reinterpret_cast<PyTupleObject *>(args)->ob_item, PyTuple_GET_SIZE(args))) Py_RETURN_NONE;
    PyObject *leaves = PyList_New(Py_ssize_t(found.leaves.size));
    for (size_t i = 0; leaves && i < found.leaves.size; i++)
        PyList_SET_ITEM(leaves, Py_ssize_t(i), Py_NewRef(found.leaves.data()[i]));
    return leaves ? Py_BuildValue("(y#N)", found.text.data(), Py_ssize_t(found.text.size), leaves) : nullptr;
}

// deciding(types, classes, other classes, owners): instances of the first two count by value; the type says too little
// of the others; methods of the last count by their name.
PyObject *deciding(PyObject *, PyObject *args) {
    PyObject *types, *classes, *others, *own;
    if (!PyArg_ParseTuple(args, "O!O!O!O!", &PyFrozenSet_Type, &types, &PyTuple_Type, &classes, &PyTuple_Type, &others,
                          &PyFrozenSet_Type, &own))
        return nullptr;
    Py_XSETREF(by_value, Py_NewRef(types));
    Py_XSETREF(classes_by_value, Py_NewRef(classes));
    Py_XSETREF(not_by_type, Py_NewRef(others));
    Py_XSETREF(owners, Py_NewRef(own));
    Py_RETURN_NONE;
}

}  // namespace
