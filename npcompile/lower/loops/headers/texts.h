// Python's texts in native loops: str, bytes and bytearray, which are read where they are, and characters.
#pragma once
#include "iterators.h"

extern "C" {
int64_t PyUnicode_GetLength(void *);
uint32_t PyUnicode_ReadChar(void *, int64_t);
int64_t PyBytes_Size(void *);
char *PyBytes_AsString(void *);
int64_t PyByteArray_Size(void *);
char *PyByteArray_AsString(void *);
}

namespace npl {

// A str of one character, by its code point.
struct character {
    uint32_t code;
};

struct text_str {
    void *owner;
};
struct text_bytes {
    void *owner;
    const uint8_t *data;
    int64_t length;
};
struct text_bytearray {  // may get other memory while other threads run: it is asked each time
    void *owner;
};

static inline int64_t length(const text_str &text) { return PyUnicode_GetLength(text.owner); }
static inline int64_t length(const text_bytes &text) { return text.length; }
static inline int64_t length(const text_bytearray &text) { return PyByteArray_Size(text.owner); }
static inline character item(const text_str &text, int64_t place) { return {PyUnicode_ReadChar(text.owner, place)}; }
static inline uint8_t item(const text_bytes &text, int64_t place) { return text.data[place]; }
static inline uint8_t item(const text_bytearray &text, int64_t place) {
    return uint8_t(PyByteArray_AsString(text.owner)[place]);
}

static inline bool equal(const text_str &left, const text_str &right) {
    const int64_t count = length(left);
    if (left.owner == right.owner) return true;
    if (length(right) != count) return false;
    for (int64_t place = 0; place < count; place++)
        if (item(left, place).code != item(right, place).code) return false;
    return true;
}
static inline bool equal(const text_str &left, const uint32_t *codes, int64_t count) {
    if (length(left) != count) return false;
    for (int64_t place = 0; place < count; place++)
        if (item(left, place).code != codes[place]) return false;
    return true;
}

// -- iterators -----------------------------------------------------------------------------------------------

template <typename Text>
struct characters {
    Text text;
    int64_t place;
};
template <typename Text>
static inline bool more(const characters<Text> &state) {
    return state.place < length(state.text);
}
template <typename Text>
static inline int64_t items_left(const characters<Text> &state) {
    return length(state.text) - state.place;
}
static inline character take(characters<text_str> &state) { return item(state.text, state.place++); }
template <typename Text>
static inline int64_t take(characters<Text> &state) {
    return item(state.text, state.place++);
}

// -- exchange with Python by words ------------------------------------------------------------------------

template <>
constexpr int64_t words_of<text_bytes> = 1;
static inline int64_t load(const int64_t *words, text_bytes &value) {
    value.owner = reinterpret_cast<void *>(words[0]);
    value.data = reinterpret_cast<const uint8_t *>(PyBytes_AsString(value.owner));
    value.length = PyBytes_Size(value.owner);
    return 1;
}
static inline int64_t save(int64_t *words, const text_bytes &value) {
    words[0] = reinterpret_cast<int64_t>(value.owner);
    return 1;
}
template <typename Text>
static inline int64_t load(const int64_t *words, characters<Text> &value) {
    load(words, value.text);
    value.place = words[1];
    return 2;
}
template <typename Text>
static inline int64_t save(int64_t *words, const characters<Text> &value) {
    save(words, value.text);
    words[1] = value.place;
    return 2;
}

// -- characters ----------------------------------------------------------------------------------------------

static inline int64_t code_of(character one) { return one.code; }
static inline bool code_to_character(int64_t code, character &answer) {
    answer = {uint32_t(code)};
    return code < 0 || code > 0x10FFFF;
}
static inline bool same_character(character one, character other) { return one.code == other.code; }
static inline bool less_character(character one, character other) { return one.code < other.code; }
// The number that a digit says; other characters are Python's.
static inline bool digit_of(character one, int64_t &answer) {
    answer = int64_t(one.code) - '0';
    return one.code < '0' || one.code > '9';
}

// Classes and cases of characters, of ASCII alone.
static inline bool in_range(character one, char first, char last) { return one.code >= uint32_t(first) && one.code <= uint32_t(last); }
static inline bool isdigit_(character one, bool &answer) {
    answer = in_range(one, '0', '9');
    return one.code > 127;
}
static inline bool isupper_(character one, bool &answer) {
    answer = in_range(one, 'A', 'Z');
    return one.code > 127;
}
static inline bool islower_(character one, bool &answer) {
    answer = in_range(one, 'a', 'z');
    return one.code > 127;
}
static inline bool isalpha_(character one, bool &answer) {
    answer = in_range(one, 'A', 'Z') || in_range(one, 'a', 'z');
    return one.code > 127;
}
static inline bool isalnum_(character one, bool &answer) {
    answer = in_range(one, '0', '9') || in_range(one, 'A', 'Z') || in_range(one, 'a', 'z');
    return one.code > 127;
}
static inline bool isspace_(character one, bool &answer) {
    answer = one.code == ' ' || (one.code >= 9 && one.code <= 13) || (one.code >= 28 && one.code <= 31);
    return one.code > 127;
}
static inline bool lower_(character one, character &answer) {
    answer = {in_range(one, 'A', 'Z') ? one.code + 32 : one.code};
    return one.code > 127;
}
static inline bool upper_(character one, character &answer) {
    answer = {in_range(one, 'a', 'z') ? one.code - 32 : one.code};
    return one.code > 127;
}

}  // namespace npl
