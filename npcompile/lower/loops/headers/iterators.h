// Iterators of native loops over arrays and tuples, with numbers, and side by side: `more` and `take`.
#pragma once
#include "arrays.h"

namespace npl {

// The items of an array along its first axis: numbers, or views. step: 1, or -1 from the last one on.
template <typename Source, int step>
struct items {
    Source source;
    int64_t place;
};
// The items of a tuple, all of one type.
template <typename T, int count, int step>
struct parts {
    T source[count];
    int64_t place;
};
template <typename State>
struct enumerated {
    int64_t next;
    State state;
};
template <typename... States>
struct zipped {
    tuple<States...> states;
};

template <int step, typename Source>
static inline items<Source, step> begin_items(const Source &source) {
    return {source, step > 0 ? 0 : source.shape[0] - 1};
}
template <typename T, int count, int step, typename... Items>
static inline parts<T, count, step> begin_parts(const tuple<Items...> &source, int64_t taken) {
    parts<T, count, step> made{{}, (step > 0 ? 0 : count - 1) + taken * step};
    [&]<size_t... place>(std::index_sequence<place...>) {
        ((made.source[place] = get<place>(source)), ...);
    }(std::make_index_sequence<count>{});
    return made;
}

static inline bool more(const range &state) { return state.position < state.length; }
template <typename Source, int step>
static inline bool more(const items<Source, step> &state) {
    return step > 0 ? state.place < state.source.shape[0] : state.place >= 0;
}
template <typename T, int count, int step>
static inline bool more(const parts<T, count, step> &state) {
    return step > 0 ? state.place < count : state.place >= 0;
}
template <typename State>
static inline bool more(enumerated<State> &state) {
    return more(state.state);
}
static inline bool more(tuple<> &) { return true; }
template <typename First, typename... Rest>
static inline bool more(tuple<First, Rest...> &states) {
    return more(states.first) && more(states.rest);
}
template <typename... States>
static inline bool more(zipped<States...> &state) {
    return sizeof...(States) != 0 && more(state.states);
}
// Tells if some of several iterators have not come to their end.
static inline bool any_more(tuple<> &) { return false; }
template <typename First, typename... Rest>
static inline bool any_more(tuple<First, Rest...> &states) {
    return more(states.first) || any_more(states.rest);
}

static inline int64_t fewer(int64_t one, int64_t other) { return one < other ? one : other; }
// How many items are left of an iterator that knows it.
static inline int64_t items_left(const range &state) { return state.length - state.position; }
template <typename Source, int step>
static inline int64_t items_left(const items<Source, step> &state) {
    return step > 0 ? state.source.shape[0] - state.place : state.place + 1;
}
template <typename T, int count, int step>
static inline int64_t items_left(const parts<T, count, step> &state) {
    return step > 0 ? count - state.place : state.place + 1;
}
template <typename State>
static inline int64_t items_left(const enumerated<State> &state) {
    return items_left(state.state);
}
static inline int64_t items_left(const tuple<> &) { return INT64_MAX; }
template <typename First, typename... Rest>
static inline int64_t items_left(const tuple<First, Rest...> &states) {
    return fewer(items_left(states.first), items_left(states.rest));
}
template <typename... States>
static inline int64_t items_left(const zipped<States...> &state) {
    return sizeof...(States) ? items_left(state.states) : 0;
}

static inline int64_t take(range &state) { return state.start + state.position++ * state.stride; }
template <typename T, bool packed, int step>
static inline T take(items<array<T, 1, packed>, step> &state) {
    const int64_t place = state.place;
    state.place += step;
    return state.source.at(place);
}
template <typename T, int N, bool packed, int step>
static inline array<T, N - 1, packed> take(items<array<T, N, packed>, step> &state) {
    const auto &source = state.source;
    array<T, N - 1, packed> view;
    view.data = source.data + state.place * source.stride(0);
    view.owner = source.owner;
    view.memory = source.memory;
    view.itself = false;
    for (int axis = 1; axis < N; axis++) {
        view.shape[axis - 1] = source.shape[axis];
        view.strides[axis - 1] = source.strides[axis];
    }
    state.place += step;
    return view;
}
template <typename T, int count, int step>
static inline T take(parts<T, count, step> &state) {
    const int64_t place = state.place;
    state.place += step;
    return state.source[place];
}
template <typename State>
static inline auto take(enumerated<State> &state) -> tuple<int64_t, decltype(take(state.state))> {
    const int64_t number = state.next++;
    return {number, take(state.state)};
}
static inline tuple<> take(tuple<> &) { return {}; }
template <typename First, typename... Rest>
static inline auto take(tuple<First, Rest...> &states);
template <typename... States>
static inline auto take(zipped<States...> &state) {
    return take(state.states);
}
template <typename First, typename... Items>
static inline tuple<First, Items...> joined(const First &first, const tuple<Items...> &rest) {
    tuple<First, Items...> made;
    made.first = first;
    made.rest = rest;
    return made;
}
template <typename First, typename... Rest>
static inline auto take(tuple<First, Rest...> &states) {
    const auto first = take(states.first);
    return joined(first, take(states.rest));
}

// -- memory that states hold ------------------------------------------------------------------------------

template <typename Source, int step>
static inline void bind(items<Source, step> &name, const items<Source, step> &value) {
    bind(name.source, value.source);
    name.place = value.place;
}
template <typename Source, int step>
static inline void drop(items<Source, step> &name) {
    drop(name.source);
}
template <typename T, int count, int step>
static inline void bind(parts<T, count, step> &name, const parts<T, count, step> &value) {
    for (int place = 0; place < count; place++) bind(name.source[place], value.source[place]);
    name.place = value.place;
}
template <typename T, int count, int step>
static inline void drop(parts<T, count, step> &name) {
    for (int place = 0; place < count; place++) drop(name.source[place]);
}
template <typename State>
static inline void bind(enumerated<State> &name, const enumerated<State> &value) {
    name.next = value.next;
    bind(name.state, value.state);
}
template <typename State>
static inline void drop(enumerated<State> &name) {
    drop(name.state);
}
template <typename... States>
static inline void bind(zipped<States...> &name, const zipped<States...> &value) {
    bind(name.states, value.states);
}
template <typename... States>
static inline void drop(zipped<States...> &name) {
    drop(name.states);
}

// -- exchange with Python by words ------------------------------------------------------------------------

template <typename Source, int step>
static inline int64_t load(const int64_t *words, items<Source, step> &value) {
    const int64_t used = load(words, value.source);
    value.place = words[used];
    return used + 1;
}
template <typename Source, int step>
static inline int64_t save(int64_t *words, const items<Source, step> &value) {
    const int64_t used = save(words, value.source);
    words[used] = value.place;
    return used + 1;
}
template <typename T, int count, int step>
static inline int64_t load(const int64_t *words, parts<T, count, step> &value) {
    int64_t used = 0;
    for (int place = 0; place < count; place++) used += load(words + used, value.source[place]);
    value.place = words[used];
    return used + 1;
}
template <typename T, int count, int step>
static inline int64_t save(int64_t *words, const parts<T, count, step> &value) {
    int64_t used = 0;
    for (int place = 0; place < count; place++) used += save(words + used, value.source[place]);
    words[used] = value.place;
    return used + 1;
}
template <typename State>
static inline int64_t load(const int64_t *words, enumerated<State> &value) {
    value.next = words[0];
    return 1 + load(words + 1, value.state);
}
template <typename State>
static inline int64_t save(int64_t *words, const enumerated<State> &value) {
    words[0] = value.next;
    return 1 + save(words + 1, value.state);
}
template <typename... States>
static inline int64_t load(const int64_t *words, zipped<States...> &value) {
    return load(words, value.states);
}
template <typename... States>
static inline int64_t save(int64_t *words, const zipped<States...> &value) {
    return save(words, value.states);
}

}  // namespace npl
