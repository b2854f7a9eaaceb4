// Functions of whole arrays: reductions along an axis, running sums, sorting, medians and search.
#pragma once

#include "numpy_sorts.h"
#include "reductions.h"

namespace npl {

// -- reductions along one of two axes ------------------------------------------------------------------------

enum class reduction { sum, mean, prod, min, max, argmin, argmax, any, all };

// in_order: NumPy adds the items one after the other, as they do not lie side by side.
template <reduction what, typename T, typename Answer, typename Source>
static bool reduce(Answer &answer, const Source &source, int64_t length, bool in_order) {
    if constexpr (what == reduction::sum || what == reduction::mean) {
        if (what == reduction::mean && length == 0) return true;
        if constexpr (integer_type<T>) {
            sum_row<T> row;
            row(source, length);
            answer = row.sum;
        } else if (in_order) {
            T sum = T(-0.0);
            for (int64_t place = 0; place < length; place++) sum += source(place);
            answer = sum;
        } else answer = sum_in_pairs<T>(source, 0, length);
        if constexpr (what == reduction::mean) answer = answer / T(length);
        else if (length == 0) answer = 0;
    } else if constexpr (what == reduction::prod) {
        product_row<T> row;
        row(source, length);
        answer = row.product;
    } else if constexpr (what == reduction::min || what == reduction::max) {
        if (length == 0) return true;
        extreme_row<T, what == reduction::min> row;
        row(source, length);
        answer = row.has_nan ? row.nan : row.extreme;
    } else if constexpr (what == reduction::argmin || what == reduction::argmax) {
        if (length == 0) return true;
        place_row<T, what == reduction::argmin> row;
        row(source, length);
        answer = row.found;
    } else {
        truth_row<what == reduction::any> row;
        row(source, length);
        answer = what == reduction::any ? row.found : !row.found;
    }
    return false;
}

// Items are converted to T first. keeps: the result has the axis, of length one.
template <reduction what, typename T, int axis, bool keeps, typename Answer, typename Item, bool packed>
static bool along(array<Answer, 1 + keeps, true> &made, scratch &kept, const array<Item, 2, packed> &from) {
    const int64_t count = from.shape[1 - axis], length = from.shape[axis];
    int64_t shape[1 + keeps];
    if (keeps && exact::abs(from.stride(0)) < exact::abs(from.stride(1))) return true;  // the result is laid out so, too
    if constexpr (keeps) shape[axis] = 1, shape[1 - axis] = count;
    else shape[0] = count;
    if (make(shape, made, kept)) return true;
    const int64_t step = from.stride(axis), next = from.stride(1 - axis);
    const bool in_order = count != 1 && (axis == 0 ? exact::abs(next) <= exact::abs(step) : exact::abs(next) < exact::abs(step));
    for (int64_t place = 0; place < count; place++) {
        const char *data = from.data + place * next;
        const auto source = [=](int64_t at) { return cast<T>(*reinterpret_cast<const Item *>(data + at * step)); };
        if (reduce<what, T>(reinterpret_cast<Answer *>(made.data)[place], source, length, in_order)) return true;
    }
    return false;
}

// -- running sums --------------------------------------------------------------------------------------------

template <bool adds, typename T, typename Item, bool packed>
static bool accumulate(array<T, 1, true> &made, scratch &kept, const array<Item, 1, packed> &from) {
    if (make(from.shape, made, kept)) return true;
    T *to = reinterpret_cast<T *>(made.data);
    for (int64_t place = 0; place < from.shape[0]; place++) {
        const T item = cast<T>(from.at(place));
        to[place] = place == 0 ? item : adds ? add(to[place - 1], item) : multiply(to[place - 1], item);
    }
    return false;
}

// -- order ---------------------------------------------------------------------------------------------------

// NaN comes last.
template <typename T>
NPL_INLINE bool sorts_before(T one, T other) {
    return one < other || (other != other && one == one);
}

// The items of an array in the order of C, in new memory.
template <typename T, typename Item, int N, bool packed>
static bool flatten(array<T, 1, true> &made, scratch &kept, const array<Item, N, packed> &from) {
    const int64_t size = from.size();
    if (make(&size, made, kept)) return true;
    T *to = reinterpret_cast<T *>(made.data);
    int64_t at[N] = {};
    for (int64_t place = 0; place < size; place++) {
        const char *data = from.data;
        for (int axis = 0; axis < N; axis++) data += at[axis] * from.stride(axis);
        to[place] = T(*reinterpret_cast<const Item *>(data));
        for (int axis = N - 1; axis >= 0 && ++at[axis] == from.shape[axis]; axis--) at[axis] = 0;
    }
    return false;
}

// A view of all items where they lie side by side, else a copy.
template <typename T, int N, bool packed>
static bool ravel(array<T, 1, true> &made, scratch &kept, const array<T, N, packed> &from) {
    int64_t size = 1;
    bool dense = true;
    for (int axis = N - 1; axis >= 0; axis--) {
        dense &= from.shape[axis] == 1 || from.stride(axis) == size * int64_t(sizeof(T));
        size *= from.shape[axis];
    }
    if (!dense && size != 0) return flatten(made, kept, from);
    made.data = from.data;
    made.owner = from.owner;
    made.memory = from.memory;
    made.itself = false;
    made.shape[0] = size;
    made.strides[0] = sizeof(T);
    return false;
}

// Each run of so many items is sorted by insertion; then neighbours are merged. Tells if there is no memory.
template <typename T>
static bool sort_items(T *items, int64_t count) {
    constexpr int64_t run = 16;
    for (int64_t start = 0; start < count; start += run) {
        const int64_t stop = start + run < count ? start + run : count;
        for (int64_t end = start + 1; end < stop; end++) {
            const T item = items[end];
            int64_t place = end;
            for (; place > start && sorts_before(item, items[place - 1]); place--) items[place] = items[place - 1];
            items[place] = item;
        }
    }
    if (count <= run) return false;
    T *const buffer = static_cast<T *>(std::malloc(count * sizeof(T)));
    if (!buffer) return true;
    T *from = items, *to = buffer;
    for (int64_t length = run; length < count; length *= 2, std::swap(from, to))
        for (int64_t start = 0; start < count; start += 2 * length) {
            const int64_t middle = start + length < count ? start + length : count;
            const int64_t stop = middle + length < count ? middle + length : count;
            int64_t left = start, right = middle;
            for (int64_t place = start; place < stop; place++) {
                const bool from_right = left == middle || (right < stop && sorts_before(from[right], from[left]));
                to[place] = from_right ? from[right++] : from[left++];
            }
        }
    if (from != items) std::memcpy(items, from, count * sizeof(T));
    std::free(buffer);
    return false;
}

// By NumPy's function, which sorts by vectors, where it is known.
template <typename T, int N, bool packed>
static bool sorted(array<T, 1, true> &made, scratch &kept, const array<T, N, packed> &from) {
    if (flatten(made, kept, from)) return true;
    const numpy_sorts *const by = sorts<T, sorting::quick>();
    if (by) return by->sort(made.data, made.shape[0], nullptr) != 0;
    return sort_items(reinterpret_cast<T *>(made.data), made.shape[0]);
}

// As NumPy sorts by default: two zeros of different signs are equal, too.
template <typename T, int N, bool packed>
static bool numpy_sorted(array<T, 1, true> &made, scratch &kept, const array<T, N, packed> &from) {
    const numpy_sorts *const by = sorts<T, sorting::quick>();
    return !by || flatten(made, kept, from) || by->sort(made.data, made.shape[0], nullptr) != 0;
}

template <sorting kind, typename T, bool packed>
static bool argsort(array<int64_t, 1, true> &made, scratch &kept, const array<T, 1, packed> &from) {
    array<T, 1, true> items;
    scratch copied;
    const numpy_sorts *const by = sorts<T, kind>();
    if (!by || flatten(items, copied, from) || make(from.shape, made, kept)) return true;
    int64_t *order = reinterpret_cast<int64_t *>(made.data);
    for (int64_t place = 0; place < from.shape[0]; place++) order[place] = place;
    return by->order(items.data, order, from.shape[0], nullptr) != 0;
}

// The ints that differ, in order.
template <typename T, int N, bool packed>
static bool unique(array<T, 1, true> &made, scratch &kept, const array<T, N, packed> &from) {
    array<T, 1, true> items;
    scratch copied;
    if (numpy_sorted(items, copied, from)) return true;
    const T *all = reinterpret_cast<const T *>(items.data);
    const auto is_new = [&](int64_t place) { return place == 0 || all[place] != all[place - 1]; };
    int64_t count = 0, next = 0;
    for (int64_t place = 0; place < items.shape[0]; place++) count += is_new(place);
    if (make(&count, made, kept)) return true;
    for (int64_t place = 0; next < count; place++)
        if (is_new(place)) reinterpret_cast<T *>(made.data)[next++] = all[place];
    return false;
}

template <typename T, bool packed>
static bool sort_in_place(const array<T, 1, packed> &target) {
    array<T, 1, true> made;
    scratch kept;
    if (numpy_sorted(made, kept, target)) return true;
    for (int64_t place = 0; place < target.shape[0]; place++) target.at(place) = made.at(place);
    return false;
}

// Leaves for no items, as NumPy warns.
template <typename T, typename Item, int N, bool packed>
static bool median(T &answer, const array<Item, N, packed> &from) {
    array<Item, 1, true> made;
    scratch kept;
    const int64_t count = from.size();
    if (count == 0 || sorted(made, kept, from)) return true;
    const Item *items = reinterpret_cast<const Item *>(made.data);
    if (items[count - 1] != items[count - 1]) return true;
    const T middle = T(items[count / 2]);
    answer = count % 2 ? middle : (T(items[count / 2 - 1]) + middle) / T(2);
    return false;
}

template <typename T, bool right, typename Item, bool packed>
static bool search(int64_t &answer, const array<Item, 1, packed> &among, T key) {
    int64_t first = 0, end = among.shape[0];
    while (first < end) {
        const int64_t middle = first + ((end - first) >> 1);
        const T item = cast<T>(among.at(middle));
        if (right ? !sorts_before(key, item) : sorts_before(item, key)) first = middle + 1;
        else end = middle;
    }
    answer = first;
    return false;
}

}  // namespace npl
