// NumPy's own functions that sort items and find their order: so items that are equal come as NumPy gives them.
// The functions are those of `PyArray_ArrFuncs` in NumPy's C interface, from version 2.0 on.
#pragma once

#include "lists.h"

extern "C" {
void *PyCapsule_GetPointer(void *, const char *);
}

namespace npl {

enum class sorting { quick = 0, stable = 2 };

struct numpy_sorts {
    int (*sort)(void *items, intptr_t count, void *);
    int (*order)(void *items, intptr_t *order, intptr_t count, void *);
};

template <typename T>
constexpr int numpy_type() {
    if constexpr (std::is_same_v<T, bool>) return 0;
    if constexpr (std::is_same_v<T, int8_t>) return 1;
    if constexpr (std::is_same_v<T, uint8_t>) return 2;
    if constexpr (std::is_same_v<T, int16_t>) return 3;
    if constexpr (std::is_same_v<T, uint16_t>) return 4;
    if constexpr (std::is_same_v<T, int32_t>) return 5;
    if constexpr (std::is_same_v<T, uint32_t>) return 6;
    if constexpr (std::is_same_v<T, int64_t>) return 7;
    if constexpr (std::is_same_v<T, uint64_t>) return 8;
    if constexpr (std::is_same_v<T, float>) return 11;
    if constexpr (std::is_same_v<T, double>) return 12;
    if constexpr (std::is_same_v<T, complex<float>>) return 14;
    if constexpr (std::is_same_v<T, complex<double>>) return 15;
    return 23;  // half
}

// The functions of one type of items; null where they are not found.
static __attribute__((noinline, cold)) numpy_sorts find_sorts(int type, sorting kind) {
    constexpr int descr_from_type = 45, functions_of = 365, before_sorts = 21 + 12, kinds = 3;
    numpy_sorts found{};
    void *module = PyImport_ImportModule("numpy._core._multiarray_umath");
    if (failed(module)) return found;
    void *capsule = PyObject_GetAttrString(module, "_ARRAY_API");
    Py_DecRef(module);
    if (failed(capsule)) return found;
    void **const table = static_cast<void **>(PyCapsule_GetPointer(capsule, nullptr));
    Py_DecRef(capsule);
    if (failed(table)) return found;
    void *descr = reinterpret_cast<void *(*)(int)>(table[descr_from_type])(type);
    if (failed(descr)) return found;
    void **const functions = reinterpret_cast<void **(*)(void *)>(table[functions_of])(descr);
    Py_DecRef(descr);
    if (failed(functions)) return found;
    found.sort = reinterpret_cast<decltype(found.sort)>(functions[before_sorts + int(kind)]);
    found.order = reinterpret_cast<decltype(found.order)>(functions[before_sorts + kinds + int(kind)]);
    return found;
}

template <typename T, sorting kind>
static inline const numpy_sorts *sorts() {
    static numpy_sorts found{};
    static bool asked = false;
    if (!asked && !in_round) found = find_sorts(numpy_type<T>(), kind), asked = true;
    return found.sort && found.order ? &found : nullptr;
}

}  // namespace npl
