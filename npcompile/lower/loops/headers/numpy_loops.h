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

static __attribute__((noinline, cold)) ufunc_loop find_loop(const char *of, const char *name, int operands, int item) {
    void *module = PyImport_ImportModule(of);
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

}  // namespace npl
