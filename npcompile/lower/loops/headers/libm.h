// The C library's functions of floats, halves and complex numbers, by names that the compiler does not know.
//
// The compiler itself computes a call that it knows, of constants, while it compiles, and rounds it correctly; and
// it turns pow(x, 2) into x * x. Python and NumPy call the library, whose last digit may be another. Functions
// that are exact (sqrt, floor, fabs) are left to the compiler. Included by functions.h.
#pragma once

#include "scalars.h"

// Declares a function of the library for doubles and for floats, and npl::libm::name for both and for halves.
#define NPL_LIBM_1(name)                                                                      \
    extern "C" double npl_libm_##name(double) noexcept __asm__(#name) __attribute__((const)); \
    extern "C" float npl_libm_##name##f(float) noexcept __asm__(#name "f") __attribute__((const)); \
    namespace npl::libm {                                                                          \
    static inline double name(double x) { return npl_libm_##name(x); }                             \
    static inline float name(float x) { return npl_libm_##name##f(x); }                            \
    static inline half name(half x) { return narrow<half>(name(widen(x))); }                       \
    }
#define NPL_LIBM_2(name)                                                                                   \
    extern "C" double npl_libm_##name(double, double) noexcept __asm__(#name) __attribute__((const));      \
    extern "C" float npl_libm_##name##f(float, float) noexcept __asm__(#name "f") __attribute__((const));  \
    namespace npl::libm {                                                                                  \
    static inline double name(double x, double y) { return npl_libm_##name(x, y); }                        \
    static inline float name(float x, float y) { return npl_libm_##name##f(x, y); }                        \
    static inline half name(half x, half y) { return narrow<half>(name(widen(x), widen(y))); }             \
    }
// The same of the complex function `cname`.
#define NPL_LIBM_COMPLEX(name)                                                                                 \
    extern "C" __complex__ double npl_libm_c##name(__complex__ double) noexcept __asm__("c" #name);            \
    extern "C" __complex__ float npl_libm_c##name##f(__complex__ float) noexcept __asm__("c" #name "f");       \
    namespace npl::libm {                                                                                      \
    static inline complex<double> name(complex<double> x) { return of_c(npl_libm_c##name(to_c(x))); }          \
    static inline complex<float> name(complex<float> x) { return of_c(npl_libm_c##name##f(to_c(x))); }         \
    }

namespace npl::libm {

static inline __complex__ double to_c(complex<double> x) {
    __complex__ double answer;
    __real__ answer = x.real;
    __imag__ answer = x.imag;
    return answer;
}
static inline __complex__ float to_c(complex<float> x) {
    __complex__ float answer;
    __real__ answer = x.real;
    __imag__ answer = x.imag;
    return answer;
}
static inline complex<double> of_c(__complex__ double x) { return {__real__ x, __imag__ x}; }
static inline complex<float> of_c(__complex__ float x) { return {__real__ x, __imag__ x}; }

}  // namespace npl::libm

// The sine and the cosine together, by glibc's function for both, which computes each as the function for it alone.
// The compiler calls it once for two equal numbers, as it is pure and answers in registers.
extern "C" void npl_libm_sincos(double, double*, double*) noexcept __asm__("sincos");
namespace npl::libm {
__attribute__((const, noinline)) static __complex__ double cosine_and_sine(double x) {
    double sine, cosine;
    npl_libm_sincos(x, &sine, &cosine);
    return to_c(complex<double>{cosine, sine});
}
static inline double cos_of_both(double x) { return __real__ cosine_and_sine(x); }
static inline double sin_of_both(double x) { return __imag__ cosine_and_sine(x); }
}  // namespace npl::libm

NPL_LIBM_1(exp)
NPL_LIBM_1(exp2)
NPL_LIBM_1(expm1)
NPL_LIBM_1(log)
NPL_LIBM_1(log2)
NPL_LIBM_1(log10)
NPL_LIBM_1(log1p)
NPL_LIBM_1(sin)
NPL_LIBM_1(cos)
NPL_LIBM_1(tan)
NPL_LIBM_1(asin)
NPL_LIBM_1(acos)
NPL_LIBM_1(atan)
NPL_LIBM_1(sinh)
NPL_LIBM_1(cosh)
NPL_LIBM_1(tanh)
NPL_LIBM_1(asinh)
NPL_LIBM_1(acosh)
NPL_LIBM_1(atanh)
NPL_LIBM_1(cbrt)
NPL_LIBM_1(erf)
NPL_LIBM_1(erfc)
NPL_LIBM_2(atan2)
NPL_LIBM_2(hypot)
NPL_LIBM_2(fmod)
NPL_LIBM_2(pow)
NPL_LIBM_COMPLEX(exp)
NPL_LIBM_COMPLEX(log)
NPL_LIBM_COMPLEX(sqrt)
NPL_LIBM_COMPLEX(sin)
NPL_LIBM_COMPLEX(cos)
NPL_LIBM_COMPLEX(tan)
NPL_LIBM_COMPLEX(sinh)
NPL_LIBM_COMPLEX(cosh)
NPL_LIBM_COMPLEX(tanh)
NPL_LIBM_COMPLEX(asin)
NPL_LIBM_COMPLEX(acos)
NPL_LIBM_COMPLEX(atan)
NPL_LIBM_COMPLEX(asinh)
NPL_LIBM_COMPLEX(acosh)
NPL_LIBM_COMPLEX(atanh)

#undef NPL_LIBM_1
#undef NPL_LIBM_2
#undef NPL_LIBM_COMPLEX
