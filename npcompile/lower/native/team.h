// The team: the threads that share a kernel's parallel regions.
//
// It replaces OpenMP's, whose threads wait by spinning and depend on each other: on a core that another process, or
// another library's spinning thread, holds, a share that waits for its turn delays the whole kernel for 4 to 20
// milliseconds. Here the calling thread runs every share that no other thread has begun: sharing costs little more than
// waking the others, and a thread that waits sleeps after a moment. Kernels call it through regions.h.
#pragma once
#include <pthread.h>
#include <signal.h>
#include <time.h>

#include <atomic>
#include <cstdint>

namespace {

typedef void (*Share)(void *region, unsigned number);

inline int64_t nanoseconds() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return int64_t(now.tv_sec) * 1000000000 + now.tv_nsec;
}

inline void pause_a_little() {
    for (int i = 0; i < 32; i++) {
#if defined(__x86_64__)
        __builtin_ia32_pause();
#else
        asm volatile("" ::: "memory");
#endif
    }
}

class Team {
  public:
    // Runs share(region, 0) to share(region, count - 1), number 0 on this thread. One region at a time: a sum's last digits
    // depend on how many threads share it, and may not depend on how many threads of Python ask. Returns false if the
    // system has no threads to give.
    bool run(Share share, void *region, unsigned count) {
        pthread_mutex_lock(&turn);
        if (!enough(count - 1)) {
            pthread_mutex_unlock(&turn);
            return false;
        }
        this->share = share;
        this->region = region;
        left.store(count, std::memory_order_relaxed);
        singles.store(0, std::memory_order_relaxed);
        generation++;
        ticket.store(uint64_t(generation) << 32 | uint64_t(count) << 16 | 1);
        if (asleep.load()) {
            pthread_mutex_lock(&lock);
            pthread_cond_broadcast(&wake);
            pthread_mutex_unlock(&lock);
        }
        share(region, 0);
        unsigned done = 1;
        while (claim([&](unsigned number) { share(region, number); })) done++;
        if (left.fetch_sub(done) != done) {
            wait(finished, [&] { return left.load() == 0; });
        }
        pthread_mutex_unlock(&turn);
        return true;
    }

    // Waits until all shares have reached the same barrier.
    void barrier(unsigned count) {
        const unsigned now = phase.load();
        if (arrived.fetch_add(1) + 1 == count) {
            arrived.store(0);
            phase.fetch_add(1);
            notify();
        } else {
            wait(finished, [&] { return phase.load() != now; });
        }
    }

    // Returns true if this share runs the region's single statement `place` (from 0).
    bool single(unsigned place) { return singles.compare_exchange_strong(place, place + 1); }

  private:
    static constexpr int64_t SPIN = 30000;  // nanoseconds until a waiting thread sleeps: about the time that waking takes

    std::atomic<uint64_t> ticket{0};  // generation, count of shares, the next share that nobody has begun
    std::atomic<unsigned> left{0}, arrived{0}, phase{0}, singles{0}, asleep{0}, waiting{0};
    Share share = nullptr;
    void *region = nullptr;
    uint32_t generation = 0;
    unsigned workers = 0;
    pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER, lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t wake = PTHREAD_COND_INITIALIZER, finished = PTHREAD_COND_INITIALIZER;

    // Runs the next share, if there is one. `run` does not return meanwhile.
    template <typename Body>
    bool claim(Body body) {
        uint64_t now = ticket.load();
        while ((now & 0xffff) < (now >> 16 & 0xffff))
            if (ticket.compare_exchange_weak(now, now + 1)) {
                body(unsigned(now & 0xffff));
                return true;
            }
        return false;
    }

    template <typename Ready>
    void wait(pthread_cond_t &condition, Ready ready) {
        const int64_t until = nanoseconds() + SPIN;
        while (!ready()) {
            if (nanoseconds() < until) {
                pause_a_little();
                continue;
            }
            pthread_mutex_lock(&lock);
            waiting.fetch_add(1);
            while (!ready()) pthread_cond_wait(&condition, &lock);
            waiting.fetch_sub(1);
            pthread_mutex_unlock(&lock);
        }
    }

    void notify() {
        if (!waiting.load()) return;
        pthread_mutex_lock(&lock);
        pthread_cond_broadcast(&finished);
        pthread_mutex_unlock(&lock);
    }

    void work() {
        for (;;) {
            const uint64_t seen = ticket.load();
            while (claim([&](unsigned number) { share(region, number); }))
                if (left.fetch_sub(1) == 1) notify();
            const int64_t until = nanoseconds() + SPIN;
            while (ticket.load() == seen) {
                if (nanoseconds() < until) {
                    pause_a_little();
                    continue;
                }
                pthread_mutex_lock(&lock);
                asleep.fetch_add(1);
                while (ticket.load() == seen) pthread_cond_wait(&wake, &lock);
                asleep.fetch_sub(1);
                pthread_mutex_unlock(&lock);
            }
        }
    }

    static void *begin(void *team) {
        static_cast<Team *>(team)->work();
        return nullptr;
    }

    // Starts workers up to this number. Signals are for the threads that Python knows.
    bool enough(unsigned wanted) {
        while (workers < wanted) {
            sigset_t all, before;
            sigfillset(&all);
            pthread_sigmask(SIG_SETMASK, &all, &before);
            pthread_t thread;
            const bool made = pthread_create(&thread, nullptr, begin, this) == 0;
            pthread_sigmask(SIG_SETMASK, &before, nullptr);
            if (!made) return false;
            pthread_detach(thread);
            workers++;
        }
        return true;
    }
};

Team *team = new Team;  // never deleted: its threads end with the process

// The functions that a kernel's library is given.
struct TeamCalls {
    bool (*run)(Share, void *, unsigned);
    void (*barrier)(unsigned);
    bool (*single)(unsigned);
};
const TeamCalls team_calls = {
    [](Share share, void *region, unsigned count) { return team->run(share, region, count); },
    [](unsigned count) { team->barrier(count); },
    [](unsigned place) { return team->single(place); },
};

}  // namespace
