// Dicts and sets whose keys are ints, or tuples of them, and that native code makes and fills, without objects of
// these.
//
// While an open dict or set is a table, its object is empty. Whatever may look at the object settles it first: the
// keys are put into the object in the order in which they came, and it is Python's from then on.
#pragma once
#include "dicts.h"
#include "open_lists.h"

namespace npl {

template <typename Key, typename Value>
static void settle_dict(added_items *added);
template <typename Item>
static void settle_set(added_items *added);

template <typename Key, typename Value>
struct open_dict {
    using item_kind = Key;
    using key = Key;
    using value = Value;
    list_object *held;
    added_items *added;

    static constexpr auto settle_added = settle_dict<Key, Value>;
    py_dict<Key, Value> object() const { return {held}; }
};
template <typename Item>
struct open_set {
    using item_kind = Item;
    using key = Item;
    list_object *held;
    added_items *added;

    static constexpr auto settle_added = settle_set<Item>;
    py_set<Item> object() const { return {held}; }
};

// -- tables: entries in the order of their keys, then the places of entries by hash, then marks of removed ones ----

template <typename Kind>
struct table_key;
template <>
struct table_key<python<int64_t>> {
    static inline bool same(int64_t one, int64_t other) { return one == other; }
    static inline uint64_t hash(int64_t key) { return uint64_t(key); }
};
template <typename... Kinds>
struct table_key<tuple_of<Kinds...>> {
    using value = typename tuple_of<Kinds...>::value;
    static inline bool same(const value &one, const value &other) {
        return [&]<size_t... place>(std::index_sequence<place...>) {
            return (table_key<Kinds>::same(get<place>(one), get<place>(other)) && ...);
        }(std::index_sequence_for<Kinds...>{});
    }
    static inline uint64_t hash(const value &key) { return uint64_t(hashing<tuple_of<Kinds...>>::hash(key)); }
};

template <typename Key, typename Value>
struct key_table {
    struct entry {
        typename Key::value key;
        typename Value::value value;
    };
    added_items *added;

    static constexpr int64_t of_one = sizeof(entry) + 2 * sizeof(int32_t) + 1;
    int64_t count() const { return added->count; }
    entry *entries() const { return static_cast<entry *>(added->values); }
    int32_t *places() const { return reinterpret_cast<int32_t *>(entries() + added->room); }
    bool *removed() const { return reinterpret_cast<bool *>(places() + 2 * added->room); }
    uint64_t first_place(const typename Key::value &key) const {
        const uint64_t mixed = table_key<Key>::hash(key) * 0x9E3779B97F4A7C15;
        return (mixed ^ mixed >> 32) & (2 * added->room - 1);
    }
    // The place of a key's entry, below 0 where there is none.
    int32_t find(const typename Key::value &key) const {
        if (!added->count) return -1;
        const uint64_t mask = 2 * added->room - 1;
        for (uint64_t at = first_place(key);; at = (at + 1) & mask) {
            const int32_t place = places()[at];
            if (place == -1 || (place >= 0 && table_key<Key>::same(entries()[place].key, key))) return place;
        }
    }
    void enter(const typename Key::value &key, int32_t place) {
        uint64_t at = first_place(key);
        while (places()[at] != -1) at = (at + 1) & (2 * added->room - 1);
        places()[at] = place;
    }
    // Adds a key that is not there; tells if there is no memory.
    bool add(const typename Key::value &key, const typename Value::value &value) {
        if (added->count == added->room) [[unlikely]]
            if (grow()) return true;
        const auto place = int32_t(added->count++);
        entries()[place] = {key, value};
        removed()[place] = false;
        enter(key, place);
        added->keys++;
        return false;
    }
    void remove(int32_t place) {
        uint64_t at = first_place(entries()[place].key);
        while (places()[at] != place) at = (at + 1) & (2 * added->room - 1);
        places()[at] = -2;
        removed()[place] = true;
        added->keys--;
    }
    void clear() {
        std::free(std::exchange(added->values, nullptr));
        added->count = added->room = added->keys = 0;
    }
    // Makes room, for twice as many keys if half of the entries are keys.
    __attribute__((noinline)) bool grow() {
        const int64_t room = added->room == 0 ? 8 : 2 * added->keys > added->room ? 2 * added->room : added->room;
        if (room > INT32_MAX / 2) return true;
        void *made = std::malloc(room * of_one);
        if (!made) return true;
        const added_items before = *added;
        const entry *from = entries();
        const bool *gone = added->room ? removed() : nullptr;
        added->values = made;
        added->room = room;
        added->count = 0;
        std::memset(places(), 0xFF, 2 * room * sizeof(int32_t));
        for (int64_t place = 0; place < before.count; place++)
            if (!gone[place]) {
                const auto at = int32_t(added->count++);
                entries()[at] = from[place];
                removed()[at] = false;
                enter(from[place].key, at);
            }
        std::free(before.values);
        return false;
    }
};

struct no_value {
    using value = nothing;
};
template <typename Key, typename Value>
static inline key_table<Key, Value> table_of(const open_dict<Key, Value> &dict) {
    return {dict.added};
}
template <typename Item>
static inline key_table<Item, no_value> table_of(const open_set<Item> &set) {
    return {set.added};
}

// There is no memory where an object is missing.
static inline void *object_or_abort(void *made) {
    if (!made) std::abort();
    return made;
}
template <typename Key, typename Value>
static void settle_dict(added_items *added) {
    const key_table<Key, Value> table{added};
    added->is_table = false;
    for (int64_t place = 0; place < added->count; place++) {
        if (table.removed()[place]) continue;
        const key_object key{object_or_abort(Key::box(table.entries()[place].key))};
        const key_object value{object_or_abort(Value::box(table.entries()[place].value))};
        if (PyDict_SetItem(added->held, key.held, value.held)) std::abort();
    }
    key_table<Key, Value>(table).clear();
}
template <typename Item>
static void settle_set(added_items *added) {
    const key_table<Item, no_value> table{added};
    added->is_table = false;
    for (int64_t place = 0; place < added->count; place++) {
        const key_object key{object_or_abort(Item::box(table.entries()[place].key))};
        if (PySet_Add(added->held, key.held)) std::abort();
    }
    key_table<Item, no_value>(table).clear();
}
// Settles a dict or set, which is Python's from then on.
template <is_open Name>
static inline void close(const Name &name) {
    settle(name);
    name.added->is_table = false;
}
template <is_open Name>
static inline void *settled(const Name &name) {
    close(name);
    return name.held;
}

// -- operations of both: those that return a bool leave where it is true ------------------------------------------

template <typename Kind, is_open Name>
    requires requires(Name name) { table_of(name); }
static inline bool has_key(const Name &source, const typename Kind::value &key, bool &to) {
    if constexpr (std::is_same_v<Kind, typename Name::key>)
        if (source.added->is_table) {
            to = table_of(source).find(key) >= 0;
            return false;
        }
    close(source);
    return has_key<Kind>(source.object(), key, to);
}
template <is_open Name>
    requires requires(Name name) { table_of(name); }
static inline int64_t count(const Name &source) {
    return source.added->is_table ? source.added->keys : count(source.object());
}
template <is_open Name>
    requires requires(Name name) { table_of(name); }
static inline void clear(const Name &which) {
    if (which.added->is_table) table_of(which).clear();
    else clear(which.object());
}

// -- dicts --------------------------------------------------------------------------------------------------------

template <typename Key, typename Value>
static inline bool new_dict(open_dict<Key, Value> &made) {
    made.held = static_cast<list_object *>(PyDict_New());
    if (failed(made.held)) return true;
    made.added = nothing_added_to<open_dict<Key, Value>>(made.held);
    made.added->is_table = true;
    return false;
}
// Finds the value of a key in a table; null where there is none.
template <typename Key, typename Value>
static inline typename Value::value *find_value(const open_dict<Key, Value> &dict, const typename Key::value &key) {
    const auto table = table_of(dict);
    const int32_t place = table.find(key);
    return place < 0 ? nullptr : &table.entries()[place].value;
}
template <typename Kind, typename To, typename Key, typename Value>
constexpr bool is_kept = std::is_same_v<Kind, Key> && std::is_same_v<To, Value>;

template <typename Kind, typename To, typename Key, typename Value>
static inline bool key_item(const open_dict<Key, Value> &source, const typename Kind::value &key, typename To::value &to) {
    if constexpr (is_kept<Kind, To, Key, Value>)
        if (source.added->is_table) {
            const auto *found = find_value(source, key);
            if (found) to = *found;
            return !found;
        }
    close(source);
    return key_item<Kind, To>(source.object(), key, to);
}
template <typename Kind, typename To, typename Key, typename Value>
static inline bool get_item(
    const open_dict<Key, Value> &source, const typename Kind::value &key, const typename To::value &otherwise,
    typename To::value &to
) {
    if constexpr (is_kept<Kind, To, Key, Value>)
        if (source.added->is_table) {
            const auto *found = find_value(source, key);
            to = found ? *found : otherwise;
            return false;
        }
    close(source);
    return get_item<Kind, To>(source.object(), key, otherwise, to);
}
template <typename Kind, typename To, typename Key, typename Value, typename Either>
static inline bool find_item(const open_dict<Key, Value> &source, const typename Kind::value &key, Either &to) {
    if constexpr (is_kept<Kind, To, Key, Value>)
        if (source.added->is_table) {
            const auto *found = find_value(source, key);
            to = {};
            to.first = !found;
            if (found) to.rest.first = *found;
            return false;
        }
    close(source);
    return find_item<Kind, To>(source.object(), key, to);
}
template <typename Kind, typename From, typename Key, typename Value>
static inline bool store_key(
    const open_dict<Key, Value> &target, const typename Kind::value &key, const typename From::value &value
) {
    if constexpr (is_kept<Kind, From, Key, Value>)
        if (target.added->is_table) {
            if (has_no_object<Value>(value)) return true;
            if (auto *found = find_value(target, key)) *found = value;
            else return table_of(target).add(key, value);
            return false;
        }
    close(target);
    return store_key<Kind, From>(target.object(), key, value);
}
template <typename Kind, typename From, typename Key, typename Value>
static inline bool ensure_key(
    const open_dict<Key, Value> &target, const typename Kind::value &key, const typename From::value &value
) {
    if constexpr (is_kept<Kind, From, Key, Value>)
        if (target.added->is_table)
            return !find_value(target, key) && (has_no_object<Value>(value) || table_of(target).add(key, value));
    close(target);
    return ensure_key<Kind, From>(target.object(), key, value);
}
template <typename Kind, typename Key, typename Value>
static inline bool remove_key(const open_dict<Key, Value> &target, const typename Kind::value &key, bool must) {
    if constexpr (std::is_same_v<Kind, Key>)
        if (target.added->is_table) {
            const int32_t place = table_of(target).find(key);
            if (place >= 0) table_of(target).remove(place);
            return place < 0 && must;
        }
    close(target);
    return remove_key<Kind>(target.object(), key, must);
}

// -- sets: one from which something was removed is Python's, as its order depends on that ----------------------------

template <typename Kind, typename Item>
static inline bool add_item(const open_set<Item> &target, const typename Kind::value &key) {
    if constexpr (std::is_same_v<Kind, Item>)
        if (target.added->is_table) {
            auto table = table_of(target);
            return table.find(key) < 0 && table.add(key, {});
        }
    close(target);
    return add_item<Kind>(target.object(), key);
}
template <typename Kind, typename Item>
static inline bool remove_key(const open_set<Item> &target, const typename Kind::value &key, bool must) {
    close(target);
    return remove_key<Kind>(target.object(), key, must);
}
template <typename Item, typename... Values>
static inline bool new_set(open_set<Item> &made, const Values &...values) {
    made.held = static_cast<list_object *>(PySet_New(nullptr));
    if (failed(made.held)) return true;
    made.added = nothing_added_to<open_set<Item>>(made.held);
    made.added->is_table = true;
    return (add_item<Item>(made, values) || ... || false);
}

}  // namespace npl
