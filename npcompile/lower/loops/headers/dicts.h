// Python's dicts and sets in native loops: the objects themselves. The types of keys and values are expectations:
// each one that is read is looked at, and native code leaves where it has another type.
#pragma once
#include "tables.h"
#include "words.h"

extern "C" {
extern char PyDict_Type[], PySet_Type[], PyUnicode_Type[], _Py_NoneStruct[];
void *PyErr_Occurred(void);
void *PyUnicode_FromOrdinal(int);
void *PyDict_New(void);
void *PyDict_Copy(void *);
void *PyDict_GetItemWithError(void *, void *);
int PyDict_SetItem(void *, void *, void *);
int PyDict_DelItem(void *, void *);
void PyDict_Clear(void *);
intptr_t PyDict_Size(void *);
void *PySet_New(void *);
int PySet_Add(void *, void *);
int PySet_Contains(void *, void *);
int PySet_Discard(void *, void *);
int PySet_Clear(void *);
intptr_t PySet_Size(void *);
void *PySequence_List(void *);
int PySequence_Contains(void *, void *);
void *PyObject_GetItem(void *, void *);
void *PyObject_GetIter(void *);
void *PyObject_CallNoArgs(void *);
void *PyObject_CallOneArg(void *, void *);
void *PyIter_Next(void *);
int _PyDict_SetItem_KnownHash(void *, void *, void *, intptr_t) __attribute__((weak));
}

namespace npl {

// A str of one character.
struct character_kind {
    using value = character;
    static inline bool unbox(void *from, value &to) {
        if (type_of(from) != PyUnicode_Type || PyUnicode_GetLength(from) != 1) return true;
        to.code = PyUnicode_ReadChar(from, 0);
        return false;
    }
    static inline void *box(value from) { return PyUnicode_FromOrdinal(int(from.code)); }
};

template <typename Key, typename Value>
struct py_dict {
    using item_kind = Key;
    using key = Key;
    using value = Value;
    void *held;
};
template <typename Item>
struct py_set {
    using item_kind = Item;
    using key = Item;
    void *held;
};

template <typename Key, typename Value>
struct dict_of {
    using value = py_dict<Key, Value>;
    static inline bool unbox(void *from, value &to) {
        to.held = from;
        return type_of(from) != PyDict_Type;
    }
    static inline void *box(const value &from) {
        Py_IncRef(from.held);
        return from.held;
    }
};
template <typename Item>
struct set_of {
    using value = py_set<Item>;
    static inline bool unbox(void *from, value &to) {
        to.held = from;
        return type_of(from) != PySet_Type;
    }
    static inline void *box(const value &from) {
        Py_IncRef(from.held);
        return from.held;
    }
};

// Objects are no NaNs.
template <holds_object Object>
static inline bool is_unequal(const Object &) {
    return false;
}
static inline bool is_unequal(const character &) { return false; }

// -- keys ---------------------------------------------------------------------------------------------------------

// Tell if Python raised something.
static inline bool raised() { return PyErr_Occurred() && failed(nullptr); }

// A key as an object, for as long as a step is done; null where there is none.
struct key_object {
    void *held;
    ~key_object() { Py_DecRef(held); }
};
template <typename Kind>
static inline void *object_of(const typename Kind::value &key) {
    if (unequal<Kind>::in(key)) return nullptr;  // Python finds a NaN by its identity, which a value does not have
    void *made = Kind::box(key);
    failed(made);
    return made;
}

// Finds the value of a key, null where there is none. All that follow return true where Python is to answer.
template <typename Kind>
static inline bool find(void *dict, const typename Kind::value &key, void *&value) {
    dict_entry *entry;
    switch (look_up<Kind>(dict, key, entry)) {
        case is_same: value = entry->value; return false;
        case is_other: value = nullptr; return false;
        case is_uncertain: break;
    }
    const key_object made{object_of<Kind>(key)};
    if (!made.held) return true;
    value = PyDict_GetItemWithError(dict, made.held);
    return !value && raised();
}

// -- dicts --------------------------------------------------------------------------------------------------------

template <typename Object>
static inline bool take_object(Object &made, void *object) {
    made.held = object;
    return failed(object);
}
template <typename Kind>
static inline bool put(void *dict, const typename Kind::value &key, void *value) {
    dict_entry *entry;
    const bool found = look_up<Kind>(dict, key, entry) == is_same;
    if (found) Py_IncRef(entry->key);
    const key_object made{found ? entry->key : object_of<Kind>(key)};
    if (!made.held) return true;
    int bad;
    if constexpr (hashing<Kind>::known)
        bad = _PyDict_SetItem_KnownHash && is_layout_known()
                  ? _PyDict_SetItem_KnownHash(dict, made.held, value, hashing<Kind>::hash(key))
                  : PyDict_SetItem(dict, made.held, value);
    else
        bad = PyDict_SetItem(dict, made.held, value);
    if (bad) PyErr_Clear();
    return bad;
}

// The types whose objects are numbers: they hold no others.
template <typename Kind>
constexpr bool is_number = false;
template <typename T>
constexpr bool is_number<python<T>> = true;
template <typename T>
constexpr bool is_number<numpy<T>> = true;

template <typename Kind, typename Value, is_closed Any>
static inline bool store_key(const Any &target, const typename Kind::value &key, const typename Value::value &value) {
    if constexpr (hashing<Kind>::known && is_number<Value>) {
        dict_entry *entry;
        if (look_up<Kind>(target.held, key, entry) == is_same) return replace_object<Value>(entry->value, value);
    }
    const key_object made{Value::box(value)};
    return failed(made.held) || put<Kind>(target.held, key, made.held);
}
template <typename Kind, typename Value, is_closed Any>
static inline bool ensure_key(const Any &target, const typename Kind::value &key, const typename Value::value &value) {
    void *found;
    if (find<Kind>(target.held, key, found)) return true;
    return !found && store_key<Kind, Value>(target, key, value);
}
template <typename Kind, typename Value, is_closed Any>
static inline bool key_item(const Any &source, const typename Kind::value &key, typename Value::value &to) {
    void *found;
    return find<Kind>(source.held, key, found) || !found || Value::unbox(found, to);
}
// Of a defaultdict, which makes values that are missing. It keeps what it has made.
template <typename Kind, typename Value, typename Any>
static inline bool made_item(const Any &source, const typename Kind::value &key, typename Value::value &to) {
    void *found;
    if (find<Kind>(source.held, key, found)) return true;
    if (!found) {
        const key_object made{object_of<Kind>(key)};
        if (!made.held) return true;
        found = PyObject_GetItem(source.held, made.held);
        if (failed(found)) return true;
        Py_DecRef(found);
    }
    return Value::unbox(found, to);
}
// Of a Counter, which takes what is missing for the int 0.
template <typename Kind, typename Value, typename Any>
static inline bool counted_item(const Any &source, const typename Kind::value &key, typename Value::value &to) {
    void *found;
    if (find<Kind>(source.held, key, found)) return true;
    if (found) return Value::unbox(found, to);
    if constexpr (std::is_same_v<Value, python<int64_t>>) {
        to = 0;
        return false;
    }
    return true;
}
template <typename Kind, typename Value, is_closed Any>
static inline bool get_item(
    const Any &source, const typename Kind::value &key, const typename Value::value &otherwise, typename Value::value &to
) {
    void *found;
    if (find<Kind>(source.held, key, found)) return true;
    if (found) return Value::unbox(found, to);
    to = otherwise;
    return false;
}
// The value, and whether it is None.
template <typename Kind, typename Value, is_closed Any, typename Either>
static inline bool find_item(const Any &source, const typename Kind::value &key, Either &to) {
    void *found;
    to = {};
    if (find<Kind>(source.held, key, found)) return true;
    to.first = !found;
    return found && Value::unbox(found, to.rest.first);
}
template <typename Kind, typename Key, typename Value>
static inline bool has_key(const py_dict<Key, Value> &source, const typename Kind::value &key, bool &to) {
    void *found;
    if (find<Kind>(source.held, key, found)) return true;
    to = found;
    return false;
}
template <typename Kind, typename Key, typename Value>
static inline bool remove_key(const py_dict<Key, Value> &target, const typename Kind::value &key, bool must) {
    void *found;
    if (find<Kind>(target.held, key, found)) return true;
    if (!found) return must;
    const key_object made{object_of<Kind>(key)};
    return !made.held || (PyDict_DelItem(target.held, made.held) && failed(nullptr));
}
template <typename Key, typename Value>
static inline int64_t count(const py_dict<Key, Value> &source) {
    return PyDict_Size(source.held);
}
template <typename Key, typename Value>
static inline void clear(const py_dict<Key, Value> &which) {
    PyDict_Clear(which.held);
}
template <typename Key, typename Value>
static inline bool new_dict(py_dict<Key, Value> &made) {
    return take_object(made, PyDict_New());
}
template <typename Key, typename Value>
static inline bool new_defaultdict(py_dict<Key, Value> &made, void *factory) {
    void *module = PyImport_ImportModule("collections");
    if (failed(module)) return true;
    void *type = PyObject_GetAttrString(module, "defaultdict");
    Py_DecRef(module);
    if (failed(type)) return true;
    made.held = PyObject_CallOneArg(type, factory);
    Py_DecRef(type);
    return failed(made.held);
}
template <typename Object>
static inline bool copy_dict(Object &made, const Object &source) {
    return take_object(made, PyDict_Copy(source.held));
}

// -- sets ---------------------------------------------------------------------------------------------------------

template <typename Kind, typename Item>
static inline bool has_key(const py_set<Item> &source, const typename Kind::value &key, bool &to) {
    const sameness known = look_up<Kind>(source.held, key);
    to = known == is_same;
    if (known != is_uncertain) return false;
    const key_object made{object_of<Kind>(key)};
    if (!made.held) return true;
    const int found = PySet_Contains(source.held, made.held);
    to = found > 0;
    return found < 0 && failed(nullptr);
}
template <typename Kind, is_closed Any>
static inline bool add_item(const Any &target, const typename Kind::value &key) {
    if (look_up<Kind>(target.held, key) == is_same) return false;
    const key_object made{object_of<Kind>(key)};
    return !made.held || (PySet_Add(target.held, made.held) && failed(nullptr));
}
template <typename Kind, typename Item>
static inline bool remove_key(const py_set<Item> &target, const typename Kind::value &key, bool must) {
    const key_object made{object_of<Kind>(key)};
    if (!made.held) return true;
    const int found = PySet_Discard(target.held, made.held);
    if (found < 0) return failed(nullptr);
    return must && !found;
}
template <typename Item>
static inline int64_t count(const py_set<Item> &source) {
    return PySet_Size(source.held);
}
template <typename Item>
static inline void clear(const py_set<Item> &which) {
    PySet_Clear(which.held);
}
template <typename Item, typename... Values>
static inline bool new_set(py_set<Item> &made, const Values &...values) {
    return take_object(made, PySet_New(nullptr)) || (add_item<Item>(made, values) || ...);
}
template <typename Item, typename Any>
static inline bool set_of_items(py_set<Item> &made, const Any &source) {
    return take_object(made, PySet_New(source.held));
}

// -- lists --------------------------------------------------------------------------------------------------------

template <typename Kind, typename Any>
static inline bool list_of_items(py_list<Kind> &made, const Any &source) {
    return take_new(made, PySequence_List(source.held));
}
template <typename Kind, typename Item>
static inline bool has_key(const py_list<Item> &source, const typename Kind::value &key, bool &to) {
    to = false;
    if constexpr (hashing<Kind>::known) {
        for (intptr_t place = 0; place < source.held->size; place++) {
            const sameness known = hashing<Kind>::compare(source.held->items[place], key);
            to = known == is_same;
            if (to) return false;
            if (known == is_uncertain) goto any;
        }
        return false;
    }
any:
    const key_object made{object_of<Kind>(key)};
    if (!made.held) return true;
    const int found = PySequence_Contains(source.held, made.held);
    to = found > 0;
    return found < 0 && failed(nullptr);
}

// -- iterators: Python's own, and the item that was taken from it last --------------------------------------------

template <typename Kind>
struct object_items {
    void *iterator, *taken;
};
template <typename Kind>
static inline void drop(object_items<Kind> &name) {
    drop_object(name.iterator);
    drop_object(name.taken);
}
template <typename Kind>
static inline void bind(object_items<Kind> &name, const object_items<Kind> &value) {
    bind_object(name.iterator, value.iterator);
    bind_object(name.taken, value.taken);
}
template <typename Kind>
static inline int64_t load(const int64_t *words, object_items<Kind> &value) {
    load_object(words[0], value.iterator);
    load_object(words[1], value.taken);
    return 2;
}
template <typename Kind>
static inline int64_t save(int64_t *words, const object_items<Kind> &value) {
    words[0] = reinterpret_cast<int64_t>(value.iterator);
    words[1] = reinterpret_cast<int64_t>(value.taken);
    return 2;
}
// The object of a dict or set, with all that native code has put into it.
template <holds_object Name>
static inline void *settled(const Name &name) {
    return name.held;
}
template <typename Kind>
static inline bool begin_iterator(object_items<Kind> &made, void *source, const char *view) {
    made.taken = nullptr;
    if (!view) {
        made.iterator = PyObject_GetIter(source);
        return failed(made.iterator);
    }
    made.iterator = nullptr;
    void *method = PyObject_GetAttrString(source, view);
    if (failed(method)) return true;
    void *viewed = PyObject_CallNoArgs(method);
    Py_DecRef(method);
    if (failed(viewed)) return true;
    made.iterator = PyObject_GetIter(viewed);
    Py_DecRef(viewed);
    return failed(made.iterator);
}
// An iterator that raises what one over a dict with other keys than before does, but that raises it once.
static __attribute__((noinline, cold)) void *iterator_over_changed_keys() {
    void *dict = PyDict_New();
    PyDict_SetItem(dict, _Py_NoneStruct, _Py_NoneStruct);
    void *iterator = PyObject_GetIter(dict);
    Py_DecRef(PyIter_Next(iterator));
    PyDict_Clear(dict);
    PyDict_SetItem(dict, PyLong_Type, _Py_NoneStruct);
    Py_DecRef(dict);
    return iterator;
}
// Tell if an iterator raises at its end. It raises again where Python takes the next item of it.
static __attribute__((noinline, cold)) bool ends_by_raising(void *&iterator) {
    if (!raised()) return false;
    PyIter_Next(iterator);
    if (!raised()) Py_DecRef(std::exchange(iterator, iterator_over_changed_keys()));
    return true;
}
// Where Python raises there is an item, but none that fits.
template <typename Kind>
static inline bool more(object_items<Kind> &state) {
    if (!state.taken) state.taken = PyIter_Next(state.iterator);
    return state.taken || ends_by_raising(state.iterator);
}
template <typename Kind>
static inline bool unfit(const object_items<Kind> &state) {
    typename Kind::value value{};
    return !state.taken || Kind::unbox(state.taken, value);
}
template <typename Kind>
static inline typename Kind::value take(object_items<Kind> &state) {
    typename Kind::value value{};
    Kind::unbox(state.taken, value);
    drop_object(state.taken);
    return value;
}
template <typename Kind>
static inline bool first_item(object_items<Kind> &state, typename Kind::value &to) {
    if (!more(state) || unfit(state)) return true;
    to = take(state);
    return false;
}

}  // namespace npl
