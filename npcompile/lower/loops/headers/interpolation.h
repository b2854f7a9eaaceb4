// NumPy's linear interpolation: of a function that is known at some places, and of quantiles.
#pragma once

#include "whole.h"

namespace npl {

// The last place whose number is not above a key, as NumPy looks for it; -1 or the length for keys beyond the ends.
template <bool packed>
static int64_t place_below(double key, const array<double, 1, packed> &among) {
    const int64_t length = among.shape[0];
    if (key > among.at(length - 1)) return length;
    if (key < among.at(0)) return -1;
    int64_t first = 0, end = length;
    if (length <= 4) {
        int64_t place = 1;
        while (place < length && key >= among.at(place)) place++;
        return place - 1;
    }
    constexpr int64_t near = 8;
    if (key < among.at(1)) {
        if (!(key < among.at(0))) return 0;
        end = 0;
    } else {
        if (key < among.at(2)) return 1;
        if (key < among.at(3)) return 2;
        first = 3;
        if (1 < length - near - 1 && key < among.at(1 + near)) end = 1 + near;
    }
    while (first < end) {
        const int64_t middle = first + ((end - first) >> 1);
        if (key >= among.at(middle)) first = middle + 1;
        else end = middle;
    }
    return first - 1;
}

template <bool packed, bool packed_values>
static bool interpolate(double &answer, double key, const array<double, 1, packed> &places,
                        const array<double, 1, packed_values> &values) {
    const int64_t length = places.shape[0];
    if (length < 2 || values.shape[0] != length) return true;
    if (key != key) {
        answer = key;
        return false;
    }
    const int64_t below = place_below(key, places);
    if (below == -1) answer = values.at(0);
    else if (below >= length - 1) answer = values.at(length - 1);
    else if (places.at(below) == key) answer = values.at(below);
    else {
        const double left = places.at(below), right = places.at(below + 1);
        const double low = values.at(below), high = values.at(below + 1), slope = (high - low) / (right - left);
        answer = slope * (key - left) + low;
        if (answer != answer) {
            answer = slope * (key - right) + high;
            if (answer != answer && low == high) answer = low;
        }
    }
    return false;
}

// Leaves where NumPy warns or raises, and for NaNs.
template <bool packed>
static bool quantile(double &answer, const array<double, 1, packed> &from, double part) {
    array<double, 1, true> made;
    scratch kept;
    const int64_t count = from.shape[0];
    if (count == 0 || !(part >= 0 && part <= 1) || sorted(made, kept, from)) return true;
    const double *items = reinterpret_cast<const double *>(made.data);
    if (items[count - 1] != items[count - 1]) return true;
    const double place = double(count - 1) * part;
    const bool is_last = place >= double(count - 1);
    const int64_t below = is_last ? count - 1 : int64_t(place);
    const double low = items[below], high = items[is_last ? below : below + 1];
    const double rest = is_last ? place + 1 : place - double(below), away = high - low;
    answer = rest >= 0.5 ? high - away * (1 - rest) : low + away * rest;
    return false;
}

}  // namespace npl
