// Replaces functions that torch's vector library does element by element by AVX-512 masks, for kernels.
#pragma once

#if !defined(NPC_NO_MASKS) && defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512BW__) && defined(__AVX512VL__)
namespace at::vec {
inline namespace CPU_CAPABILITY {

// A mask of 64-bit lanes is two registers where one of 32-bit lanes is one.
inline __m512i npc_narrow(__m512i low, __m512i high) {
    return _mm512_inserti64x4(
        _mm512_castsi256_si512(_mm512_cvtepi64_epi32(low)), _mm512_cvtepi64_epi32(high), 1);
}
inline __m512i npc_low(__m512i mask) { return _mm512_cvtepi32_epi64(_mm512_castsi512_si256(mask)); }
inline __m512i npc_high(__m512i mask) { return _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64(mask, 1)); }

template <>
struct VecMaskCast<int32_t, 1, double, 2> {
    static inline VecMask<int32_t, 1> apply(const VecMask<double, 2>& mask) {
        return VectorizedN<int32_t, 1>(Vectorized<int32_t>(
            npc_narrow(_mm512_castpd_si512(mask[0]), _mm512_castpd_si512(mask[1]))));
    }
};
template <>
struct VecMaskCast<int32_t, 1, int64_t, 2> {
    static inline VecMask<int32_t, 1> apply(const VecMask<int64_t, 2>& mask) {
        return VectorizedN<int32_t, 1>(Vectorized<int32_t>(npc_narrow(mask[0], mask[1])));
    }
};
template <>
struct VecMaskCast<double, 2, int32_t, 1> {
    static inline VecMask<double, 2> apply(const VecMask<int32_t, 1>& mask) {
        VectorizedN<double, 2> made;
        made[0] = _mm512_castsi512_pd(npc_low(mask[0]));
        made[1] = _mm512_castsi512_pd(npc_high(mask[0]));
        return made;
    }
};
template <>
struct VecMaskCast<int64_t, 2, int32_t, 1> {
    static inline VecMask<int64_t, 2> apply(const VecMask<int32_t, 1>& mask) {
        VectorizedN<int64_t, 2> made;
        made[0] = npc_low(mask[0]);
        made[1] = npc_high(mask[0]);
        return made;
    }
};

// To bytes of 0 and 1, in the low lanes of a vector of bool.
inline Vectorized<bool> npc_bools(__mmask16 bits) {
    alignas(64) bool lanes[Vectorized<bool>::size()] = {};
    _mm_store_si128(reinterpret_cast<__m128i*>(lanes), _mm_maskz_set1_epi8(bits, 1));
    return Vectorized<bool>::loadu(lanes);
}
template <>
struct VecMaskTo<bool, 1, int32_t, 1> {
    static inline VecMask<bool, 1> apply(const VecMask<int32_t, 1>& mask) {
        return VectorizedN<bool, 1>(npc_bools(_mm512_movepi32_mask(mask[0])));
    }
};
template <>
struct VecMaskTo<bool, 1, float, 1> {
    static inline VecMask<bool, 1> apply(const VecMask<float, 1>& mask) {
        return VectorizedN<bool, 1>(npc_bools(_mm512_movepi32_mask(_mm512_castps_si512(mask[0]))));
    }
};
template <>
struct VecMaskTo<bool, 1, int64_t, 2> {
    static inline VecMask<bool, 1> apply(const VecMask<int64_t, 2>& mask) {
        unsigned bits = _mm512_movepi64_mask(mask[0]) | unsigned(_mm512_movepi64_mask(mask[1])) << 8;
        return VectorizedN<bool, 1>(npc_bools(static_cast<__mmask16>(bits)));
    }
};
template <>
struct VecMaskTo<bool, 1, double, 2> {
    static inline VecMask<bool, 1> apply(const VecMask<double, 2>& mask) {
        unsigned low = _mm512_movepi64_mask(_mm512_castpd_si512(mask[0]));
        unsigned high = _mm512_movepi64_mask(_mm512_castpd_si512(mask[1]));
        return VectorizedN<bool, 1>(npc_bools(static_cast<__mmask16>(low | high << 8)));
    }
};

// From bools in memory: torch's own is a loop with a branch, 2.9 ns an element where they are mixed.
inline __m512i npc_mask(const bool* b, int count) {
    __m128i bytes = count == 16 ? _mm_loadu_si128(reinterpret_cast<const __m128i*>(b))
                                : _mm_maskz_loadu_epi8(static_cast<__mmask16>((1u << count) - 1), b);
    return _mm512_movm_epi32(_mm_test_epi8_mask(bytes, bytes));
}
#define NPC_MASK_FROM(U)                                                           \
    template <>                                                                    \
    template <>                                                                    \
    inline VecMask<float, 1> VecMask<float, 1>::from<U>(U * b, int count) {        \
        return VectorizedN<float, 1>(                                              \
            Vectorized<float>(_mm512_castsi512_ps(npc_mask(b, count))));           \
    }                                                                              \
    template <>                                                                    \
    template <>                                                                    \
    inline VecMask<float, 1> VecMask<float, 1>::from<U>(U * b) {                   \
        return VecMask<float, 1>::from(b, 16);                                     \
    }
NPC_MASK_FROM(bool)
NPC_MASK_FROM(const bool)
#undef NPC_MASK_FROM

// To bools in memory: torch's own goes by way of a vector of 64 of them, and waits for what it has just stored.
inline void npc_store(bool* b, int count, __mmask16 bits) {
    __m128i bytes = _mm_maskz_set1_epi8(bits, 1);
    if (count == 16) {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(b), bytes);
    } else {
        _mm_mask_storeu_epi8(b, static_cast<__mmask16>((1u << count) - 1), bytes);
    }
}
template <>
inline void VecMask<int32_t, 1>::store(bool* b, int count) {
    npc_store(b, count, _mm512_movepi32_mask(mask_[0]));
}
template <>
inline void VecMask<float, 1>::store(bool* b, int count) {
    npc_store(b, count, _mm512_movepi32_mask(_mm512_castps_si512(mask_[0])));
}
template <>
inline void VecMask<int64_t, 2>::store(bool* b, int count) {
    unsigned bits = _mm512_movepi64_mask(mask_[0]) | unsigned(_mm512_movepi64_mask(mask_[1])) << 8;
    npc_store(b, count, static_cast<__mmask16>(bits));
}
template <>
inline void VecMask<double, 2>::store(bool* b, int count) {
    unsigned low = _mm512_movepi64_mask(_mm512_castpd_si512(mask_[0]));
    unsigned high = _mm512_movepi64_mask(_mm512_castpd_si512(mask_[1]));
    npc_store(b, count, static_cast<__mmask16>(low | high << 8));
}

}  // namespace CPU_CAPABILITY
}  // namespace at::vec
#endif
