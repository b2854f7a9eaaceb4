// Functions of floats that have one right answer, in namespace npl::exact: the compiler has them without <cmath>.
// Headers of the C++ library that are long (<cmath>, <algorithm>, <immintrin.h>) are not included anywhere here:
// reading them takes longer than compiling most loops.
#pragma once

namespace npl::exact {

constexpr double pi = 0x1.921fb54442d18p+1, ln2 = 0x1.62e42fefa39efp-1, log2e = 0x1.71547652b82fep+0;

template <class T> static inline bool isnan(T x) { return __builtin_isnan(x); }
template <class T> static inline bool isinf(T x) { return __builtin_isinf(x); }
template <class T> static inline bool isfinite(T x) { return __builtin_isfinite(x); }
template <class T> static inline bool signbit(T x) { return __builtin_signbit(x); }
template <class T> static inline T abs(T x) { return x < 0 ? -x : x; }  // of ints

#define NPL_EXACT_1(name)                                                    \
    static inline double name(double x) { return __builtin_##name(x); }      \
    static inline float name(float x) { return __builtin_##name##f(x); }
#define NPL_EXACT_2(name)                                                                 \
    static inline double name(double x, double y) { return __builtin_##name(x, y); }      \
    static inline float name(float x, float y) { return __builtin_##name##f(x, y); }
NPL_EXACT_1(fabs)
NPL_EXACT_1(floor)
NPL_EXACT_1(trunc)
NPL_EXACT_1(sqrt)
NPL_EXACT_2(copysign)
NPL_EXACT_2(fmod)
NPL_EXACT_2(nextafter)
#undef NPL_EXACT_1
#undef NPL_EXACT_2

static inline double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
static inline float fma(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
static inline double ldexp(double x, int exponent) { return __builtin_ldexp(x, exponent); }
static inline int ilogb(double x) { return __builtin_ilogb(x); }

#ifdef __F16C__
typedef short eight_shorts __attribute__((vector_size(16)));
typedef float four_floats __attribute__((vector_size(16)));
static inline float half_to_float(short bits) { return __builtin_ia32_vcvtph2ps(eight_shorts{bits})[0]; }
static inline short float_to_half(float x) { return __builtin_ia32_vcvtps2ph(four_floats{x}, 0)[0]; }
#endif

}  // namespace npl::exact
