// Systems of linear equations, inverses and determinants by NumPy's own loops over LAPACK: the answers are NumPy's.
//
// The loops are those of the ufuncs in `numpy.linalg._umath_linalg`.
#pragma once
#include <cfenv>

#include "numpy_loops.h"
#include "whole.h"

namespace npl {

constexpr int64_t most_rows = 256;  // of larger matrices NumPy's call costs little, and lets other threads run

// Calls a loop on one matrix. Leaves where it is singular: the loop says that an operation was invalid.
static inline bool apply(const ufunc_loop &by, char **operands, const intptr_t *sizes, const intptr_t *steps) {
    std::feclearexcept(FE_INVALID);
    by(operands, sizes, steps);
    return std::fetestexcept(FE_INVALID) != 0;
}
template <bool packed>
static inline bool is_no_square(const array<double, 2, packed> &of) {
    return of.shape[0] != of.shape[1] || of.shape[0] == 0 || of.shape[0] > most_rows;
}
template <literal name, int operands>
static inline const ufunc_loop *lapack_loop() {
    return numpy_loop<"numpy.linalg._umath_linalg", name, double, operands>.get();
}

template <bool packed, bool packed_vector>
static bool solve(array<double, 1, true> &made, scratch &kept, const array<double, 2, packed> &matrix,
                  const array<double, 1, packed_vector> &vector) {
    const ufunc_loop *by = lapack_loop<"solve1", 3>();
    if (!by || is_no_square(matrix) || vector.shape[0] != matrix.shape[0] || make(vector.shape, made, kept)) return true;
    char *operands[] = {matrix.data, vector.data, made.data};
    const intptr_t sizes[] = {1, matrix.shape[0]};
    const intptr_t steps[] = {0, 0, 0, matrix.stride(0), matrix.stride(1), vector.stride(0), sizeof(double)};
    return apply(*by, operands, sizes, steps);
}
template <bool packed, bool other_packed>
static bool solve(array<double, 2, true> &made, scratch &kept, const array<double, 2, packed> &matrix,
                  const array<double, 2, other_packed> &other) {
    const ufunc_loop *by = lapack_loop<"solve", 3>();
    if (!by || is_no_square(matrix) || other.shape[0] != matrix.shape[0] || other.shape[1] == 0 ||
        other.shape[1] > most_rows || make(other.shape, made, kept))
        return true;
    char *operands[] = {matrix.data, other.data, made.data};
    const intptr_t sizes[] = {1, matrix.shape[0], other.shape[1]};
    const intptr_t steps[] = {0, 0, 0, matrix.stride(0), matrix.stride(1), other.stride(0), other.stride(1),
                              made.stride(0), made.stride(1)};
    return apply(*by, operands, sizes, steps);
}
template <bool packed>
static bool inverse(array<double, 2, true> &made, scratch &kept, const array<double, 2, packed> &matrix) {
    const ufunc_loop *by = lapack_loop<"inv", 2>();
    if (!by || is_no_square(matrix) || make(matrix.shape, made, kept)) return true;
    char *operands[] = {matrix.data, made.data};
    const intptr_t sizes[] = {1, matrix.shape[0]};
    const intptr_t steps[] = {0, 0, matrix.stride(0), matrix.stride(1), made.stride(0), made.stride(1)};
    return apply(*by, operands, sizes, steps);
}
template <bool packed>
static bool determinant(double &answer, const array<double, 2, packed> &matrix) {
    const ufunc_loop *by = lapack_loop<"det", 2>();
    if (!by || is_no_square(matrix)) return true;
    char *operands[] = {matrix.data, reinterpret_cast<char *>(&answer)};
    const intptr_t sizes[] = {1, matrix.shape[0]};
    const intptr_t steps[] = {0, 0, matrix.stride(0), matrix.stride(1)};
    return apply(*by, operands, sizes, steps);
}

// The product of two vectors in space. NumPy's answer is a view.
template <typename T, bool packed, bool other_packed>
static bool cross(array<T, 1, true> &made, scratch &kept, const array<T, 1, packed> &a, const array<T, 1, other_packed> &b) {
    if (a.shape[0] != 3 || b.shape[0] != 3 || make(a.shape, made, kept)) return true;
    for (int k = 0; k < 3; k++) {
        const int one = (k + 1) % 3, other = (k + 2) % 3;
        made.at(k) = subtract<T>(multiply<T>(a.at(one), b.at(other)), multiply<T>(a.at(other), b.at(one)));
    }
    made.itself = false;
    return false;
}

}  // namespace npl
