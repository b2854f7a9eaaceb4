// Loops whose trips threads share: when that pays, rounds of trips, and how a round is undone.
//
// Trips are done in rounds of some milliseconds. A thread that has no answer for a trip stops its round: what the round
// stored is taken back, and the loop goes on with one thread, which leaves at the place where Python has to go on. So
// between rounds the state is always the one after the first trips. No thread calls Python within a round.
#pragma once

#include "maps.h"
#include "numpy_loops.h"

extern "C" {
int PyOS_InterruptOccurred(void);
void PyErr_SetInterrupt(void);

// The process's threads (lower/native/team.h), and how many of them share a loop; set before each entry.
struct npl_team_calls {
    bool (*run)(void (*)(void *, unsigned), void *, unsigned);
    void (*barrier)(unsigned);
    bool (*single)(unsigned);
};
struct npl_threads_given {
    const npl_team_calls *team;
    int64_t count;
    double worth;    // nanoseconds that are left of a loop whose trips threads begin to share; 0: they always do
    int64_t rounds;  // those that were begun
};
__attribute__((visibility("default"))) npl_threads_given npl_threads = {nullptr, 1, 0, 0};
}

namespace npl {

constexpr double looking = 0.1;          // of the time that is worth sharing: then the time of trips is known
constexpr double round_takes = 2e6;      // nanoseconds that a round is to take
constexpr double longest_trip = 5e8;     // nanoseconds: other threads of Python wait for a round's end
constexpr double chunk_takes = 50e3;     // nanoseconds of the trips that a thread takes at a time
constexpr int64_t most_saved = 64 << 20; // bytes that a round may have to take back
constexpr int64_t most_failed = 3;       // rounds that were taken back, after which a loop has one thread for good
constexpr double least_gain = 1.1;       // of a round, by threads: else one thread does some of the next rounds
constexpr double clear_gain = 1.3;       // of a round after which nothing more can be measured
constexpr int64_t most_rests = 63;       // rounds that one thread then does at most, each time twice as many

// The outcome of one loop's rounds. rests: rounds that one thread is to do; rested: how many it last had to.
struct history {
    int64_t failed = 0, rests = 0, rested = 0;
    void gained(bool something) {
        rested = something ? rested / 2 : 2 * rested + 1;
        if (rested > most_rests) rested = most_rests;
        rests = something ? 0 : rested;
    }
};

// Lets a thread treat floats as the one that entered the loop does, which may take small ones for zero.
struct float_mode {
#if defined(__x86_64__)
    const unsigned before = __builtin_ia32_stmxcsr();
    explicit float_mode(unsigned wanted) { __builtin_ia32_ldmxcsr(wanted); }
    ~float_mode() { __builtin_ia32_ldmxcsr(before); }
    static unsigned now() { return __builtin_ia32_stmxcsr(); }
#else
    explicit float_mode(unsigned) {}
    static unsigned now() { return 0; }
#endif
};

// The time that a loop's trips take for one thread, as measured at trips 1, 2, 4, 8 and so on.
//
// Threads may gain nothing: where the processor is shared with others, or waits for memory. A round that seems to have
// gained nothing leaves a doubt, as later trips may just take longer: some trips after it are measured, too.
struct pace {
    history &past;
    int64_t next = 0, from = 0;  // the trip at which to look again, and the one at which measuring began
    double began = 0, each = 0;
    enum { measures, doubts, rests } state = measures;
    int64_t count = 0;  // trips of the round in doubt, and its time
    double spent = 0;

    // Tells if threads are to share the trips that are left.
    __attribute__((noinline)) bool pays(range numbers) {
        const int64_t place = numbers.position, left = numbers.length - place;
        const bool begins = place == 0 || next == 0;
        const double worth = npl_threads.worth;
        next = INT64_MAX;
        if (npl_threads.count < 2 || !npl_threads.team || left < 2 || past.failed >= most_failed) return false;
        if (begins) {
            state = measures;
            if (each > 0) {
                if (each > longest_trip || each * double(left) < looking * worth) return false;
                if (each * double(left) >= worth) return goes_on(left);
            }
            measure(place, 1);
            return false;
        }
        const double taken = now() - began, before = each;
        const int64_t done = place - from;
        each = taken / double(done);
        if (each > longest_trip) return false;
        if (state == measures) {
            next = place + done;
            return taken >= looking * worth && each * double(left) >= worth && goes_on(left);
        }
        if (each * double(left) < worth) return false;
        if (state == doubts && (before + each) / 2 * double(count) <= least_gain * spent) {
            past.gained(false);
            measure(place, past.rested * count);
            state = rests;
            return false;
        }
        if (state == doubts) past.gained(true);
        state = measures, past.rests = 0;
        return true;
    }

    void measure(int64_t place, int64_t trips) { began = now(), from = place, next = place + trips; }

    // Tells if threads share so many trips: few of them may have one thread, as threads have gained nothing of late.
    bool goes_on(int64_t trips) {
        if (past.rests == 0 || npl_threads.worth == 0 || each * double(trips) > 2 * round_takes) return true;
        past.rests--;
        next = INT64_MAX;
        return false;
    }
};

// The items of an array that trips store, of each trip those at one place of an axis.
struct rows {
    char *data;
    int64_t step, item, trip;  // bytes from a trip's items to the next one's, of an item, and of a trip's items
    int axes;
    int64_t shape[most_axes], strides[most_axes];  // of the other axes
    bool there;  // the first and the last place are, so that all are

    template <bool restores>
    char *copy(int axis, char *place, char *saved) const {
        if (axis == axes || (axis == axes - 1 && strides[axis] == item)) {
            const int64_t bytes = axis == axes ? item : item * shape[axis];
            if (restores)
                std::memcpy(place, saved, size_t(bytes));
            else
                std::memcpy(saved, place, size_t(bytes));
            return saved + bytes;
        }
        for (int64_t at = 0; at < shape[axis]; at++)
            saved = copy<restores>(axis + 1, place + at * strides[axis], saved);
        return saved;
    }
    template <bool restores>
    void copy_trips(int64_t first, int64_t count, char *saved) const {
        if (axes == 0 && step == item) {
            if (restores)
                std::memcpy(data + first * step, saved, size_t(count * item));
            else
                std::memcpy(saved, data + first * step, size_t(count * item));
            return;
        }
        for (int64_t at = first; at < first + count; at++) saved = copy<restores>(0, data + at * step, saved);
    }
};

// The items that `trips` trips store: the first one's at place `first` of an axis, the others' each `step` further.
template <typename T, int N, bool packed>
static rows rows_of(const array<T, N, packed> &of, int axis, __int128 first, __int128 step, int64_t trips) {
    const __int128 last = first + step * (trips - 1), length = of.shape[axis];
    rows made{};
    made.there = first >= 0 && first < length && last >= 0 && last < length && N <= most_axes;
    if (!made.there) return made;
    made.data = of.data + int64_t(first) * of.stride(axis);
    made.step = int64_t(step) * of.stride(axis);
    made.item = made.trip = sizeof(T);
    for (int other = 0; other < N; other++) {
        if (other == axis) continue;
        made.shape[made.axes] = of.shape[other];
        made.strides[made.axes++] = of.stride(other);
        made.trip *= of.shape[other];
    }
    return made;
}

// Tells if no two items of an array have memory in common, by its strides.
template <typename T, int N, bool packed>
static bool items_apart(const array<T, N, packed> &of) {
    int order[N ? N : 1];
    int64_t sizes[N ? N : 1];
    for (int axis = 0; axis < N; axis++) {
        sizes[axis] = of.stride(axis) < 0 ? -of.stride(axis) : of.stride(axis);
        int place = axis;
        for (; place > 0 && sizes[order[place - 1]] > sizes[axis]; place--) order[place] = order[place - 1];
        order[place] = axis;
    }
    int64_t taken = sizeof(T);
    for (int place = 0; place < N; place++) {
        const int64_t length = of.shape[order[place]], size = sizes[order[place]];
        if (length <= 1) continue;
        if (size < taken) return false;
        taken += (length - 1) * size;
    }
    return true;
}

// The rounds of one loop. Trips are counted from the first one that is shared.
struct sharing {
    pace &times;
    const int64_t start;
    const rows *stored;
    const int kinds;
    int64_t trips, done = 0, count = 0, size;  // count: trips of the round at hand; size: of the next one
    int64_t grain = 1, bytes = 0, room = 0;    // bytes: those that a trip may store
    int64_t next_trip = 0;                     // the first trip of the round that no thread has begun
    int64_t own_trips = 0;                     // those of the round that the thread did that entered the loop
    double own = 0;                            // the time that it took for them
    int stop = 0, held = 0;
    const unsigned floats = float_mode::now();
    bool asked = false;  // a signal stopped the round
    double began = 0;
    char *saved = nullptr;

    sharing(pace &given, const range &numbers, const rows *those, int many)
        : times(given), start(numbers.position), stored(those), kinds(many), trips(numbers.length - numbers.position) {
        for (int kind = 0; kind < kinds; kind++) bytes += stored[kind].trip;
        size = times.each > 0 ? int64_t(round_takes / times.each) : 1;
        times.past.rests = 0;
        times.next = INT64_MAX;
    }
    ~sharing() { std::free(saved); }
    sharing(const sharing &) = delete;

    // Tells if trips can be shared: all items are there, and saving them takes little of their time.
    bool possible() const {
        for (int kind = 0; kind < kinds; kind++)
            if (!stored[kind].there) return false;
        return bytes <= most_saved && double(bytes) * 0.1 < times.each * 0.5;
    }

    // Begins a round, of at least a trip for each thread; tells if there is one. Where the last round is in doubt, one
    // thread goes on for a while, and its trips' time is measured.
    bool next() {
        if (done == trips) return false;
        if (times.state == pace::doubts) {
            times.measure(start + done, count / 8 + 1);
            return false;
        }
        count = size < npl_threads.count ? npl_threads.count : size;
        if (bytes && count > most_saved / bytes) count = most_saved / bytes;
        if (count < 1) count = 1;
        if (count > trips - done) count = trips - done;
        grain = times.each > 0 ? int64_t(chunk_takes / times.each) : 1;
        if (grain > count / (4 * npl_threads.count)) grain = count / (4 * npl_threads.count);
        if (grain < 1) grain = 1;
        if (count * bytes > room) {
            std::free(saved);
            room = count * bytes;
            saved = static_cast<char *>(std::malloc(size_t(room)));
            if (!saved) return false;
        }
        next_trip = 0, stop = 0;
        return true;
    }

    // Tells a thread if it is to stop, and looks for Ctrl-C. own: the thread is the one that entered the loop.
    bool asks_to_stop(int64_t &left, bool own) {
        left = trips_between_polls / 4;
        return keeping_registers(own ? looks_for_stop<true> : looks_for_stop<false>, this);
    }
    template <bool own>
    static __attribute__((noinline, cold)) bool looks_for_stop(void *given) {
        sharing &self = *static_cast<sharing *>(given);
        if (own && now() - self.began > 4 * round_takes && PyOS_InterruptOccurred()) {
            PyErr_SetInterrupt();  // it is looked at after the round
            self.asked = true;
            __atomic_store_n(&self.stop, 1, __ATOMIC_RELAXED);
        }
        return __atomic_load_n(&self.stop, __ATOMIC_RELAXED);
    }

    void save(int64_t first, int64_t many) {
        char *place = saved + first * bytes;
        for (int kind = 0; kind < kinds; kind++) {
            stored[kind].copy_trips<false>(done + first, many, place);
            place += many * stored[kind].trip;
        }
    }

    template <typename Trips>
    struct job {
        sharing &of;
        const Trips &trips_of;
        static void share(void *given, unsigned number) {
            job &self = *static_cast<job *>(given);
            sharing &of = self.of;
            const float_mode mode(of.floats);
            while (!__atomic_load_n(&of.stop, __ATOMIC_RELAXED)) {
                const int64_t first = __atomic_fetch_add(&of.next_trip, of.grain, __ATOMIC_RELAXED);
                if (first >= of.count) return;
                const int64_t many = of.grain < of.count - first ? of.grain : of.count - first;
                of.save(first, many);
                if (!self.trips_of(of.done + first, many, number == 0)) __atomic_store_n(&of.stop, 1, __ATOMIC_RELAXED);
                if (number == 0) of.own_trips += many, of.own = now() - of.began;
            }
        }
    };

    // Does the round; tells if it is done. Else nothing has happened.
    template <typename Trips>
    bool run(const Trips &trips_of) {
        job<Trips> one{*this, trips_of};
        npl_threads.rounds++;
        needed_loop::find_all();
        began = now(), own_trips = 0;
        const int64_t chunks = (count + grain - 1) / grain;
        const unsigned shares = unsigned(chunks < npl_threads.count ? chunks : npl_threads.count);
        if (shares < 2 || !npl_threads.team->run(job<Trips>::share, &one, shares)) job<Trips>::share(&one, 0);
        if (stop) {
            undo();
            return false;
        }
        const double spent = now() - began;
        const double alone = times.each * double(count), own_pace = own_trips ? own / double(own_trips) : 0;
        if (done + count == trips) {
            times.past.gained((alone + own_pace * double(count)) / 2 > clear_gain * spent);
        } else if (alone <= least_gain * spent && npl_threads.worth > 0) {
            times.state = pace::doubts, times.count = count, times.spent = spent;
        }
        const double wanted = double(count) * round_takes / (spent > 1 ? spent : 1);
        size = int64_t(wanted < 4.0 * double(count) ? wanted : 4.0 * double(count));
        return true;
    }

    // Takes back what the round has stored.
    void undo() {
        const int64_t begun = next_trip < count ? next_trip : count;
        for (int64_t first = 0; first < begun; first += grain) {
            const int64_t many = grain < count - first ? grain : count - first;
            const char *place = saved + first * bytes;
            for (int kind = 0; kind < kinds; kind++) {
                stored[kind].copy_trips<true>(done + first, many, const_cast<char *>(place));
                place += many * stored[kind].trip;
            }
        }
        if (!asked) times.past.failed++;
    }

    void lock() {
        while (__atomic_exchange_n(&held, 1, __ATOMIC_ACQUIRE)) {}
    }
    void unlock() { __atomic_store_n(&held, 0, __ATOMIC_RELEASE); }
};

// Tells if two numbers are zeros of different signs: which one comes first counts.
template <typename T>
static inline bool unlike_zeros(T one, T other) {
    if constexpr (std::is_floating_point_v<T>) return one == 0 && other == 0 && exact::signbit(one) != exact::signbit(other);
    return false;
}

// Adds to a sum; tells if the sum is beyond 64 bits.
static inline bool add_to(int64_t &sum, int64_t value, bool checked) {
    if (checked) return __builtin_add_overflow(sum, value, &sum);
    sum = int64_t(uint64_t(sum) + uint64_t(value));
    return false;
}
template <typename T>
static inline bool add_to(T &sum, T value, bool) {
    sum = T(std::make_unsigned_t<T>(sum) + std::make_unsigned_t<T>(value));
    return false;
}

}  // namespace npl
