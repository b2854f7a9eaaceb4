// Ufuncs of all items of arrays by NumPy's own inner loops: they take several items at once where the processor can.
#pragma once
#include "maps.h"
#include "numpy_loops.h"

namespace npl {

// Replaces all items of an array that lies in memory without gaps. one: the function of an item.
template <literal name, typename T, int N, bool packed, typename F>
static void replace_items(const array<T, N, packed> &of, F one) {
    const int64_t count = of.size();
    T *items = reinterpret_cast<T *>(of.data);
    const ufunc_loop *by = numpy_loop<"numpy._core._multiarray_umath", name, T, 2>.get();
    if (!by) {
        for (int64_t place = 0; place < count; place++) items[place] = one(items[place]);
        return;
    }
    char *operands[] = {of.data, of.data};
    const intptr_t sizes[] = {count}, steps[] = {sizeof(T), sizeof(T)};
    (*by)(operands, sizes, steps);
}

// Replaces all items of an array by a function of them and of those of another one that lies in memory likewise.
template <literal name, typename T, int N, bool packed, typename F>
static void replace_items(const array<T, N, packed> &of, const array<T, N, packed> &other, F one) {
    const int64_t count = of.size();
    T *items = reinterpret_cast<T *>(of.data), *others = reinterpret_cast<T *>(other.data);
    const ufunc_loop *by = numpy_loop<"numpy._core._multiarray_umath", name, T, 3>.get();
    if (!by) {
        for (int64_t place = 0; place < count; place++) items[place] = one(items[place], others[place]);
        return;
    }
    char *operands[] = {of.data, other.data, of.data};
    const intptr_t sizes[] = {count}, steps[] = {sizeof(T), sizeof(T), sizeof(T)};
    (*by)(operands, sizes, steps);
}

// Replaces all items of an array by their powers, as `array ** exponent` does.
template <typename T, int N, bool packed>
static void replace_by_powers(const array<T, N, packed> &of, T exponent) {
    const int64_t count = of.size();
    T *items = reinterpret_cast<T *>(of.data);
    const bool by_others = exponent == 2 || exponent == 1 || exponent == T(0.5) || exponent == -1;
    const ufunc_loop *by = by_others ? nullptr : numpy_loop<"numpy._core._multiarray_umath", "power", T, 3>.get();
    if (!by) {
        for (int64_t place = 0; place < count; place++) items[place] = array_power<T, false>(items[place], exponent);
        return;
    }
    char *operands[] = {of.data, reinterpret_cast<char *>(&exponent), of.data};
    const intptr_t sizes[] = {count}, steps[] = {sizeof(T), 0, sizeof(T)};
    (*by)(operands, sizes, steps);
}

}  // namespace npl
