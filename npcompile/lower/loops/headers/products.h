// Products of matrices and vectors: small ones by loops of their own, larger ones by NumPy's own loop over BLAS.
#pragma once
#include "numpy_loops.h"
#include "reductions.h"

namespace npl {

template <typename T> NPL_INLINE complex<T> mirrored(complex<T> item) { return {item.real, -item.imag}; }

// Products of so many items, or more, are BLAS's: with a vector, and of two matrices.
constexpr int64_t many_products = 1 << 10, many_of_matrices = 1 << 9;
// From here on NumPy's call costs little, and lets other threads run.
constexpr int64_t most_products = 1 << 24;
constexpr int64_t few_products = 32;  // up to here each sum is made by itself: the way of rows begins slowly

// A row of an array of two axes.
template <typename T, bool packed>
NPL_INLINE array<T, 1, packed> row_of(const array<T, 2, packed> &of, int64_t place) {
    array<T, 1, packed> row;
    begin_view(of, row);
    row.data += place * of.strides[0];
    row.shape[0] = of.shape[1];
    row.strides[0] = of.stride(1);
    return row;
}
template <typename T, bool packed>
NPL_INLINE array<T, 1, false> column_of(const array<T, 2, packed> &of, int64_t place) {
    array<T, 1, false> column;
    begin_view(of, column);
    column.data += place * of.stride(1);
    column.shape[0] = of.shape[0];
    column.strides[0] = of.strides[0];
    return column;
}

// Stores, to items side by side, the sums of a matrix's rows, each item of a row by its product with the vector's.
template <typename T, typename F, typename Matrix, typename Vector>
NPL_INLINE bool weighted_rows(T *to, F product_of, const Matrix &matrix, const Vector &vector) {
    const int64_t count = matrix.shape[0], width = matrix.shape[1];
    using C = computed<T>;
    if (count * width <= few_products) {
        for (int64_t column = 0; column < width; column++) {
            C sum{};
            for (int64_t row = 0; row < count; row++) sum = add(sum, product_of(matrix.at(row, column), vector.at(row)));
            to[column] = narrow<T>(sum);
        }
        return false;
    }
    // In the order of memory.
    scratch kept;
    array<C, 1, true> sums;
    if constexpr (std::is_same_v<C, T>) {
        lay_out(&width, sums);
        sums.data = reinterpret_cast<char *>(to);
    } else if (make(&width, sums, kept)) return true;
    C *total = reinterpret_cast<C *>(sums.data);
    for (int64_t place = 0; place < width; place++) total[place] = C{};
    for (int64_t row = 0; row < count; row++) {
        const auto weight = vector.at(row);
        map<1>(&width, [=](C sum, auto item) { return add(sum, product_of(item, weight)); }, spread<1>(sums, &width),
               spread<1>(sums, &width), spread<1>(row_of(matrix, row), &width));
    }
    if constexpr (!std::is_same_v<C, T>)
        for (int64_t place = 0; place < width; place++) to[place] = narrow<T>(total[place]);
    return false;
}

// A factor of a product as `np.matmul` sees it: a vector is a matrix of one row, or of one column.
struct factor {
    char *data;
    int64_t rows, columns;
    intptr_t down, along;  // bytes from a row to the next, and within a row
};
template <typename T, bool packed>
NPL_INLINE factor as_matrix(const array<T, 2, packed> &of) {
    return {of.data, of.shape[0], of.shape[1], of.stride(0), of.stride(1)};
}
template <typename T, bool packed>
NPL_INLINE factor as_row(const array<T, 1, packed> &of) {
    return {of.data, 1, of.shape[0], of.shape[0] * of.stride(0), of.stride(0)};
}
template <typename T, bool packed>
NPL_INLINE factor as_column(const array<T, 1, packed> &of) {
    return {of.data, of.shape[0], 1, of.stride(0), 0};
}

// Tells if BLAS takes a matrix as it lies in memory, or a vector: NumPy's loop makes others item by item.
template <typename T>
static inline bool lies_for_blas(const factor &of) {
    const intptr_t size = sizeof(T);
    if (of.down % size || of.along % size) return false;
    if (of.rows == 1) return of.along > 0;
    if (of.columns == 1) return of.down > 0;
    return (of.along == size && of.down >= of.columns * size) || (of.down == size && of.along >= of.rows * size);
}

// Makes a product by NumPy's loop, in memory that lies by rows; tells if it has.
template <typename T>
static __attribute__((noinline)) bool by_blas(char *made, factor left, factor right) {
    if (in_round || !lies_for_blas<T>(left) || !lies_for_blas<T>(right)) return false;
    const ufunc_loop *by = numpy_loop<"numpy._core._multiarray_umath", "matmul", T, 3>.get();
    if (!by) return false;
    char *operands[] = {left.data, right.data, made};
    const intptr_t sizes[] = {1, left.rows, left.columns, right.columns}, size = sizeof(T);
    const intptr_t steps[] = {0, 0, 0, left.down, left.along, right.down, right.along, right.columns * size, size};
    (*by)(operands, sizes, steps);
    return true;
}

// Makes a product by BLAS where it is a large one of items of a type that BLAS has; tells if it has.
template <typename Left, typename Right, typename T, int N>
NPL_INLINE bool made_by_blas(const array<T, N, true> &made, int64_t many, const factor &left, const factor &right) {
    if constexpr (std::is_same_v<Left, T> && std::is_same_v<Right, T> && !half_type<T>)
        return left.rows * left.columns * right.columns >= many && by_blas<T>(made.data, left, right);
    return false;
}

template <typename T, typename F, typename Left, bool a, typename Right, bool b>
static bool matmul(array<T, 1, true> &made, scratch &kept, F f, const array<Left, 2, a> &left, const array<Right, 1, b> &right) {
    if (left.shape[1] != right.shape[0] || make(&left.shape[0], made, kept)) return true;
    if (made_by_blas<Left, Right>(made, many_products, as_matrix(left), as_column(right))) return false;
    const int64_t rows = left.shape[0], step = left.strides[0] < 0 ? -left.strides[0] : left.strides[0];
    if (step < left.stride(1)) {  // the columns lie in memory one behind the other
        array<Left, 2, false> turned;
        begin_view(left, turned);
        turned.shape[0] = left.shape[1], turned.shape[1] = left.shape[0];
        turned.strides[0] = left.stride(1), turned.strides[1] = left.strides[0];
        return weighted_rows(reinterpret_cast<T *>(made.data), f, turned, right);
    }
    for (int64_t row = 0; row < rows; row++)
        dot(reinterpret_cast<T *>(made.data)[row], f, row_of(left, row), right);
    return false;
}

template <typename T, typename F, typename Left, bool a, typename Right, bool b>
static bool matmul(array<T, 1, true> &made, scratch &kept, F f, const array<Left, 1, a> &left, const array<Right, 2, b> &right) {
    if (left.shape[0] != right.shape[0] || make(&right.shape[1], made, kept)) return true;
    if (made_by_blas<Left, Right>(made, many_products, as_row(left), as_matrix(right))) return false;
    const auto flipped = [=](auto item, auto weight) { return f(weight, item); };
    const int64_t columns = right.shape[1], step = right.strides[0] < 0 ? -right.strides[0] : right.strides[0];
    if (step >= right.stride(1)) return weighted_rows(reinterpret_cast<T *>(made.data), flipped, right, left);
    for (int64_t column = 0; column < columns; column++)
        dot(reinterpret_cast<T *>(made.data)[column], f, left, column_of(right, column));
    return false;
}

template <typename T, typename F, typename Left, bool a, typename Right, bool b>
static bool matmul(array<T, 2, true> &made, scratch &kept, F f, const array<Left, 2, a> &left, const array<Right, 2, b> &right) {
    if (left.shape[1] != right.shape[0]) return true;
    const int64_t shape[] = {left.shape[0], right.shape[1]}, inner = left.shape[1];
    if (shape[0] * shape[1] > most_products || shape[0] * shape[1] * inner > most_products) return true;
    if (make(shape, made, kept)) return true;
    if (made_by_blas<Left, Right>(made, many_of_matrices, as_matrix(left), as_matrix(right))) return false;
    const auto flipped = [=](auto item, auto weight) { return f(weight, item); };
    T *to = reinterpret_cast<T *>(made.data);
    for (int64_t row = 0; row < shape[0]; row++)
        if (weighted_rows(to + row * shape[1], flipped, right, row_of(left, row))) return true;
    return false;
}

}  // namespace npl
