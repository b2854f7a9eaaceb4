// Looks ints and strs, and tuples of them, up in the tables of Python's dicts and sets without making objects of them.
//
// The layout of tables is that of Python 3.11 to 3.13; with other versions, and for keys of other types, the answer
// is `is_uncertain`, and Python's own functions look.
#pragma once
#include "words.h"

namespace npl {

enum sameness { is_other, is_same, is_uncertain };

struct dict_entry {
    int64_t hash;
    void *key, *value;
};
struct dict_keys {
    intptr_t references;
    uint8_t log2_size, log2_index_bytes, kind;  // kind 0: any keys; others: str alone
    uint32_t version;
    intptr_t usable, entries;
    char indices[];
};
struct dict_object {
    head object;
    intptr_t used;
    uint64_t version;
    dict_keys *keys;
    void **values;
};
struct set_entry {
    void *key;
    int64_t hash;
};
struct set_object {
    head object;
    intptr_t fill, used, mask;
    set_entry *table;
};

// -- hashes: Python's, and comparisons with the keys of tables ----------------------------------------------------

template <typename Kind>
struct hashing {
    static constexpr bool known = false;
};

static inline int64_t hash_of_int(int64_t value) {
    constexpr uint64_t modulus = (uint64_t(1) << 61) - 1;
    const uint64_t size = value < 0 ? -uint64_t(value) : uint64_t(value);
    uint64_t rest = (size & modulus) + (size >> 61);
    if (rest >= modulus) rest -= modulus;
    const int64_t hash = value < 0 ? -int64_t(rest) : int64_t(rest);
    return hash == -1 ? -2 : hash;
}
static inline sameness compare_int(void *object, int64_t value) {
    if (type_of(object) != PyLong_Type) return is_uncertain;
    int64_t other;
    return !python<int64_t>::unbox(object, other) && other == value ? is_same : is_other;
}

template <>
struct hashing<python<int64_t>> {
    static constexpr bool known = true;
    static inline int64_t hash(int64_t value) { return hash_of_int(value); }
    static inline sameness compare(void *object, int64_t value) { return compare_int(object, value); }
};
template <typename T>
    requires(std::is_integral_v<T> && !std::is_same_v<T, bool> && !std::is_same_v<T, uint64_t>)
struct hashing<numpy<T>> {
    static constexpr bool known = true;
    static inline int64_t hash(T value) { return hash_of_int(value); }
    static inline sameness compare(void *object, T value) {
        T other;
        if (!numpy<T>::unbox(object, other)) return other == value ? is_same : is_other;
        return compare_int(object, value);
    }
};

struct str_object {
    head object;
    intptr_t length, hash;  // -1: it has not been asked for
};
template <>
struct hashing<word_kind> {
    static constexpr bool known = true;
    static inline int64_t hash(py_word key) {
        const intptr_t known_hash = static_cast<str_object *>(key.held)->hash;
        return is_layout_known() && known_hash != -1 ? known_hash : PyObject_Hash(key.held);
    }
    static inline sameness compare(void *object, py_word key) {
        if (object == key.held) return is_same;
        if (type_of(object) != PyUnicode_Type) return is_uncertain;
        return equal(py_word{object}, key) ? is_same : is_other;
    }
};

template <typename... Kinds>
    requires(hashing<Kinds>::known && ...)
struct hashing<tuple_of<Kinds...>> {
    static constexpr bool known = true;
    using value = typename tuple_of<Kinds...>::value;
    static constexpr uint64_t prime_1 = 11400714785074694791ull, prime_2 = 14029467366897019727ull,
                              prime_5 = 2870177450012600261ull;
    static inline uint64_t mixed(uint64_t sum, int64_t hash) {
        sum += uint64_t(hash) * prime_2;
        return (sum << 31 | sum >> 33) * prime_1;
    }
    static inline int64_t hash(const value &of) {
        uint64_t sum = prime_5;
        [&]<size_t... place>(std::index_sequence<place...>) {
            ((sum = mixed(sum, hashing<Kinds>::hash(get<place>(of)))), ...);
        }(std::index_sequence_for<Kinds...>{});
        sum += sizeof...(Kinds) ^ (prime_5 ^ 3527539ull);
        return sum == ~uint64_t(0) ? 1546275796 : int64_t(sum);
    }
    static inline sameness compare(void *object, const value &with) {
        if (type_of(object) != PyTuple_Type) return is_uncertain;
        const auto tuple = static_cast<tuple_object *>(object);
        if (tuple->size != sizeof...(Kinds)) return is_other;
        bool differs = false, uncertain = false;
        [&]<size_t... place>(std::index_sequence<place...>) {
            auto one = [&](sameness found) {
                differs |= found == is_other;
                uncertain |= found == is_uncertain;
            };
            (one(hashing<Kinds>::compare(tuple->items[place], get<place>(with))), ...);
        }(std::index_sequence_for<Kinds...>{});
        return differs ? is_other : uncertain ? is_uncertain : is_same;
    }
};

// -- tables -------------------------------------------------------------------------------------------------------

template <typename Index, typename Kind>
static inline sameness probe(const dict_keys *keys, int64_t hash, const typename Kind::value &key, dict_entry *&found) {
    const auto indices = reinterpret_cast<const Index *>(keys->indices);
    const auto entries = reinterpret_cast<dict_entry *>(const_cast<char *>(keys->indices) + (size_t(1) << keys->log2_index_bytes));
    const uint64_t mask = (uint64_t(1) << keys->log2_size) - 1;
    uint64_t perturb = hash, place = perturb & mask;
    while (true) {
        const int64_t index = indices[place];
        if (index == -1) return is_other;
        if (index >= 0 && entries[index].hash == hash) {
            const sameness known = hashing<Kind>::compare(entries[index].key, key);
            if (known != is_other) {
                found = entries + index;
                return known;
            }
        }
        perturb >>= 5;
        place = (place * 5 + perturb + 1) & mask;
    }
}
// The same in a table whose keys are strs alone: its entries have no hashes.
template <typename Index>
static inline sameness probe_strs(const dict_keys *keys, int64_t hash, py_word key, dict_entry *&found) {
    struct str_entry {
        void *key, *value;
    };
    const auto indices = reinterpret_cast<const Index *>(keys->indices);
    const auto entries = reinterpret_cast<str_entry *>(const_cast<char *>(keys->indices) + (size_t(1) << keys->log2_index_bytes));
    const uint64_t mask = (uint64_t(1) << keys->log2_size) - 1;
    uint64_t perturb = hash, place = perturb & mask;
    while (true) {
        const int64_t index = indices[place];
        if (index == -1) return is_other;
        if (index >= 0) {
            void *const other = entries[index].key;
            if (other == key.held || (hashing<word_kind>::hash({other}) == hash && equal(py_word{other}, key))) {
                found = reinterpret_cast<dict_entry *>(reinterpret_cast<char *>(entries + index) - offsetof(dict_entry, key));
                return is_same;
            }
        }
        perturb >>= 5;
        place = (place * 5 + perturb + 1) & mask;
    }
}
// Finds the entry of a key in a dict: `is_other` tells that there is none.
template <typename Kind>
static inline sameness look_up(void *dict, const typename Kind::value &key, dict_entry *&found) {
    if constexpr (hashing<Kind>::known) {
        if (!is_layout_known()) return is_uncertain;
        const dict_keys *keys = static_cast<dict_object *>(dict)->keys;
        const int64_t hash = hashing<Kind>::hash(key);
        if constexpr (std::is_same_v<Kind, word_kind>) {
            if (keys->kind == 1 && keys->log2_size < 8) return probe_strs<int8_t>(keys, hash, key, found);
            if (keys->kind == 1 && keys->log2_size < 16) return probe_strs<int16_t>(keys, hash, key, found);
            if (keys->kind == 1 && keys->log2_size < 32) return probe_strs<int32_t>(keys, hash, key, found);
            if (keys->kind) return is_uncertain;
        }
        if (keys->kind) return is_other;
        if (keys->log2_size < 8) return probe<int8_t, Kind>(keys, hash, key, found);
        if (keys->log2_size < 16) return probe<int16_t, Kind>(keys, hash, key, found);
        if (keys->log2_size < 32) return probe<int32_t, Kind>(keys, hash, key, found);
    }
    return is_uncertain;
}
// Tells if a set has an item.
template <typename Kind>
static inline sameness look_up(void *set, const typename Kind::value &key) {
    if constexpr (hashing<Kind>::known) {
        if (!is_layout_known()) return is_uncertain;
        const auto object = static_cast<set_object *>(set);
        const int64_t hash = hashing<Kind>::hash(key);
        const uint64_t mask = object->mask;
        uint64_t perturb = hash, place = perturb & mask;
        while (true) {
            const set_entry *entry = object->table + place;
            for (int left = place + 9 <= mask ? 9 : 0; left >= 0; left--, entry++) {
                if (!entry->key) return is_other;
                if (entry->hash == hash) {
                    const sameness known = hashing<Kind>::compare(entry->key, key);
                    if (known != is_other) return known;
                }
            }
            perturb >>= 5;
            place = (place * 5 + 1 + perturb) & mask;
        }
    }
    return is_uncertain;
}

}  // namespace npl
