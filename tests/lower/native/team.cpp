// Regions with loops, single statements and barriers, shared by the team: prints "right" or what went wrong.
#define NPC_EXPORT extern "C" __attribute__((visibility("default")))
#include "team.h"
#include "regions.h"

#include <omp.h>

#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

static void check(bool right, const char *what, int threads, int trip) {
    if (right) return;
    std::printf("%s with %d threads, trip %d\n", what, threads, trip);
    std::exit(1);
}

static void regions(int threads, int trips) {
    for (int trip = 0; trip < trips; trip++) {
        const int count = 1000 + trip % 97;
        std::vector<long> a(count), b(count), parts(threads);
        long sum = 0, singles = 0, total = 0, expected = 0;
#pragma omp parallel num_threads(threads)
        {
#pragma omp for
            for (int i = 0; i < count; i++) a[i] = i + trip;
#pragma omp single
            {
                for (long value : a) sum += value;
                singles++;
            }
#pragma omp for
            for (int i = 0; i < count; i++) b[i] = a[count - 1 - i] + sum;
#pragma omp single
            singles++;
        }
#pragma omp parallel num_threads(threads)
        {
            long part = 0;
#pragma omp for
            for (int i = 0; i < count; i++) part += b[i];
            parts[omp_get_thread_num()] = part;
        }
        for (long part : parts) total += part;
        for (int i = 0; i < count; i++) expected += i + trip;
        check(sum == expected, "sum", threads, trip);
        check(singles == 2, "single", threads, trip);
        check(total == sum * (count + 1), "total", threads, trip);
    }
}

int main() {
    npc_team = reinterpret_cast<const npc_team_calls *>(&team_calls);
    for (int threads : {1, 2, 3, 7}) regions(threads, 300);
    std::vector<std::thread> callers;  // by turns
    for (int i = 0; i < 4; i++) callers.emplace_back(regions, 3, 300);
    for (std::thread &caller : callers) caller.join();
    std::puts("right");
}
