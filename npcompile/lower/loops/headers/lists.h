// Python's lists in native loops: the list objects themselves. The type of their items is an expectation: each
// item that is read is looked at, and native code leaves where it has another type.
#pragma once
#include <utility>

#include "iterators.h"

// Python's own objects and functions, found in the process that loads the library.
extern "C" {
extern char PyLong_Type[], PyFloat_Type[], PyComplex_Type[], PyList_Type[], PyTuple_Type[];
extern char _Py_TrueStruct[], _Py_FalseStruct[], _Py_NoneStruct[];
extern const unsigned long Py_Version;
void Py_IncRef(void *);
void Py_DecRef(void *);
void PyErr_Clear(void);
long long PyLong_AsLongLongAndOverflow(void *, int *);
void *PyLong_FromLongLong(long long);
unsigned long long PyLong_AsUnsignedLongLong(void *);
void *PyLong_FromUnsignedLongLong(unsigned long long);
void *PyErr_Occurred(void);
void *PyFloat_FromDouble(double);
void *PyComplex_FromDoubles(double, double);
void *PyTuple_New(intptr_t);
void PyObject_GC_UnTrack(void *);
void *PyList_New(intptr_t);
int PyList_Append(void *, void *);
int PyList_Insert(void *, intptr_t, void *);
int PyList_SetItem(void *, intptr_t, void *);
int PyList_SetSlice(void *, intptr_t, intptr_t, void *);
void *PyList_GetSlice(void *, intptr_t, intptr_t);
int PyList_Reverse(void *);
void *PySequence_Repeat(void *, intptr_t);
void *PySlice_New(void *, void *, void *);
void *PyObject_GetItem(void *, void *);
int PyObject_SetItem(void *, void *, void *);
int PyObject_DelItem(void *, void *);
void *PyType_GenericAlloc(void *, intptr_t);
void *PyImport_ImportModule(const char *);
void *PyObject_GetAttrString(void *, const char *);
}

namespace npl {

// The fields of Python's objects, as all versions from 3.11 on have them.
struct head {
    intptr_t references;
    void *type;
};
struct list_object {
    head object;
    intptr_t size;
    void **items;
    intptr_t room;
};
struct tuple_object {
    head object;
    intptr_t size;
    void *items[1];
};
struct int_object {
    head object;
    uintptr_t digits;  // before 3.12 their number with the sign, then their number and the sign's bits
    uint32_t digit;
};
template <typename T>
struct number_object {
    head object;
    T value;
};

static inline void *type_of(void *object) { return static_cast<head *>(object)->type; }

// Objects of the versions of Python whose objects have the layouts that are read and written here.
static inline bool is_layout_known() { return Py_Version >= 0x030B0000 && Py_Version < 0x030E0000; }

// Take and give back a reference. Counts below 1 in 32 bits are those of objects that never go.
static inline void acquire(void *object) {
    intptr_t &references = static_cast<head *>(object)->references;
    if (is_layout_known() && int32_t(references) > 0) references++;
    else Py_IncRef(object);
}
static inline void release(void *object) {
    intptr_t &references = static_cast<head *>(object)->references;
    if (is_layout_known() && int32_t(references) > 1) references--;
    else Py_DecRef(object);
}

// Tell if Python could not make an object.
static inline bool failed(void *made) {
    if (!made) [[unlikely]] {
        PyErr_Clear();
        return true;
    }
    return false;
}

// -- kinds of items: `unbox` reads an object's value, or tells that it is of another kind; `box` makes an object;
// `rewrite` gives an object that has one reference another value, or tells that it does not.
// A NaN is of another kind: Python finds it in lists and dicts by its identity, which a value does not have -------

// Tells if a number is a NaN.
template <typename T>
static inline bool is_unequal(const T &number) {
    if constexpr (half_type<T>) return is_unequal(half_to_float(number));
    else if constexpr (complex_type<T>) return is_unequal(number.real) || is_unequal(number.imag);
    else return number != number;
}

template <typename T>
static inline bool rewrite_number(void *object, void *type, const T &value) {
    if (!is_layout_known() || static_cast<head *>(object)->references != 1 || type_of(object) != type) return false;
    std::memcpy(&static_cast<number_object<double> *>(object)->value, &value, sizeof(T));
    return true;
}

template <typename T>
struct python;
template <>
struct python<int64_t> {
    using value = int64_t;
    static inline bool unbox(void *from, value &to) {
        if (type_of(from) != PyLong_Type) return true;
        const auto object = static_cast<int_object *>(from);
        if (Py_Version >= 0x030C0000) {
            if (object->digits < 16) {
                to = (1 - int64_t(object->digits & 3)) * object->digit;
                return false;
            }
        } else if (object->digits + 1 < 3) {
            to = int64_t(object->digits) * object->digit;
            return false;
        }
        int overflow = 0;
        to = PyLong_AsLongLongAndOverflow(from, &overflow);
        return overflow != 0;
    }
    static inline void *box(value from) { return PyLong_FromLongLong(from); }
    // Ints of one digit, but for those that Python has once.
    static inline bool rewrite(void *object, value to) {
        if (!is_layout_known() || to <= 256 || to >> 30 || type_of(object) != PyLong_Type) return false;
        const auto held = static_cast<int_object *>(object);
        if (held->object.references != 1 || held->digits != (Py_Version >= 0x030C0000 ? 8 : 1)) return false;
        held->digit = uint32_t(to);
        return true;
    }
};
template <>
struct python<uint64_t> {
    using value = uint64_t;
    static inline bool unbox(void *from, value &to) {
        int64_t small;
        if (!python<int64_t>::unbox(from, small)) {
            to = uint64_t(small);
            return small < 0;
        }
        if (type_of(from) != PyLong_Type) return true;
        to = PyLong_AsUnsignedLongLong(from);
        if (to != uint64_t(-1)) return false;
        return PyErr_Occurred() && (PyErr_Clear(), true);
    }
    static inline void *box(value from) { return PyLong_FromUnsignedLongLong(from); }
};
template <>
struct python<double> {
    using value = double;
    static inline bool unbox(void *from, value &to) {
        if (type_of(from) != PyFloat_Type) return true;
        to = static_cast<number_object<double> *>(from)->value;
        return is_unequal(to);
    }
    static inline void *box(value from) { return PyFloat_FromDouble(from); }
    static inline bool rewrite(void *object, value to) { return rewrite_number(object, PyFloat_Type, to); }
};
template <>
struct python<bool> {
    using value = bool;
    static inline bool unbox(void *from, value &to) {
        to = from == _Py_TrueStruct;
        return !to && from != _Py_FalseStruct;
    }
    static inline void *box(value from) {
        void *made = from ? _Py_TrueStruct : _Py_FalseStruct;
        acquire(made);
        return made;
    }
};
template <>
struct python<complex<double>> {
    using value = complex<double>;
    static inline bool unbox(void *from, value &to) {
        if (type_of(from) != PyComplex_Type) return true;
        std::memcpy(&to, &static_cast<number_object<double> *>(from)->value, sizeof(to));
        return is_unequal(to);
    }
    static inline void *box(const value &from) {
        double parts[2];
        std::memcpy(parts, &from, sizeof(from));
        return PyComplex_FromDoubles(parts[0], parts[1]);
    }
};

struct none_kind {
    using value = nothing;
    static inline bool unbox(void *from, value &) { return from != _Py_NoneStruct; }
    static inline void *box(value) {
        acquire(_Py_NoneStruct);
        return _Py_NoneStruct;
    }
};

// An attribute of NumPy's, which is kept; null where there is none.
static __attribute__((noinline, cold)) void *of_numpy(const char *name) {
    void *module = PyImport_ImportModule("numpy");
    if (failed(module)) return nullptr;
    void *found = PyObject_GetAttrString(module, name);
    Py_DecRef(module);
    failed(found);
    return found;
}

// NumPy's scalars: all of them have their number after the head.
template <typename T>
struct numpy {
    using value = T;
    static constexpr const char *name() {
        if constexpr (std::is_same_v<T, int8_t>) return "int8";
        if constexpr (std::is_same_v<T, int16_t>) return "int16";
        if constexpr (std::is_same_v<T, int32_t>) return "int32";
        if constexpr (std::is_same_v<T, int64_t>) return "int64";
        if constexpr (std::is_same_v<T, uint8_t>) return "uint8";
        if constexpr (std::is_same_v<T, uint16_t>) return "uint16";
        if constexpr (std::is_same_v<T, uint32_t>) return "uint32";
        if constexpr (std::is_same_v<T, uint64_t>) return "uint64";
        if constexpr (std::is_same_v<T, half>) return "float16";
        if constexpr (std::is_same_v<T, float>) return "float32";
        if constexpr (std::is_same_v<T, double>) return "float64";
        if constexpr (std::is_same_v<T, complex<float>>) return "complex64";
        return "complex128";
    }
    static inline void *type() {
        static void *const found = of_numpy(name());
        return found;
    }
    static inline bool unbox(void *from, value &to) {
        if (type_of(from) != type()) return true;
        std::memcpy(&to, &static_cast<number_object<double> *>(from)->value, sizeof(T));
        return is_unequal(to);
    }
    static inline void *box(const value &from) {
        void *made = PyType_GenericAlloc(type(), 0);
        if (made) std::memcpy(&static_cast<number_object<double> *>(made)->value, &from, sizeof(T));
        return made;
    }
    static inline bool rewrite(void *object, const value &to) { return rewrite_number(object, type(), to); }
};
template <>
struct numpy<bool> {
    using value = bool;
    static inline void *object(bool which) {
        static void *const found[] = {of_numpy("False_"), of_numpy("True_")};
        return found[which];
    }
    static inline bool unbox(void *from, value &to) {
        to = from == object(true);
        return !to && from != object(false);
    }
    static inline void *box(value from) {
        acquire(object(from));
        return object(from);
    }
};

// Numbers, or None and other items, of one of two types.
template <typename One, typename Other>
struct either_of {
    using value = tuple<bool, typename One::value, typename Other::value>;
    static inline bool unbox(void *from, value &to) {
        to = {};  // the value that is not there is a name's, too
        to.first = One::unbox(from, to.rest.first);
        return to.first && Other::unbox(from, to.rest.rest.first);
    }
    static inline void *box(const value &from) {
        return from.first ? Other::box(from.rest.rest.first) : One::box(from.rest.first);
    }
};

template <typename... Kinds>
struct tuple_of;
// Tells if there is a NaN in an item.
template <typename Kind>
struct unequal {
    static inline bool in(const typename Kind::value &item) { return is_unequal(item); }
};
template <>
struct unequal<none_kind> {
    static inline bool in(nothing) { return false; }
};
template <typename One, typename Other>
struct unequal<either_of<One, Other>> {
    static inline bool in(const typename either_of<One, Other>::value &item) {
        return item.first ? unequal<Other>::in(item.rest.rest.first) : unequal<One>::in(item.rest.first);
    }
};
template <typename... Kinds>
struct unequal<tuple_of<Kinds...>> {
    static inline bool in(const typename tuple_of<Kinds...>::value &item) {
        return [&]<size_t... place>(std::index_sequence<place...>) {
            return (unequal<Kinds>::in(get<place>(item)) || ... || false);
        }(std::index_sequence_for<Kinds...>{});
    }
};

// Tuples of numbers. Those with a NaN are Python's: to compare them it asks if two NaNs are one object.
template <>
struct tuple_of<> {
    using value = tuple<>;
    static inline bool unbox_items(void **, value &) { return false; }
    static inline bool box_items(void **, const value &) { return false; }
};
template <typename First, typename... Rest>
struct tuple_of<First, Rest...> {
    using value = tuple<typename First::value, typename Rest::value...>;
    static inline bool unbox_items(void **items, value &to) {
        return First::unbox(items[0], to.first) || tuple_of<Rest...>::unbox_items(items + 1, to.rest);
    }
    static inline bool box_items(void **items, const value &from) {
        return unequal<First>::in(from.first) || !(items[0] = First::box(from.first)) ||
               tuple_of<Rest...>::box_items(items + 1, from.rest);
    }
    static inline bool unbox(void *from, value &to) {
        const auto object = static_cast<tuple_object *>(from);
        return type_of(from) != PyTuple_Type || object->size != 1 + sizeof...(Rest) || unbox_items(object->items, to);
    }
    static inline void *box(const value &from) {
        void *made = PyTuple_New(1 + sizeof...(Rest));
        if (made && box_items(static_cast<tuple_object *>(made)->items, from)) {
            Py_DecRef(made);
            return nullptr;
        }
        // Tuples of numbers are in no cycle: the collector would find that, too, after it has gone over them.
        if (made) PyObject_GC_UnTrack(made);
        return made;
    }
};

// Items of which nothing is known: a list of them is not read.
struct unknown {
    using value = nothing;
};

template <typename Kind>
struct py_list {
    using item_kind = Kind;
    list_object *held;
};
template <typename Kind>
struct list_of {
    using value = py_list<Kind>;
    static inline bool unbox(void *from, value &to) {
        to.held = static_cast<list_object *>(from);
        return type_of(from) != PyList_Type;
    }
    static inline void *box(const value &from) {
        Py_IncRef(from.held);
        return from.held;
    }
};

// -- names of objects: each has a reference, which Python takes over where native code leaves ---------------------

template <typename Object>
static inline void drop_object(Object *&held) {
    if (held) release(std::exchange(held, nullptr));
}
template <typename Object>
static inline void bind_object(Object *&held, Object *value) {
    if (value) acquire(value);
    Object *const old = std::exchange(held, value);
    if (old) release(old);
}
template <typename Object>
static inline void load_object(int64_t word, Object *&held) {
    held = reinterpret_cast<Object *>(word);
    Py_IncRef(held);
}
// Lists, deques, dicts and sets: their items' types tell them from other structures.
template <typename Name>
concept holds_object = requires { typename Name::item_kind; };
// Those of which no items are values: an open list (`open_lists.h`) has added ones.
template <typename Name>
concept is_closed = holds_object<Name> && !requires(Name name) { name.added; };
template <holds_object Name>
static inline void drop(Name &name) {
    drop_object(name.held);
}
template <holds_object Name>
static inline void bind(Name &name, const Name &value) {
    bind_object(name.held, value.held);
}
template <holds_object Name>
static inline int64_t load(const int64_t *words, Name &value) {
    load_object(words[0], value.held);
    return 1;
}
template <holds_object Name>
static inline int64_t save(int64_t *words, const Name &value) {
    words[0] = reinterpret_cast<int64_t>(value.held);
    return 1;
}

template <holds_object Name>
static inline void give_up(const Name &) {}

// -- operations: those that return a bool leave where it is true --------------------------------------------------

template <typename Kind>
static inline bool take_new(py_list<Kind> &made, void *object) {
    made.held = static_cast<list_object *>(object);
    return failed(object);
}
template <typename Kind>
static inline bool new_list(py_list<Kind> &made) {
    return take_new(made, PyList_New(0));
}
template <typename Kind, typename... Values>
static inline bool new_list(py_list<Kind> &made, const Values &...values) {
    if (take_new(made, PyList_New(sizeof...(values)))) return true;
    int64_t place = 0;
    return (failed(made.held->items[place++] = Kind::box(values)) || ...);
}
template <typename Kind>
static inline bool repeat(py_list<Kind> &made, const py_list<Kind> &source, int64_t count) {
    return take_new(made, PySequence_Repeat(source.held, count));
}
template <typename Kind>
static inline bool part(py_list<Kind> &made, const py_list<Kind> &source, int64_t start, int64_t stop) {
    return take_new(made, PyList_GetSlice(source.held, start, stop));
}

// Makes a slice of ints, and takes over their references; null stands for None.
static inline void *new_slice(void *start, void *stop, void *step) {
    void *made = PySlice_New(start, stop, step);
    Py_DecRef(start);
    Py_DecRef(stop);
    Py_DecRef(step);
    return made;
}
template <typename Kind>
static inline bool slice(py_list<Kind> &made, const py_list<Kind> &source, void *bounds) {
    if (failed(bounds)) return true;
    void *found = PyObject_GetItem(source.held, bounds);
    Py_DecRef(bounds);
    return take_new(made, found);
}
// Stores a list's items in place of a slice; takes the slice out where there is no list.
template <typename Any>
static inline bool store_slice(const py_list<Any> &target, void *bounds, void *value) {
    if (failed(bounds)) return true;
    const bool bad = (value ? PyObject_SetItem(target.held, bounds, value) : PyObject_DelItem(target.held, bounds)) != 0;
    Py_DecRef(bounds);
    if (bad) PyErr_Clear();
    return bad;
}
template <typename Kind>
static inline bool list_of_range(py_list<Kind> &made, range numbers) {
    if (take_new(made, PyList_New(numbers.length))) return true;
    for (int64_t place = 0; more(numbers); place++)
        if (failed(made.held->items[place] = Kind::box(take(numbers)))) return true;
    return false;
}

template <holds_object Name>
static inline int64_t list_length(const Name &list) {
    return list.held->size;
}
template <typename Kind>
static inline bool item(const py_list<Kind> &source, int64_t place, typename Kind::value &to) {
    return Kind::unbox(source.held->items[place], to);
}

// Appends an object, whose reference becomes the list's.
static inline bool append_object(list_object *held, void *made) {
    if (failed(made)) return true;
    if (held->size < held->room) [[likely]] {
        held->items[held->size++] = made;
        return false;
    }
    const bool bad = PyList_Append(held, made) != 0;
    Py_DecRef(made);
    if (bad) PyErr_Clear();
    return bad;
}
template <typename Kind, typename Any>
static inline bool append(const py_list<Any> &to, const typename Kind::value &value) {
    return append_object(to.held, Kind::box(value));
}
template <typename Kind, typename Any>
static inline bool insert(const py_list<Any> &to, int64_t place, const typename Kind::value &value) {
    void *made = Kind::box(value);
    if (failed(made)) return true;
    const bool bad = PyList_Insert(to.held, place, made) != 0;
    Py_DecRef(made);
    if (bad) PyErr_Clear();
    return bad;
}
// Stores a value in place of an object that a container holds. A number that nobody else knows takes the value.
template <typename Kind>
static inline bool replace_object(void *&held, const typename Kind::value &value) {
    if constexpr (requires { Kind::rewrite(held, value); })
        if (Kind::rewrite(held, value)) return false;
    void *made = Kind::box(value);
    if (failed(made)) return true;
    release(std::exchange(held, made));
    return false;
}
template <typename Kind, typename Any>
static inline bool store(const py_list<Any> &to, int64_t place, const typename Kind::value &value) {
    return replace_object<Kind>(to.held->items[place], value);
}
template <typename One, typename Other>
static inline bool extend(const py_list<One> &to, const py_list<Other> &by) {
    const bool bad = PyList_SetSlice(to.held, to.held->size, to.held->size, by.held) != 0;
    if (bad) PyErr_Clear();
    return bad;
}
template <typename Kind, typename One, typename Other>
static inline bool join(py_list<Kind> &made, const py_list<One> &first, const py_list<Other> &second) {
    return take_new(made, PyList_GetSlice(first.held, 0, first.held->size)) || extend(made, second);
}
// Takes an item out. As in Python, a list keeps its memory until half of it is free.
template <typename Any>
static inline void remove(const py_list<Any> &from, int64_t place) {
    list_object *held = from.held;
    if (place == held->size - 1 && place >= held->room / 2) {
        held->size = place;
        release(held->items[place]);
    } else {
        PyList_SetSlice(held, place, place + 1, nullptr);
    }
}
template <typename Any>
static inline void clear(const py_list<Any> &which) {
    PyList_SetSlice(which.held, 0, which.held->size, nullptr);
}
template <typename Any>
static inline void reverse(const py_list<Any> &which) {
    PyList_Reverse(which.held);
}

// -- iterators over lists: `unfit` tells that the next item is of another type -------------------------------------

template <int step, holds_object Source>
static inline items<Source, step> begin_items(const Source &source) {
    return {source, step > 0 ? 0 : list_length(source) - 1};
}
template <holds_object Source, int step>
static inline bool more(const items<Source, step> &state) {
    return uint64_t(state.place) < uint64_t(list_length(state.source));
}
template <holds_object Source, int step>
static inline typename Source::item_kind::value take(items<Source, step> &state) {
    typename Source::item_kind::value value{};
    item(state.source, state.place, value);
    state.place += step;
    return value;
}
template <typename State>
static inline bool unfit(const State &) {
    return false;
}
template <holds_object Source, int step>
static inline bool unfit(const items<Source, step> &state) {
    typename Source::item_kind::value value{};
    return item(state.source, state.place, value);
}
template <typename State>
static inline bool unfit(const enumerated<State> &state) {
    return unfit(state.state);
}
template <typename First, typename... Rest>
static inline bool unfit(const tuple<First, Rest...> &states) {
    return unfit(states.first) || unfit(states.rest);
}
template <typename... States>
static inline bool unfit(const zipped<States...> &state) {
    return unfit(state.states);
}

}  // namespace npl
