// Ufuncs of all items of arrays by NumPy's own inner loops: they take several items at once where the processor can.
#pragma once
#include "maps.h"
#include "numpy_loops.h"

namespace npl {

// An operand of a loop: an array that lies in memory without gaps, or a number that stands for all items.
template <typename T, int N, bool packed>
static inline T *first_of(const array<T, N, packed> &of) { return reinterpret_cast<T *>(of.data); }
template <typename T>
static inline const T *first_of(const T &number) { return &number; }
template <typename T, int N, bool packed>
constexpr int64_t moves_by(const array<T, N, packed> &) { return 1; }
template <typename T>
constexpr int64_t moves_by(const T &) { return 0; }

// Replaces all items of an array by a function of them, and of the other operands' items. one: that of one item.
template <literal name, typename F, typename T, int N, bool packed, typename... Others>
static void replace_items(F one, const array<T, N, packed> &of, const Others &...others) {
    const int64_t count = of.size();
    T *const items = first_of(of);
    const ufunc_loop *by = numpy_loop<"numpy._core._multiarray_umath", name, T, 2 + sizeof...(Others)>.get();
    if (!by) {
        for (int64_t place = 0; place < count; place++)
            items[place] = one(items[place], first_of(others)[place * moves_by(others)]...);
        return;
    }
    char *operands[] = {of.data, const_cast<char *>(reinterpret_cast<const char *>(first_of(others)))..., of.data};
    const intptr_t sizes[] = {count}, size = sizeof(T), steps[] = {size, size * moves_by(others)..., size};
    (*by)(operands, sizes, steps);
}

// Replaces all items of an array by their powers, as `array ** exponent` does.
template <typename T, int N, bool packed>
static void replace_by_powers(const array<T, N, packed> &of, T exponent) {
    const auto one = [](T item, T by) { return array_power<T, false>(item, by); };
    if (exponent != 2 && exponent != 1 && exponent != T(0.5) && exponent != -1)
        return replace_items<"power">(one, of, exponent);
    T *const items = first_of(of);
    for (int64_t place = 0, count = of.size(); place < count; place++) items[place] = one(items[place], exponent);
}

}  // namespace npl
