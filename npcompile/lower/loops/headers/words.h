// Python's strs of any length in native loops: the objects that items and keys of containers are.
#pragma once
#include "lists.h"
#include "texts.h"

extern "C" {
int64_t PyObject_Hash(void *);
int PyUnicode_Compare(void *, void *);
void *PyUnicode_FromOrdinal(int);
void *PyUnicode_Substring(void *, int64_t, int64_t);
void *PyUnicode_Concat(void *, void *);
void *PyUnicode_InternFromString(const char *);
int PyUnicode_Contains(void *, void *);
void *PyUnicode_Split(void *, void *, int64_t);
void *PyLong_FromUnicodeObject(void *, int);
void *PyFloat_FromString(void *);
}
extern "C" char PyUnicode_Type[];

namespace npl {

struct word_kind;
struct py_word {
    using item_kind = word_kind;
    void *held;
};
struct word_kind {
    using value = py_word;
    static inline bool unbox(void *from, value &to) {
        if (type_of(from) != PyUnicode_Type) return true;
        to.held = from;
        return false;
    }
    static inline void *box(value from) {
        acquire(from.held);
        return from.held;
    }
};

static inline text_str text_of(py_word word) { return {word.held}; }
static inline int64_t length(py_word word) { return PyUnicode_GetLength(word.held); }
static inline character item(py_word word, int64_t place) { return {PyUnicode_ReadChar(word.held, place)}; }
static inline bool equal(py_word left, py_word right) {
    return left.held == right.held || (length(left) == length(right) && PyUnicode_Compare(left.held, right.held) == 0);
}
static inline bool equal(py_word left, const uint32_t *codes, int64_t count) { return equal(text_of(left), codes, count); }
static inline bool less(py_word left, py_word right) { return PyUnicode_Compare(left.held, right.held) < 0; }

// Those that make one return true where Python could not.
static inline bool take_word(py_word &made, void *object) {
    made.held = object;
    return failed(object);
}
static inline bool word_of_character(py_word &made, character one) {
    return take_word(made, PyUnicode_FromOrdinal(int(one.code)));
}
static inline bool word_of_text(py_word &made, text_str text) {
    Py_IncRef(text.owner);
    return take_word(made, text.owner);
}
static inline bool part_of_text(py_word &made, text_str text, int64_t start, int64_t stop) {
    if (start < 0) start = 0;
    return take_word(made, PyUnicode_Substring(text.owner, start, stop < start ? start : stop));
}
static inline bool part_of_word(py_word &made, py_word word, int64_t start, int64_t stop) {
    return part_of_text(made, text_of(word), start, stop);
}
static inline bool joined_words(py_word &made, py_word first, py_word second) {
    return take_word(made, PyUnicode_Concat(first.held, second.held));
}
static inline bool contains(py_word part, py_word whole, bool &answer) {
    const int found = PyUnicode_Contains(whole.held, part.held);
    answer = found == 1;
    return found < 0 && failed(nullptr);
}
template <typename Kind>
static inline bool split_word(py_list<Kind> &made, py_word word, void *between) {
    return take_new(made, PyUnicode_Split(word.held, between, -1));
}
static inline bool int_of_word(py_word word, int64_t &answer) {
    void *const made = PyLong_FromUnicodeObject(word.held, 10);
    if (failed(made)) return true;
    const bool bad = python<int64_t>::unbox(made, answer);
    Py_DecRef(made);
    return bad;
}
static inline bool float_of_word(py_word word, double &answer) {
    void *const made = PyFloat_FromString(word.held);
    if (failed(made)) return true;
    answer = static_cast<number_object<double> *>(made)->value;
    Py_DecRef(made);
    return false;
}
// Python has one object of a str of letters, digits and underscores that stands in code.
static inline void *known_word(const char *name) {
    void *made = PyUnicode_InternFromString(name);
    failed(made);
    return made;
}

}  // namespace npl
