// Calls of functions that are native as a whole (partition/native_body.py): from the arguments to the answer, without
// Python in between.
//
// Python lends so many calls, and is told of one that it has to end: where native code left, where a signal's handler
// raised, and where the answer has a form that is not known here. Included by front.h only.
#pragma once

#include <alloca.h>
#include <structmember.h>
#include <time.h>

#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

#include "adopted.h"
#include "loop_entry.h"

namespace {

// How an answer lies in the words. kind: k the object itself, i int, u unsigned int, b bool, f float, c complex, n NumPy
// scalar and a array (object: the dtype), t tuple of `items`. offset: of the first word.
struct AnswerForm {
    char kind = 0;
    PyObject *object = nullptr;
    Py_ssize_t offset = 0;
    std::vector<AnswerForm> items;
};

// A word that says which memory an array of a name has, or that holds a reference, where the name has a certain type.
struct KeptWord {
    Py_ssize_t tag = 0;   // the word that says which type the name has
    long long kind = 0;   // what it says then
    Py_ssize_t word = 0;
    int is_object = 0;
};

constexpr size_t MOST_KEPT = 16;         // arrays of which a region may have memory at its end
constexpr Py_ssize_t WORDS_ON_STACK = 512;
constexpr long long MADE = 1, ITSELF = 2;  // bits of an array's first word: its memory is a block; it is no view

struct BodyCalls {
    PyObject_HEAD
    LoopEntry *entry;
    PyObject *ended;                 // ends a call in Python: ended(seconds, exit's number, words, exception, args)
    std::vector<char> *finishes;     // of each exit, if the function has ended there
    std::vector<AnswerForm> *forms;  // of the answer, by its type
    std::vector<KeptWord> *kept;
    Py_ssize_t tag;                  // the word that says which type the answer has
    Py_ssize_t most_bytes;           // calls with a larger array are Python's; 0: there is no limit
    const long long *given;          // the count of threads that the native code was given; null where it takes none
    long long threads;               // what it has to be: otherwise a call is Python's, which gives it anew
    long left;                       // so many calls are lent
    char timed;                      // `worked` is kept
    double worked;                   // seconds of the calls that were answered here
};

// The arrays that an answer has: a block becomes one array, however often the answer has it.
struct MadeArrays {
    long long words[MOST_KEPT];
    PyObject *arrays[MOST_KEPT];
    size_t count = 0;
};

PyObject *given_array(long long word, PyObject *const *args, Py_ssize_t count) {
    for (Py_ssize_t i = 0; i < count; i++)
        if (reinterpret_cast<long long>(args[i]) == (word & ~(MADE | ITSELF))) return args[i];
    return nullptr;
}

// Returns true if an answer can be made here: each array in it is one that was given, or one that is no view.
bool is_plain(const AnswerForm &form, const long long *words, PyObject *const *args, Py_ssize_t count) {
    if (form.kind == 't') {
        for (const AnswerForm &item : form.items)
            if (!is_plain(item, words, args, count)) return false;
    } else if (form.kind == 'a') {
        long long word = words[form.offset];
        return (word & ITSELF) && ((word & MADE) || given_array(word, args, count));
    }
    return true;
}

PyObject *array_of_block(const AnswerForm &form, long long word, MadeArrays &made) {
    for (size_t i = 0; i < made.count; i++)
        if (made.words[i] == word) return Py_NewRef(made.arrays[i]);
    auto *start = reinterpret_cast<char *>(word & ~(MADE | ITSELF));
    PyObject *array = array_of_memory(start, reinterpret_cast<PyArray_Descr *>(Py_NewRef(form.object)));
    if (!array) return nullptr;
    made.words[made.count] = word;
    made.arrays[made.count++] = array;
    return array;
}

// Returns an answer, as a new reference; null with an exception set.
PyObject *answer_of(const AnswerForm &form, long long *words, PyObject *const *args, Py_ssize_t count, MadeArrays &made) {
    long long *at = words + form.offset;
    double numbers[2];
    std::memcpy(numbers, at, form.kind == 'c' ? 16 : form.kind == 'f' ? 8 : 0);
    switch (form.kind) {
        case 'k': return Py_NewRef(form.object);
        case 'i': return PyLong_FromLongLong(*at);
        case 'u': return PyLong_FromUnsignedLongLong((unsigned long long)*at);
        case 'b': return PyBool_FromLong(*reinterpret_cast<char *>(at));
        case 'f': return PyFloat_FromDouble(numbers[0]);
        case 'c': return PyComplex_FromDoubles(numbers[0], numbers[1]);
        case 'n': return PyArray_Scalar(at, reinterpret_cast<PyArray_Descr *>(form.object), nullptr);
        case 'a': return *at & MADE ? array_of_block(form, *at, made) : Py_NewRef(given_array(*at, args, count));
    }
    PyObject *tuple = PyTuple_New(Py_ssize_t(form.items.size()));
    for (size_t i = 0; tuple && i < form.items.size(); i++) {
        PyObject *item = answer_of(form.items[i], words, args, count, made);
        if (!item) Py_CLEAR(tuple);
        else PyTuple_SET_ITEM(tuple, Py_ssize_t(i), item);
    }
    return tuple;
}

bool is_kept(const KeptWord &one, const long long *words) { return words[one.tag] == one.kind; }

// Frees the blocks of native code, as its names have no value any more, but those that are arrays' memory now.
void free_blocks(const std::vector<KeptWord> &kept, const long long *words) {
    long long freed[MOST_KEPT];
    size_t count = 0;
    for (const KeptWord &one : kept) {
        if (!is_kept(one, words) || !(words[one.word] & MADE)) continue;
        long long address = words[one.word] & ~(MADE | ITSELF);
        bool is_new = true;
        for (size_t i = 0; i < count; i++) is_new = is_new && freed[i] != address;
        if (!is_new) continue;
        freed[count++] = address;
        if (reinterpret_cast<BlockHead *>(address)->references < 0) continue;  // an array's own
        std::free(reinterpret_cast<void **>(address)[-1]);
    }
}

// Returns true if an argument is an array of more bytes.
bool has_larger(PyObject *const *args, Py_ssize_t count, Py_ssize_t bytes) {
    for (Py_ssize_t i = 0; i < count; i++)
        if (PyArray_CheckExact(args[i]) && PyArray_NBYTES(reinterpret_cast<PyArrayObject *>(args[i])) > bytes) return true;
    return false;
}

double seconds_now() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

// Has Python end a call. words: they are its own from now on, with the memory that they name.
PyObject *ended_by_python(BodyCalls *self, double since, long long number, long long *words, PyObject *const *args,
                          Py_ssize_t count) {
    double seconds = seconds_now() - since;
    PyObject *raised = raised_now(), *given = PyTuple_New(count);
    for (Py_ssize_t i = 0; given && i < count; i++) PyTuple_SET_ITEM(given, i, Py_NewRef(args[i]));
    PyObject *held = PyByteArray_FromStringAndSize(reinterpret_cast<char *>(words), self->entry->size * 8);
    PyObject *answer = nullptr;
    if (given && held)
        answer = PyObject_CallFunction(self->ended, "dLOOO", seconds, number, held, raised ? raised : Py_None, given);
    Py_XDECREF(raised);
    Py_XDECREF(given);
    Py_XDECREF(held);
    return answer;
}

// Does one of the calls that are lent. Returns null without an exception where nothing was done, as a value is of a type
// that the native code does not take, or is too large. by_python: Python has ended the call, and counted it.
PyObject *body_answer(BodyCalls *self, PyObject *const *args, Py_ssize_t count, bool &by_python) {
    LoopEntry *entry = self->entry;
    if (count + 1 != entry->arguments) return nullptr;
    if (self->most_bytes && has_larger(args, count, self->most_bytes)) return self->left = 0, nullptr;
    if (self->given && *self->given != self->threads) return self->left = 0, nullptr;
    bool small = entry->size <= WORDS_ON_STACK;
    size_t bytes = size_t(entry->size) * 8;
    auto *words = static_cast<long long *>(small ? alloca(bytes) : PyMem_Malloc(bytes));
    auto **given = static_cast<PyObject **>(alloca(size_t(count + 1) * sizeof(PyObject *)));
    if (!words) return PyErr_NoMemory();
    given[0] = Py_True;  // in place of an iterator
    std::memcpy(given + 1, args, size_t(count) * sizeof(PyObject *));
    PyObject *answer = nullptr;
    double since = seconds_now();
    Found found;
    if (packed_words(entry, given, words, found)) {
        long long number = entry->function(words), type = words[self->tag];
        bool plain = !PyErr_Occurred() && size_t(number) < self->finishes->size() && (*self->finishes)[size_t(number)] &&
                     type > 0 && size_t(type) <= self->forms->size() &&
                     is_plain((*self->forms)[size_t(type - 1)], words, args, count);
        for (const KeptWord &one : *self->kept) plain = plain && !(one.is_object && is_kept(one, words));
        if (plain) {
            MadeArrays made;
            answer = answer_of((*self->forms)[size_t(type - 1)], words, args, count, made);
            free_blocks(*self->kept, words);
            if (self->timed) self->worked += seconds_now() - since;
        } else {
            by_python = true;
            self->left = 0;
            answer = ended_by_python(self, since, number, words, args, count);
        }
    } else {
        self->left = 0;
    }
    if (!small) PyMem_Free(words);
    return answer;
}

// ------------------------------------------------------------------------------------------------- as an object

PyTypeObject body_calls_type = {PyVarObject_HEAD_INIT(nullptr, 0)};

int visit_forms(const std::vector<AnswerForm> &forms, visitproc visit, void *arg) {
    for (const AnswerForm &form : forms) {
        Py_VISIT(form.object);
        if (int found = visit_forms(form.items, visit, arg)) return found;
    }
    return 0;
}

void clear_forms(std::vector<AnswerForm> &forms) {
    for (AnswerForm &form : forms) {
        Py_CLEAR(form.object);
        clear_forms(form.items);
    }
}

int body_calls_traverse(PyObject *object, visitproc visit, void *arg) {
    auto *self = reinterpret_cast<BodyCalls *>(object);
    Py_VISIT(reinterpret_cast<PyObject *>(self->entry));
    Py_VISIT(self->ended);
    return self->forms ? visit_forms(*self->forms, visit, arg) : 0;
}

// What is left is no loan: a call under way holds the object.
int body_calls_clear(PyObject *object) {
    auto *self = reinterpret_cast<BodyCalls *>(object);
    self->left = 0;
    Py_CLEAR(self->ended);
    return 0;
}

void body_calls_dealloc(PyObject *object) {
    PyObject_GC_UnTrack(object);
    auto *self = reinterpret_cast<BodyCalls *>(object);
    if (self->forms) clear_forms(*self->forms);
    Py_XDECREF(reinterpret_cast<PyObject *>(self->entry));
    Py_XDECREF(self->ended);
    delete self->finishes;
    delete self->forms;
    delete self->kept;
    Py_TYPE(object)->tp_free(object);
}

// Reads (kind, object, offset, items) for each form. Returns false with an exception set.
bool read_forms(PyObject *given, std::vector<AnswerForm> &forms) {
    if (!PyTuple_Check(given)) return PyErr_SetString(PyExc_TypeError, "forms are a tuple"), false;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(given); i++) {
        AnswerForm form;
        int kind;
        PyObject *object, *items;
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(given, i), "COnO", &kind, &object, &form.offset, &items)) return false;
        form.kind = char(kind);
        if ((kind == 'n' || kind == 'a') && !PyArray_DescrCheck(object))
            return PyErr_SetString(PyExc_TypeError, "no dtype"), false;
        if (!read_forms(items, form.items)) return clear_forms(form.items), false;
        form.object = Py_NewRef(object);
        forms.push_back(form);
    }
    return true;
}

// BodyCalls(entry, ended, finishes, tag, forms, kept, most_bytes, given): a kept word is (tag, kind, word, is_object)
PyObject *body_calls_new(PyTypeObject *type, PyObject *given, PyObject *) {
    PyObject *entry, *ended, *finishes, *forms, *kept;
    Py_ssize_t tag, most_bytes, count_at;
    if (!PyArg_ParseTuple(given, "O!OO!nO!O!nn", &loop_entry_type, &entry, &ended, &PyTuple_Type, &finishes, &tag,
                          &PyTuple_Type, &forms, &PyTuple_Type, &kept, &most_bytes, &count_at))
        return nullptr;
    if (PyTuple_GET_SIZE(kept) > Py_ssize_t(MOST_KEPT)) Py_RETURN_NONE;
    auto *self = reinterpret_cast<BodyCalls *>(type->tp_alloc(type, 0));
    if (!self) return nullptr;
    self->entry = reinterpret_cast<LoopEntry *>(Py_NewRef(entry));
    self->ended = Py_NewRef(ended);
    self->tag = tag;
    self->most_bytes = most_bytes;
    self->given = reinterpret_cast<const long long *>(count_at);
    self->finishes = new (std::nothrow) std::vector<char>;
    self->forms = new (std::nothrow) std::vector<AnswerForm>;
    self->kept = new (std::nothrow) std::vector<KeptWord>;
    if (!self->finishes || !self->forms || !self->kept) return Py_DECREF(self), PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(finishes); i++)
        self->finishes->push_back(PyTuple_GET_ITEM(finishes, i) == Py_True);
    if (!read_forms(forms, *self->forms)) return Py_DECREF(self), nullptr;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(kept); i++) {
        KeptWord one;
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(kept, i), "nLnp", &one.tag, &one.kind, &one.word, &one.is_object))
            return Py_DECREF(self), nullptr;
        self->kept->push_back(one);
    }
    return reinterpret_cast<PyObject *>(self);
}

PyMemberDef body_calls_members[] = {
    {"left", T_LONG, offsetof(BodyCalls, left), 0, "So many calls are lent."},
    {"threads", T_LONGLONG, offsetof(BodyCalls, threads), 0, "The count of threads that calls need."},
    {"timed", T_BOOL, offsetof(BodyCalls, timed), 0, "Tells if `worked` is kept."},
    {"worked", T_DOUBLE, offsetof(BodyCalls, worked), READONLY, "Seconds of the calls that were answered."},
    {nullptr, 0, 0, 0, nullptr}};

bool ready_body_calls() {
    body_calls_type.tp_name = "npcompile.lower._native.BodyCalls";
    body_calls_type.tp_basicsize = sizeof(BodyCalls);
    body_calls_type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC;
    body_calls_type.tp_new = body_calls_new;
    body_calls_type.tp_dealloc = body_calls_dealloc;
    body_calls_type.tp_traverse = body_calls_traverse;
    body_calls_type.tp_clear = body_calls_clear;
    body_calls_type.tp_members = body_calls_members;
    body_calls_type.tp_doc = "Calls of a function that is native as a whole: BodyCalls(entry, ended, finishes, tag, forms, "
                             "kept, most_bytes, given).";
    return PyType_Ready(&body_calls_type) == 0;
}

}  // namespace
