// Products of matrices and vectors.
#pragma once
#include "reductions.h"

namespace npl {

template <typename T> NPL_INLINE complex<T> mirrored(complex<T> item) { return {item.real, -item.imag}; }

constexpr int64_t most_products = 1 << 18;  // from here on a product of matrices is NumPy's, by its library
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

template <typename T, typename F, typename Matrix, typename Vector>
NPL_INLINE bool make_weighted_rows(array<T, 1, true> &made, scratch &kept, F product_of, const Matrix &matrix, const Vector &vector) {
    if (make(&matrix.shape[1], made, kept)) return true;
    return weighted_rows(reinterpret_cast<T *>(made.data), product_of, matrix, vector);
}

template <typename T, typename F, typename Left, bool a, typename Right, bool b>
static bool matmul(array<T, 1, true> &made, scratch &kept, F f, const array<Left, 2, a> &left, const array<Right, 1, b> &right) {
    if (left.shape[1] != right.shape[0]) return true;
    const int64_t rows = left.shape[0], step = left.strides[0] < 0 ? -left.strides[0] : left.strides[0];
    if (step < left.stride(1)) {  // the columns lie in memory one behind the other
        array<Left, 2, false> turned;
        begin_view(left, turned);
        turned.shape[0] = left.shape[1], turned.shape[1] = left.shape[0];
        turned.strides[0] = left.stride(1), turned.strides[1] = left.strides[0];
        return make_weighted_rows(made, kept, f, turned, right);
    }
    if (make(&rows, made, kept)) return true;
    for (int64_t row = 0; row < rows; row++)
        dot(reinterpret_cast<T *>(made.data)[row], f, row_of(left, row), right);
    return false;
}

template <typename T, typename F, typename Left, bool a, typename Right, bool b>
static bool matmul(array<T, 1, true> &made, scratch &kept, F f, const array<Left, 1, a> &left, const array<Right, 2, b> &right) {
    if (left.shape[0] != right.shape[0]) return true;
    const auto flipped = [=](auto item, auto weight) { return f(weight, item); };
    const int64_t step = right.strides[0] < 0 ? -right.strides[0] : right.strides[0];
    if (step >= right.stride(1)) return make_weighted_rows(made, kept, flipped, right, left);
    const int64_t columns = right.shape[1];
    if (make(&columns, made, kept)) return true;
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
    const auto flipped = [=](auto item, auto weight) { return f(weight, item); };
    T *to = reinterpret_cast<T *>(made.data);
    for (int64_t row = 0; row < shape[0]; row++)
        if (weighted_rows(to + row * shape[1], flipped, right, row_of(left, row))) return true;
    return false;
}

}  // namespace npl
