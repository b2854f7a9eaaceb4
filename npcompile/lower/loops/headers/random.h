// Generators of random numbers: NumPy's own functions draw from NumPy's own states.
//
// `npcompile/lower/loops/codegen/random_code.py` writes calls of these functions. The states are those of the objects that
// Python holds, whose locks are held while native code runs (`frontend/loops/run/generators.py`).
#pragma once

#include "arrays.h"

namespace npl {

struct bitgen {  // `numpy/random/bitgen.h`
    void *state;
    uint64_t (*next_uint64)(void *);
    uint32_t (*next_uint32)(void *);
    double (*next_double)(void *);
    uint64_t (*next_raw)(void *);
};

struct generator {
    int64_t object;
    bitgen *bits;
};

// `numpy/random/distributions.h`, in NumPy's library `npyrandom`
extern "C" {
double random_uniform(bitgen *bits, double low, double range);
double random_standard_normal(bitgen *bits);
double random_normal(bitgen *bits, double loc, double scale);
double random_standard_exponential(bitgen *bits);
double random_exponential(bitgen *bits, double scale);
void random_bounded_uint64_fill(
    bitgen *bits, uint64_t low, uint64_t range, int64_t count, bool masked, uint64_t *out);
}

// Each leaves, and returns true, where NumPy raises, before it has drawn anything.

static inline bool draw_random(const generator &source, double &answer) {
    answer = source.bits->next_double(source.bits->state);
    return false;
}
static inline bool draw_standard_normal(const generator &source, double &answer) {
    answer = random_standard_normal(source.bits);
    return false;
}
static inline bool draw_standard_exponential(const generator &source, double &answer) {
    answer = random_standard_exponential(source.bits);
    return false;
}
static inline bool draw_normal(const generator &source, double loc, double scale, double &answer) {
    if (!(scale >= 0) || __builtin_signbit(scale)) return true;
    answer = random_normal(source.bits, loc, scale);
    return false;
}
static inline bool draw_exponential(const generator &source, double scale, double &answer) {
    if (!(scale >= 0) || __builtin_signbit(scale)) return true;
    answer = random_exponential(source.bits, scale);
    return false;
}
static inline bool draw_uniform(const generator &source, double low, double high, double &answer) {
    const double range = high - low;
    if (!__builtin_isfinite(range) || __builtin_signbit(range)) return true;
    answer = random_uniform(source.bits, low, range);
    return false;
}
static inline bool draw_integers(const generator &source, int64_t low, int64_t high, int64_t &answer) {
    if (low >= high) return true;
    uint64_t drawn;
    random_bounded_uint64_fill(source.bits, uint64_t(low), uint64_t(high - 1) - uint64_t(low), 1, false, &drawn);
    answer = int64_t(drawn);
    return false;
}
static inline bool draw_masked_integers(const generator &source, int64_t low, int64_t high, int64_t &answer) {
    if (low >= high) return true;
    uint64_t drawn;
    random_bounded_uint64_fill(source.bits, uint64_t(low), uint64_t(high - 1) - uint64_t(low), 1, true, &drawn);
    answer = int64_t(drawn);
    return false;
}

// Fills an array. Leaves for none, as NumPy looks at the arguments then, too.
template <typename T, int N, typename Draw>
static inline bool fill_by(const array<T, N, true> &made, Draw draw) {
    const int64_t count = made.size();
    T *items = reinterpret_cast<T *>(made.data);
    for (int64_t place = 0; place < count; place++)
        if (draw(items[place])) return true;
    return count == 0;
}

// -- exchange with Python by words ------------------------------------------------------------------------

template <>
constexpr int64_t words_of<generator> = 2;
static inline int64_t load(const int64_t *words, generator &value) {
    value = {words[0], reinterpret_cast<bitgen *>(words[1])};
    return 2;
}
static inline int64_t save(int64_t *words, const generator &value) {
    words[0] = value.object;
    words[1] = reinterpret_cast<int64_t>(value.bits);
    return 2;
}

}  // namespace npl
