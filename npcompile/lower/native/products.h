// `rows = matrix @ right` and `columns = left @ matrix` for a matrix of R rows and C columns, which is read once. `left` may
// be `rows`. `parts` holds C sums for each thread. Included in the kernels of lower/plan/products.py.
template <typename T>
static void npc_products(const T* matrix, const T* right, const T* left, T* rows, T* columns, T* parts,
                         const int64_t R, const int64_t C, const int64_t stride) {
    using V = at::vec::Vectorized<T>;
    constexpr int64_t L = V::size();
    constexpr int64_t B = 8;  // rows that are in the cache when they are used again
    int64_t used = 1;
    #pragma omp parallel num_threads(1)
    {
        const int64_t number = omp_get_thread_num(), count = omp_get_num_threads();
        if (number == 0) used = count;
        const int64_t share = (R / B + count - 1) / count * B;
        const int64_t to = number + 1 == count ? R : std::min(R, (number + 1) * share);
        T* sum = parts + number * C;
        std::fill(sum, sum + C, T(0));
        for (int64_t row = std::min(R, number * share); row < to; row += B) {
            const int64_t n = std::min(B, to - row);
            const T* a = matrix + row * stride;
            T factors[B] = {};
            for (int64_t i = 0; i < n; i += 4) {
                V one[4] = {V(T(0)), V(T(0)), V(T(0)), V(T(0))}, two[4] = {V(T(0)), V(T(0)), V(T(0)), V(T(0))};
                const T* at[4];
                for (int k = 0; k < 4; k++) at[k] = a + std::min(i + k, n - 1) * stride;
                int64_t j = 0;
                for (; j + 2 * L <= C; j += 2 * L) {
                    const V x = V::loadu(right + j), y = V::loadu(right + j + L);
                    for (int k = 0; k < 4; k++) {
                        one[k] = at::vec::fmadd(V::loadu(at[k] + j), x, one[k]);
                        two[k] = at::vec::fmadd(V::loadu(at[k] + j + L), y, two[k]);
                    }
                }
                for (int k = 0; k < 4 && i + k < n; k++) {
                    T lanes[L], rest = 0;
                    (one[k] + two[k]).store(lanes);
                    for (int64_t l = 0; l < L; l++) rest += lanes[l];
                    for (int64_t l = j; l < C; l++) rest += at[k][l] * right[l];
                    rows[row + i + k] = rest;
                }
            }
            for (int64_t i = 0; i < n; i++) factors[i] = left[row + i];
            int64_t j = 0;
            for (; n == B && j + L <= C; j += L) {
                V one = V::loadu(sum + j), two = V(T(0));
                for (int64_t i = 0; i < B; i += 2) {
                    one = at::vec::fmadd(V::loadu(a + i * stride + j), V(factors[i]), one);
                    two = at::vec::fmadd(V::loadu(a + (i + 1) * stride + j), V(factors[i + 1]), two);
                }
                (one + two).store(sum + j);
            }
            for (; j < C; j++) {
                T total = 0;
                for (int64_t i = 0; i < n; i++) total += a[i * stride + j] * factors[i];
                sum[j] += total;
            }
        }
    }
    for (int64_t j = 0; j < C; j++) {
        T total = parts[j];
        for (int64_t i = 1; i < used; i++) total += parts[i * C + j];
        columns[j] = total;
    }
}
