// Decides if threads share a kernel's runs by timing some of them, alone and then shared.
//
// Estimates of fused operations are off by up to thirty times, too much to decide by. Included by kernel.h.
#pragma once
#include <algorithm>
#include <cstdint>

namespace {

// The caller of any method holds the interpreter's lock.
class Trial {
  public:
    // Tell if the next run is to be timed, and if it is to be shared.
    bool timed() const { return !rest; }
    bool shared() const { return rest ? faster : done >= RUNS; }

    // Notes a run that was not timed.
    void ran() { rest -= rest > 0; }

    // Notes the time of a run.
    void took(int64_t time) {
        if (rest) return;
        times[done++] = time;
        if (done == RUNS && median(times) < WORTH) end(false);
        if (done == 2 * RUNS) end(median(times + RUNS) * 10 < median(times) * 9);
    }

  private:
    static constexpr unsigned RUNS = 8, MOST = 1 << 16;
    static constexpr int64_t WORTH = 20000;  // nanoseconds: a second thread costs one or two thousand when it is awake

    int64_t times[2 * RUNS];
    unsigned done = 0;
    bool faster = false;
    // Runs until it is tried again, longer each time: another core may have been busy, with compilations of ours too.
    unsigned rest = 0, next = 64;

    void end(bool found) {
        faster = found;
        done = 0;
        rest = next;
        next = std::min(2 * next, MOST);
    }

    static int64_t median(const int64_t *first) {
        int64_t sorted[RUNS];
        std::copy(first, first + RUNS, sorted);
        std::nth_element(sorted, sorted + RUNS / 2, sorted + RUNS);
        return sorted[RUNS / 2];
    }
};

}  // namespace
