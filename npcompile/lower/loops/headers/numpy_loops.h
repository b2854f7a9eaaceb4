// The inner loops of NumPy's ufuncs over BLAS and LAPACK, as NumPy's C interface describes a ufunc's fields.
#pragma once
#include "numpy_sorts.h"

namespace npl {

// The fields of a ufunc object, as all versions of NumPy have them.
struct ufunc_object {
    head object;
    int inputs, outputs, operands, identity;
    void (**loops)(char **, const intptr_t *, const intptr_t *, void *);
    void **data;
    int types, reserved;
    const char *name, *codes;
};

// A ufunc's loop over items that are all of one type, null where there is none.
struct ufunc_loop {
    void (*loop)(char **, const intptr_t *, const intptr_t *, void *);
    void *data;

    void operator()(char **operands, const intptr_t *sizes, const intptr_t *steps) const { loop(operands, sizes, steps, data); }
};

static __attribute__((noinline, cold)) ufunc_loop find_loop(const char *module_name, const char *name, int operands, int item) {
    void *module = PyImport_ImportModule(module_name);
    if (failed(module)) return {};
    void *found = PyObject_GetAttrString(module, name);
    Py_DecRef(module);
    if (failed(found)) return {};
    const auto ufunc = static_cast<ufunc_object *>(found);
    ufunc_loop made{};
    if (ufunc->operands == operands)
        for (int type = 0; type < ufunc->types && !made.loop; type++) {
            bool fits = true;
            for (int k = 0; k < operands; k++) fits &= ufunc->codes[type * operands + k] == item;
            if (fits) made = {ufunc->loops[type], ufunc->data ? ufunc->data[type] : nullptr};
        }
    return made;  // the module keeps the ufunc
}

// A loop that native code may need. It is looked for when it is needed first, and before threads share trips, as only
// the thread that holds Python's lock can.
class needed_loop {
    static inline needed_loop *last = nullptr;
    const char *module_name, *name;
    const int operands, item;
    ufunc_loop found{};
    bool asked = false;
    needed_loop *const before;

    void find() { found = find_loop(module_name, name, operands, item), asked = true; }

public:
    // When the library is loaded.
    needed_loop(const char *module_name, const char *name, int operands, int item)
        : module_name(module_name), name(name), operands(operands), item(item), before(last) {
        last = this;
    }

    const ufunc_loop *get() {
        if (!asked && !in_round) [[unlikely]] find();
        return found.loop ? &found : nullptr;
    }
    static void find_all() {
        for (needed_loop *one = last; one; one = one->before)
            if (!one->asked) one->find();
    }
};

template <size_t size>
struct literal {
    char text[size];
    consteval literal(const char (&given)[size]) {
        for (size_t k = 0; k < size; k++) text[k] = given[k];
    }
};
template <literal module_name, literal name, typename T, int operands>
inline needed_loop numpy_loop{module_name.text, name.text, operands, numpy_type<T>()};

}  // namespace npl
