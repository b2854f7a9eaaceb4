// Views of arrays by basic indexing.
#pragma once
#include "arrays.h"

namespace npl {

// A view begins with no axes.
template <typename From, typename To>
static inline void begin_view(const From &from, To &view) {
    view.data = from.data;
    view.owner = from.owner;
    view.memory = from.memory;
    view.itself = false;
}

// The bound of a slice, as Python takes it on an axis: from below `least` or above `most` it is that.
static inline int64_t clipped(int64_t bound, int64_t length, int64_t least, int64_t most) {
    if (bound < 0) bound += length;
    return bound < least ? least : bound > most ? most : bound;
}

// Adds the axis of a slice to a view. has_start, has_stop: the slice has these bounds.
template <bool has_start, bool has_stop, typename View>
static inline void cut(View &view, int axis, int64_t length, int64_t stride, int64_t start, int64_t stop, int64_t step) {
    int64_t count = 0;
    if (step > 0) {
        start = has_start ? clipped(start, length, 0, length) : 0;
        stop = has_stop ? clipped(stop, length, 0, length) : length;
        if (start < stop) count = step == 1 ? stop - start : (stop - start - 1) / step + 1;
    } else {
        start = has_start ? clipped(start, length, -1, length - 1) : length - 1;
        stop = has_stop ? clipped(stop, length, -1, length - 1) : -1;
        if (start > stop) count = int64_t(uint64_t(start - stop - 1) / (0 - uint64_t(step))) + 1;
    }
    if (count > 0) view.data += start * stride;
    view.shape[axis] = count;
    view.strides[axis] = stride * step;
}

}  // namespace npl
