// Every second number of memory, as vectors: the real or the imaginary parts of complex numbers.
#pragma once

namespace at::vec {
inline namespace CPU_CAPABILITY {

template <typename T>
inline Vectorized<T> npc_load_second(const T* from) {
    __at_align__ T lanes[Vectorized<T>::size()];
    for (int i = 0; i < Vectorized<T>::size(); i++) lanes[i] = from[2 * i];
    return Vectorized<T>::loadu(lanes);
}
template <typename T>
inline void npc_store_second(T* to, const Vectorized<T>& values) {
    __at_align__ T lanes[Vectorized<T>::size()];
    values.store(lanes);
    for (int i = 0; i < Vectorized<T>::size(); i++) to[2 * i] = lanes[i];
}

#if defined(__AVX512F__)
// Numbers that are masked out are not touched: after the last number the memory may end.
template <>
inline Vectorized<double> npc_load_second(const double* from) {
    const __m512i second = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
    return _mm512_permutex2var_pd(
        _mm512_maskz_loadu_pd(0x55, from), second, _mm512_maskz_loadu_pd(0x55, from + 8));
}
template <>
inline Vectorized<float> npc_load_second(const float* from) {
    const __m512i second = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    return _mm512_permutex2var_ps(
        _mm512_maskz_loadu_ps(0x5555, from), second, _mm512_maskz_loadu_ps(0x5555, from + 16));
}
template <>
inline void npc_store_second(double* to, const Vectorized<double>& values) {
    const __m512d all = values;
    const __m512d high = _mm512_castpd256_pd512(_mm512_extractf64x4_pd(all, 1));
    _mm512_mask_storeu_pd(to, 0x55, _mm512_maskz_expand_pd(0x55, all));
    _mm512_mask_storeu_pd(to + 8, 0x55, _mm512_maskz_expand_pd(0x55, high));
}
template <>
inline void npc_store_second(float* to, const Vectorized<float>& values) {
    const __m512 all = values;
    const __m512 high =
        _mm512_castpd_ps(_mm512_castpd256_pd512(_mm512_extractf64x4_pd(_mm512_castps_pd(all), 1)));
    _mm512_mask_storeu_ps(to, 0x5555, _mm512_maskz_expand_ps(0x5555, all));
    _mm512_mask_storeu_ps(to + 16, 0x5555, _mm512_maskz_expand_ps(0x5555, high));
}
#endif

template <typename T, int N>
struct NpcSeconds {
    static inline VectorizedN<T, N> load(const T* from) {
        VectorizedN<T, N> made;
        for (int i = 0; i < N; i++) made[i] = npc_load_second<T>(from + 2 * i * Vectorized<T>::size());
        return made;
    }
    static inline void store(T* to, const VectorizedN<T, N>& values) {
        for (int i = 0; i < N; i++) npc_store_second<T>(to + 2 * i * Vectorized<T>::size(), values[i]);
    }
};
template <typename T>
struct NpcSeconds<T, 1> {
    static inline Vectorized<T> load(const T* from) { return npc_load_second<T>(from); }
    static inline void store(T* to, const Vectorized<T>& values) { npc_store_second<T>(to, values); }
};

}  // namespace CPU_CAPABILITY
}  // namespace at::vec
