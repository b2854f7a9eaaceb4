// What the memory allows: to[i] = from[i] + 1 for count doubles, written by hand, stored past the caches.
#include <cstddef>
#ifdef __SSE2__
#include <immintrin.h>
#endif

extern "C" void add_one(const double* from, double* to, size_t count, int threads) {
#pragma omp parallel for num_threads(threads) schedule(static)
    for (size_t i = 0; i < count / 8; i++)
        for (size_t j = 8 * i; j < 8 * i + 8; j += 2) {
#ifdef __SSE2__
            _mm_stream_pd(to + j, _mm_add_pd(_mm_loadu_pd(from + j), _mm_set1_pd(1)));
#else
            to[j] = from[j] + 1, to[j + 1] = from[j + 1] + 1;
#endif
        }
    for (size_t i = count / 8 * 8; i < count; i++) to[i] = from[i] + 1;
}
