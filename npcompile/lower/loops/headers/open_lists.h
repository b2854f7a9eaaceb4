// Lists that native code adds items to and takes them from, without making objects of these items.
//
// An open list is a list object and the items that come after its own, as values. Whatever may look at the object
// settles it first: objects are made of the values, and appended. `open_container_code.py` chooses such lists.
#pragma once
#include "heaps.h"

namespace npl {

// The items of one list that are values: one for all names of the list. Each name has a reference to the list, too.
struct added_items {
    int64_t references;
    list_object *held;
    added_items *next;  // of all that this thread has
    void (*settle)(added_items *);
    void *values;
    int64_t count, room;
    int64_t absorbable;  // objects of the list that may become values, so far
    bool is_table;  // of a dict or set: the object is empty, and all its keys are in the table of `open_dicts.h`
    union {
        int64_t period;  // of `[x] * n`, whose items are one object for each of those repeated; 0 of other lists
        int64_t keys;    // of a dict or set that is a table
    };
};
static thread_local added_items *all_added = nullptr;

// Where Python runs in between, it finds the lists that it knows as they are.
static void settle_known_lists() {
    for (added_items *one = all_added; one; one = one->next)
        if (one->held->object.references > one->references) {
            if (one->count) one->settle(one);
            one->is_table = false;
        }
}

template <typename Kind>
static void settle_values(added_items *added);

template <typename Kind>
struct open_list {
    using item_kind = Kind;
    list_object *held;
    added_items *added;

    static constexpr auto settle_added = settle_values<Kind>;
    typename Kind::value *values() const { return static_cast<typename Kind::value *>(added->values); }
    py_list<Kind> object() const { return {held}; }
};

// Tells if no object is made of a value: a tuple with a NaN is Python's.
template <typename Kind>
static inline bool has_no_object(const typename Kind::value &value) {
    if constexpr (requires(void **items) { Kind::box_items(items, value); }) return unequal<Kind>::in(value);
    else return false;
}

template <typename Kind>
static void settle_values(added_items *added) {
    const auto values = static_cast<typename Kind::value *>(added->values);
    const int64_t period = added->period ? added->period : added->count;
    list_object *const held = added->held;
    for (int64_t place = 0; place < added->count; place++) {
        void *object;
        if (place >= period && !std::memcmp(values + place, values + place - period, sizeof(*values)))
            acquire(object = held->items[held->size - period]);
        else
            object = Kind::box(values[place]);
        if (append_object(held, object)) std::abort();  // there is no memory
    }
    added->count = 0;
}
// Lists, dicts and sets that are open.
template <typename Name>
concept is_open = holds_object<Name> && requires(Name name) { name.added; };

template <is_open Name>
static inline void settle(const Name &name) {
    if (name.added->count) Name::settle_added(name.added);
}

// -- names --------------------------------------------------------------------------------------------------------

template <is_open Name>
static added_items *nothing_added_to(list_object *held) {
    auto made = static_cast<added_items *>(std::malloc(sizeof(added_items)));
    if (!made) std::abort();
    *made = {1, held, all_added, Name::settle_added, nullptr, 0, 0, 16, false, 0};
    before_python = settle_known_lists;
    return all_added = made;
}
template <is_open Name>
static added_items *items_added_to(list_object *held) {
    for (added_items *one = all_added; one; one = one->next)
        if (one->held == held) {
            one->references++;
            return one;
        }
    return nothing_added_to<Name>(held);
}
static inline void forget(added_items *added) {
    if (--added->references) return;
    added_items **place = &all_added;
    while (*place != added) place = &(*place)->next;
    *place = added->next;
    std::free(added->values);
    std::free(added);
}
template <is_open Name>
static inline void drop(Name &name) {
    if (name.held) {
        // Values are dropped with the list's last name, unless others know the list.
        if (name.added->references == 1 && name.held->object.references > 1) settle(name);
        forget(name.added);
        drop_object(name.held);
        name.added = nullptr;
    }
}
template <is_open Name>
static inline void bind(Name &name, const Name &value) {
    const Name given = value;
    if (given.held) {
        given.added->references++;
        Py_IncRef(given.held);
    }
    drop(name);
    name = given;
}
template <is_open Name>
static inline int64_t load(const int64_t *words, Name &value) {
    load_object(words[0], value.held);
    value.added = value.held ? items_added_to<Name>(value.held) : nullptr;
    return 1;
}
// The name's reference becomes Python's.
template <is_open Name>
static inline int64_t save(int64_t *words, const Name &value) {
    words[0] = reinterpret_cast<int64_t>(value.held);
    if (value.held) {
        settle(value);
        forget(value.added);
    }
    return 1;
}

// No name of a list is of use any more: its values are dropped, unless others know it.
template <is_open Name>
static inline void give_up(const Name &list) {
    if (list.held && list.held->object.references == list.added->references) list.added->count = 0;
}

// -- operations: those that return a bool leave where it is true --------------------------------------------------

template <typename Kind>
static inline int64_t list_length(const open_list<Kind> &list) {
    return list.held->size + list.added->count;
}
// Makes room for so many items; tells if there is no memory.
template <typename Kind>
static bool make_room(added_items *added, int64_t room) {
    using T = typename Kind::value;
    if (room > INT64_MAX / int64_t(sizeof(T))) return true;
    T *values = static_cast<T *>(std::malloc(room * sizeof(T)));
    if (!values) return true;
    for (int64_t place = 0; place < added->count; place++) values[place] = static_cast<T *>(added->values)[place];
    std::free(added->values);
    added->values = values;
    added->room = room;
    return false;
}
// Adds an item; tells if there is no memory.
template <typename Kind>
static inline bool push(added_items *added, const typename Kind::value &value) {
    if (added->count == added->room) [[unlikely]]
        if (make_room<Kind>(added, added->room ? 2 * added->room : 16)) return true;
    static_cast<typename Kind::value *>(added->values)[added->count++] = value;
    return false;
}
template <typename Kind, typename... Values>
static inline bool new_list(open_list<Kind> &made, const Values &...values) {
    list_object *held = static_cast<list_object *>(PyList_New(0));
    if (failed(held)) return true;
    made = {held, nothing_added_to<open_list<Kind>>(held)};
    return ((has_no_object<Kind>(values) || push<Kind>(made.added, values)) || ... || false);
}
template <typename Kind>
static inline bool repeat(open_list<Kind> &made, const open_list<Kind> &source, int64_t count) {
    const int64_t length = source.added->count;
    if (source.held->size) {  // its objects are those of the new list, too
        settle(source);
        void *const held = PySequence_Repeat(source.held, count);
        if (failed(held)) return true;
        made = {static_cast<list_object *>(held), nothing_added_to<open_list<Kind>>(static_cast<list_object *>(held))};
        return false;
    }
    if (new_list(made)) return true;
    if (count <= 0 || length == 0) return false;
    if (count > INT64_MAX / length || make_room<Kind>(made.added, count * length)) return true;
    made.added->count = count * length;
    made.added->period = length;
    auto *to = made.values();
    const auto *from = source.values();
    if (length == 1) {
        const auto value = from[0];
        for (int64_t place = 0; place < count; place++) to[place] = value;
    } else {
        for (int64_t time = 0; time < count; time++)
            for (int64_t place = 0; place < length; place++) *to++ = from[place];
    }
    return false;
}
template <typename Kind>
static inline bool list_of_range(open_list<Kind> &made, range numbers) {
    if (new_list(made) || make_room<Kind>(made.added, numbers.length)) return true;
    while (more(numbers)) made.values()[made.added->count++] = take(numbers);
    return false;
}
template <typename Kind>
static inline bool item(const open_list<Kind> &source, int64_t place, typename Kind::value &to) {
    const int64_t first = source.held->size;
    if (place < first) return Kind::unbox(source.held->items[place], to);
    to = source.values()[place - first];
    return false;
}
template <typename Kind, typename Any>
static inline bool append(const open_list<Any> &to, const typename Kind::value &value) {
    if constexpr (std::is_same_v<Kind, Any>) return has_no_object<Kind>(value) || push<Kind>(to.added, value);
    settle(to);
    return append<Kind>(to.object(), value);
}
template <typename Kind, typename Any>
static inline bool store(const open_list<Any> &to, int64_t place, const typename Kind::value &value) {
    const int64_t first = to.held->size;
    if constexpr (std::is_same_v<Kind, Any>)
        if (place >= first) {
            if (has_no_object<Kind>(value)) return true;
            to.values()[place - first] = value;
            return false;
        }
    settle(to);
    return store<Kind>(to.object(), place, value);
}
template <typename Any>
static inline void remove(const open_list<Any> &from, int64_t place) {
    const int64_t last = list_length(from) - 1;
    if (place == last && from.added->count) {
        from.added->count--;
    } else {
        settle(from);
        remove(from.object(), place);
    }
}

// -- heaps --------------------------------------------------------------------------------------------------------

// Makes values of all items, of a list that is not too long for what is done with it. An object that others know
// stays, as it is to be the one in the list.
template <typename Kind>
static __attribute__((noinline)) bool absorb(const open_list<Kind> &heap) {
    using T = typename Kind::value;
    const int64_t objects = heap.held->size, count = objects + heap.added->count;
    if (objects > (heap.added->absorbable += 4)) return false;
    heap.added->absorbable = INT64_MIN / 2;  // until it is seen that all items become values
    T *values = static_cast<T *>(std::malloc((count + 16) * sizeof(T)));
    if (!values) return false;
    for (int64_t place = 0; place < objects; place++) {
        void *const object = heap.held->items[place];
        if (static_cast<head *>(object)->references != 1 || Kind::unbox(object, values[place]) ||
            has_no_object<Kind>(values[place])) {
            std::free(values);
            return false;
        }
    }
    for (int64_t place = objects; place < count; place++) values[place] = heap.values()[place - objects];
    std::free(std::exchange(heap.added->values, values));
    heap.added->count = count;
    heap.added->room = count + 16;
    heap.added->absorbable = objects;
    clear(heap.object());
    return true;
}
template <typename Kind>
static inline bool is_unboxed(const open_list<Kind> &heap) {
    return heap.held->size == 0 || absorb(heap);
}

// As `find_path` of the heap's objects does.
template <typename Kind>
static inline bool find_path(const typename Kind::value *items, intptr_t end, const typename Kind::value &moved, heap_path &path) {
    intptr_t place = 0;
    path.places[0] = place;
    path.count = 1;
    while (place < end >> 1) {
        intptr_t child = 2 * place + 1;
        if (child + 1 < end) {
            const comparison below = order<Kind>::less(items[child], items[child + 1]);
            if (below == not_known) return true;
            child += below == no;
        }
        place = path.places[path.count++] = child;
    }
    while (path.count > 1) {
        const comparison below = order<Kind>::less(moved, items[path.places[path.count - 1]]);
        if (below == not_known) return true;
        if (below == no) break;
        path.count--;
    }
    return false;
}
template <typename T>
static inline void move_along(T *items, const heap_path &path, const T &moved) {
    for (int k = 0; k + 1 < path.count; k++) items[path.places[k]] = items[path.places[k + 1]];
    items[path.places[path.count - 1]] = moved;
}

template <typename Kind, typename Any>
static inline bool heap_push(const open_list<Any> &heap, const typename Kind::value &value) {
    if constexpr (std::is_same_v<Kind, Any>)
        if (is_unboxed(heap)) {
            const typename Kind::value given = value;
            intptr_t place = heap.added->count;
            while (place > 0) {
                const comparison below = order<Kind>::less(given, heap.values()[(place - 1) >> 1]);
                if (below == not_known) return true;
                if (below == no) break;
                place = (place - 1) >> 1;
            }
            if (append<Kind>(heap, given)) return true;
            auto *const items = heap.values();
            for (intptr_t at = heap.added->count - 1; at != place; at = (at - 1) >> 1) items[at] = items[(at - 1) >> 1];
            items[place] = given;
            return false;
        }
    settle(heap);
    return heap_push<Kind>(heap.object(), value);
}
template <typename Kind, typename Any>
static inline bool heap_pop(const open_list<Any> &heap) {
    if constexpr (std::is_same_v<Kind, Any>)
        if (is_unboxed(heap)) {
            const intptr_t end = heap.added->count - 1;
            heap_path path;
            if (end > 0) {
                const auto moved = heap.values()[end];
                if (find_path<Kind>(heap.values(), end, moved, path)) return true;
                move_along(heap.values(), path, moved);
            }
            heap.added->count = end;
            return false;
        }
    settle(heap);
    return heap_pop<Kind>(heap.object());
}
template <typename Kind, typename Any>
static inline bool heap_replace(const open_list<Any> &heap, const typename Kind::value &value) {
    if constexpr (std::is_same_v<Kind, Any>)
        if (is_unboxed(heap)) {
            const typename Kind::value given = value;
            heap_path path;
            if (has_no_object<Kind>(given) || find_path<Kind>(heap.values(), heap.added->count, given, path)) return true;
            move_along(heap.values(), path, given);
            return false;
        }
    settle(heap);
    return heap_replace<Kind>(heap.object(), value);
}
template <typename Kind, typename Any>
static inline bool heap_least(const open_list<Any> &heap, const typename Kind::value &value, typename Kind::value &least) {
    typename Kind::value first{};
    least = value;
    if (list_length(heap) == 0) return false;
    if (item(heap, 0, first)) return true;
    const comparison below = order<Kind>::less(first, value);
    if (below == yes) least = first;
    return below == not_known;
}
template <typename Kind, typename Any>
static inline bool heap_push_pop(const open_list<Any> &heap, const typename Kind::value &value) {
    typename Kind::value first{};
    if (list_length(heap) == 0) return false;
    if (item(heap, 0, first)) return true;
    return order<Kind>::less(first, value) == yes && heap_replace<Kind>(heap, value);
}
template <typename Kind, typename Any>
static inline bool heapify(const open_list<Any> &heap) {
    settle(heap);
    return heapify<Kind>(heap.object());
}

}  // namespace npl
