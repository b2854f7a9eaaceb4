// The least and the greatest value of ints, by which nests of loops check places of items before their first trip.
#pragma once

#include "arrays.h"

namespace npl {

// Bounds that are not known are those of all ints: no place is within an axis then.
struct span {
    int64_t least, most;
};
constexpr span unknown_span{INT64_MIN, INT64_MAX};

static inline span only(int64_t value) { return {value, value}; }
static inline span hull(span one, span other) {
    return {one.least < other.least ? one.least : other.least, one.most > other.most ? one.most : other.most};
}
// An int that trips also move from places of another span, by a step that is above 0.
static inline span moved_up(span one, span from, span step) {
    int64_t most;
    if (__builtin_add_overflow(from.most, step.most, &most)) return {one.least, INT64_MAX};
    return {one.least, one.most > most ? one.most : most};
}
static inline span moved_down(span one, span from, span step) {
    int64_t least;
    if (__builtin_sub_overflow(from.least, step.most, &least)) return {INT64_MIN, one.most};
    return {one.least < least ? one.least : least, one.most};
}
static inline bool is_known(span one) { return one.least != INT64_MIN || one.most != INT64_MAX; }
static inline span add_spans(span one, span other) {
    span answer;
    if (__builtin_add_overflow(one.least, other.least, &answer.least) |
        __builtin_add_overflow(one.most, other.most, &answer.most))
        return unknown_span;
    return answer;
}
static inline span subtract_spans(span one, span other) {
    span answer;
    if (__builtin_sub_overflow(one.least, other.most, &answer.least) |
        __builtin_sub_overflow(one.most, other.least, &answer.most))
        return unknown_span;
    return answer;
}
static inline span multiply_spans(span one, span other) {
    int64_t corners[4];
    if (__builtin_mul_overflow(one.least, other.least, corners) | __builtin_mul_overflow(one.least, other.most, corners + 1) |
        __builtin_mul_overflow(one.most, other.least, corners + 2) | __builtin_mul_overflow(one.most, other.most, corners + 3))
        return unknown_span;
    return hull(hull(only(corners[0]), only(corners[1])), hull(only(corners[2]), only(corners[3])));
}
static inline int64_t floor_of(int64_t a, int64_t b) { return a / b - (a % b < 0); }
static inline span divide_spans(span one, span other) {
    if (other.least <= 0) return unknown_span;
    return hull(hull(only(floor_of(one.least, other.least)), only(floor_of(one.least, other.most))),
                hull(only(floor_of(one.most, other.least)), only(floor_of(one.most, other.most))));
}
static inline span rest_spans(span one, span other) {
    if (other.least <= 0) return unknown_span;
    if (one.least >= 0 && one.most < other.least) return one;
    return {0, other.most - 1};
}
static inline span smallest_spans(span one, span other) {
    return {one.least < other.least ? one.least : other.least, one.most < other.most ? one.most : other.most};
}
static inline span largest_spans(span one, span other) {
    return {one.least > other.least ? one.least : other.least, one.most > other.most ? one.most : other.most};
}
// A bound that is beyond 64 bits says nothing. Where it wraps to the other end it says nothing, either.
static inline span at_least(span one, span other, int64_t shift) {
    int64_t least;
    if (__builtin_add_overflow(other.least, shift, &least) && shift < 0) return one;
    return {one.least > least ? one.least : least, one.most};
}
static inline span at_most(span one, span other, int64_t shift) {
    int64_t most;
    if (__builtin_add_overflow(other.most, shift, &most) && shift > 0) return one;
    return {one.least, one.most < most ? one.most : most};
}

// The numbers of ranges between bounds, and how many each of them has at most.
static inline span numbers_of(span start, span stop, bool backward) {
    const span last = add_spans(stop, only(backward ? 1 : -1));
    return backward ? span{last.least, start.most} : span{start.least, last.most};
}
static inline double trips_of(span numbers) {
    return numbers.least > numbers.most ? 0 : double(numbers.most) - double(numbers.least) + 1;
}
// Tells if an int that each trip moves takes so few values that the loop needs no poll.
static inline bool is_short(span one) {
    return uint64_t(one.most) - uint64_t(one.least) < uint64_t(most_without_poll);
}
static inline span numbers_left(const range &from, int64_t stride) {
    return hull(only(from.start + from.position * stride), only(from.start + (from.length - 1) * stride));
}

// Tells if all places are within an axis. Between bounds that leave no value there is none.
static inline bool within(span places, int64_t length) {
    return (places.least > places.most) | ((places.least >= 0) & (places.most < length));
}

}  // namespace npl
