// Calls of recorded functions whose signature is known: from the arguments to the replay, without Python in between.
//
// It answers as RecordedFunction.__call__ does, and calls that where anything is unusual: another signature, a tracer, a
// filter of warnings, a device, a replay that is being measured, one that diverges. Included by native.cpp only.
#pragma once

#include <alloca.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <utility>

#include "binding.h"
#include "body_calls.h"
#include "fixed.h"
#include "passing.h"
#include "signature.h"
#include "slots.h"

namespace {

// One for the process, set once, by `use`.
struct Usual {
    PyObject *threads = nullptr;    // torch.get_num_threads
    PyObject *warnings = nullptr;   // the names of the module `warnings`
    PyObject *errors = nullptr;     // NumPy's context variable for floating-point errors
    PyObject *traps = nullptr;      // errstate.traps: tells if these are to be exceptions
    PyObject *device = nullptr;     // ours for the current device
    PyObject *devices = nullptr;    // the list of devices that were ever asked for
    PyObject *forced = nullptr;     // our context variable that tells if the device answers all calls
    PyObject *diverged = nullptr;   // the exception
    PyObject *call = nullptr;       // RecordedFunction.__call__ in Python
} usual;

struct Names {
    PyObject *filters, *prefer, *answer, *despite;
} names;

struct Slots {
    Slot front, unlooked, function_overdrawn, vector;           // of the recorded function
    Slot root, handle_vector;                                   // of its handle
    Slot cut_rest, cut_raises, cut_unanswered, cut_idle;        // of one that was cut
    // Of a specialisation, the state of a signature.
    Slot rest, trial, partitioned, ready, misses, is_numpys, raises, owed, lent, overdrawn;
    Slot calls, replays, host_calls, plain_calls, divergences, loop_entries, on_host;  // of its counts
    Slot left, on_device;  // of a contest between a device and the host
} slots;

PyTypeObject *handle_type = nullptr;  // of handles, which hold recorded functions for users

struct Front {
    PyObject_HEAD
    PyObject *function;  // the user's function
    PyObject *code;      // the function's code when this was made
    Parameters parameters;
    PyObject *own;       // leaves before those of the arguments
    PyObject *stats;     // its counts
    unsigned long long growing;  // bits for the places of arguments of which only the type counts
    bool quick;          // may the plain function be called here while kernels are compiled?
    bool direct;         // may the plain function be called here for good, without entering Python?
    PyObject *alone;     // the function whose calls of itself are plain, too; or null
    PyObject *holder;    // the cell or the namespace from which the function takes itself to call it; or null
    PyObject *cut;       // of a block, the cut function, which counts calls in a row that no kernel answers; or null
    PyObject *known;     // the text of a signature -> (state, count of threads, key, None or what `choose` was given)
    bool chosen;         // does the host answer calls of a signature under a device?
    PyObject *last_text, *last;  // of the call before
    PyObject *filters, *first, *errors;  // at the time when Python last found nothing unusual
    Passing passing;                     // calls that the plain function answers, as it did the last one
    PyObject *lender;                    // the state whose rest they are taken from, or null
    PyObject *words;                     // the set of texts and classes among the arguments of known signatures
    bool strangers;                      // the last signature was unknown
    long passed;                         // the number of such calls that have not been counted yet
    unsigned long long version;          // of the names of `warnings`, when `filters` was found there
};

void forget(Front *self) {
    Py_CLEAR(self->last_text);
    Py_CLEAR(self->last);
    if (self->known) PyDict_Clear(self->known);
    if (self->words) PySet_Clear(self->words);
    self->passing.end();
}

// Returns true if a context variable holds this (borrowed; `unset` if it holds nothing).
bool holds(PyObject *variable, PyObject *unset, PyObject *wanted) {
    PyObject *value = nullptr;
    if (PyContextVar_Get(variable, unset, &value) < 0) {
        PyErr_Clear();
        return false;
    }
    Py_XDECREF(value);
    return value == wanted;
}

// Returns true if no device is asked for. If none ever was in this process, the thread's context is not looked into.
bool is_without_device() { return !PyList_GET_SIZE(usual.devices) || holds(usual.device, nullptr, Py_None); }

// Returns the plain function (borrowed). Its calls of itself are plain, too, if its name still stands for the recorded one.
PyObject *plain_of(Front *self, PyObject *recorded) {
    if (!self->alone || !is_without_device()) return self->function;
    auto *function = reinterpret_cast<PyFunctionObject *>(self->function);
    auto *alone = reinterpret_cast<PyFunctionObject *>(self->alone);
    PyObject *held = PyCell_Check(self->holder) ? PyCell_GET(self->holder)
                                                : PyDict_GetItemWithError(self->holder, alone->func_name);
    bool same = alone->func_defaults == function->func_defaults && alone->func_kwdefaults == function->func_kwdefaults;
    bool own = held && PyObject_TypeCheck(held, handle_type) && slots.root.of(held) == recorded;
    return own && same ? self->alone : self->function;
}

PyObject *filters_now() { return PyDict_GetItemWithError(usual.warnings, names.filters); }

PyObject *first_of(PyObject *filters) {
    return filters && PyList_CheckExact(filters) && PyList_GET_SIZE(filters) ? PyList_GET_ITEM(filters, 0) : nullptr;
}

// Returns true if floating-point errors raise no exceptions: `with np.errstate(...)` sets a new value each time.
bool errors_pass(Front *self) {
    if (holds(usual.errors, Py_None, self->errors)) return true;
    PyObject *now = nullptr;
    if (PyContextVar_Get(usual.errors, Py_None, &now) < 0) return PyErr_Clear(), false;
    PyObject *trapped = PyObject_CallNoArgs(usual.traps);
    if (trapped == Py_False) std::swap(self->errors, now);
    if (!trapped) PyErr_Clear();
    Py_XDECREF(now);
    Py_XDECREF(trapped);
    return trapped == Py_False;
}

// Returns true if nothing asks for the call to be done by Python and NumPy, but perhaps a device.
bool is_calm_here(Front *self) {
    if (!are_as_they_were()) return false;
    unsigned long long version = version_of(usual.warnings);
    if (!version || version != self->version) {
        if (!self->filters || filters_now() != self->filters) return false;
        self->version = version;
    }
    if (first_of(self->filters) != self->first) return false;
    return errors_pass(self) && !PyThreadState_Get()->c_traceobj;  // sys.gettrace()
}

bool is_calm(Front *self) { return is_calm_here(self) && is_without_device(); }

// Returns the entry of a known signature (borrowed), or null.
PyObject *known_of(Front *self, char *text, Py_ssize_t size) {
    if (self->last_text && PyBytes_GET_SIZE(self->last_text) == size &&
        !std::memcmp(PyBytes_AS_STRING(self->last_text), text, size_t(size)))
        return self->last;
    PyObject *key = PyBytes_FromStringAndSize(text, size);
    PyObject *found = key ? PyDict_GetItemWithError(self->known, key) : nullptr;
    if (found) {
        Py_XSETREF(self->last_text, Py_NewRef(key));
        Py_XSETREF(self->last, Py_NewRef(found));
    }
    Py_XDECREF(key);
    if (!found) PyErr_Clear();
    return found;
}

bool same_threads(PyObject *wanted) {
    PyObject *now = PyObject_CallNoArgs(usual.threads);
    bool same = now && PyLong_AsLong(now) == PyLong_AsLong(wanted);
    Py_XDECREF(now);
    if (PyErr_Occurred()) PyErr_Clear();
    return same;
}

// Counts a call that has ended, with or without an exception, and returns its answer, `ended`.
PyObject *counted(Front *self, PyObject *ended, const Slot *kind, long hosts, long diverged) {
    PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
    if (!ended) PyErr_Fetch(&type, &value, &traceback);
    bool ok = count(self->stats, slots.calls, 1) && (!kind || count(self->stats, *kind, 1)) &&
              (!hosts || count(self->stats, slots.host_calls, hosts)) &&
              (!diverged || count(self->stats, slots.divergences, diverged));
    if (ok) {
        if (!ended) PyErr_Restore(type, value, traceback);
        return ended;
    }
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(traceback);
    Py_XDECREF(ended);
    return nullptr;
}

// Counts the calls that were passed on by their arguments alone.
bool count_passed(Front *self) {
    long passed = std::exchange(self->passed, 0);
    return !passed || (count(self->stats, slots.calls, passed) && count(self->stats, slots.plain_calls, passed));
}

// Notes that the plain function answers a block's call. Returns false with an exception set.
bool unanswered(Front *self) {
    return !self->cut || comes_to_nothing(self->cut, slots.cut_unanswered);
}

// Notes that a kernel has answered a block's call.
void answers(Front *self) {
    if (!self->cut) return;
    for (const Slot &slot : {slots.cut_unanswered, slots.cut_idle}) {
        PyObject *&held = slot.of(self->cut);
        if (held && PyLong_AsLong(held)) Py_SETREF(held, PyLong_FromLong(0));
    }
}

// Calls a method of Python's by a call's arguments, after so many others: `method(*first, args, kwargs)`.
PyObject *with_arguments(PyObject *object, PyObject *method, PyObject *first, const Bound &bound) {
    PyObject *given = PyTuple_New(bound.count), *named = bound.named ? Py_NewRef(bound.named) : PyDict_New();
    PyObject *answer = nullptr;
    for (Py_ssize_t i = 0; given && i < bound.count; i++) PyTuple_SET_ITEM(given, i, Py_NewRef(bound.args[i]));
    if (given && named) answer = PyObject_CallMethodObjArgs(object, method, first, given, named, nullptr);
    Py_XDECREF(given);
    Py_XDECREF(named);
    return answer;
}

// Returns the answer of a call whose replay has raised; null if the exception is the user's, which stays set.
PyObject *despite(PyObject *recorded, const Bound &bound) {
    PyObject *type, *error, *traceback;
    PyErr_Fetch(&type, &error, &traceback);
    PyErr_NormalizeException(&type, &error, &traceback);
    if (traceback) PyException_SetTraceback(error, traceback);
    PyObject *answer = with_arguments(recorded, names.despite, error, bound);
    if (answer == error) {
        Py_DECREF(answer);
        PyErr_Restore(type, error, traceback);
        return nullptr;
    }
    Py_XDECREF(type);
    Py_XDECREF(error);
    Py_XDECREF(traceback);
    return answer;
}

// Returns the answer of the first replay that does not diverge; null without an exception if Python has to answer.
PyObject *replayed(Front *self, PyObject *recorded, PyObject *state, PyObject *ready, Signature &signature,
                   const Bound &bound, long &diverged) {
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(ready); i++) {
        PyObject *pair = Py_NewRef(PyList_GET_ITEM(ready, i)), *replay = PyTuple_GET_ITEM(pair, 0);
        PyObject *answer = PyObject_Vectorcall(replay, signature.leaves.data(), signature.leaves.size, nullptr);
        if (!answer && PyErr_ExceptionMatches(usual.diverged)) {
            PyErr_Clear();
            diverged++;
        } else if (!answer) {
            Py_DECREF(pair);
            return counted(self, despite(recorded, bound), nullptr, 0, diverged);
        } else {
            answer = counted(self, answer, &slots.replays, PyLong_AsLong(PyTuple_GET_ITEM(pair, 1)), diverged);
            PyObject *&misses = slots.misses.of(state);
            bool ok = answer != nullptr;
            if (ok) answers(self);
            if (ok && misses && PyObject_IsTrue(misses)) Py_SETREF(misses, PyLong_FromLong(0));
            if (ok && PyList_GET_SIZE(ready) > 1) {
                PyObject *done = PyObject_CallMethodOneArg(state, names.prefer, replay);
                if (!done) PyErr_Clear();  // the answer is there
                Py_XDECREF(done);
            }
            if (!ok) Py_CLEAR(answer);
            Py_DECREF(pair);
            return answer;
        }
        Py_DECREF(pair);
    }
    return nullptr;
}

constexpr long MOST_PASSED = 256;  // calls passed on by their arguments alone before a signature is looked at again

// Returns true if the plain function answers for now: of a cut function of which nothing is compiled, a signature whose
// kernels are being compiled, or an unknown one.
bool rests(PyObject *object, Slot slot) {
    PyObject *held = slot.of(object);
    long rest = held ? PyLong_AsLong(held) : 0;
    if (rest > 0 && count(object, slot, -1)) return true;
    PyErr_Clear();
    return false;
}

// Passes on further calls like this one, of a signature that the plain function answers for good, or while it rests.
void pass_on(Front *self, PyObject *state, bool rests, PyObject *const *args, Py_ssize_t given) {
    PyObject *held = slots.rest.of(state);
    long calls = rests ? std::min(held ? PyLong_AsLong(held) : 0, MOST_PASSED) : MOST_PASSED;
    if (calls <= 0 || !self->passing.begin(args, given, calls) || !rests) return;
    if (!count(state, slots.rest, -calls)) return PyErr_Clear();
    Py_XSETREF(self->lender, Py_NewRef(state));
}

// Ends passing calls on, as this one is another; the rest of their number goes back to the state.
void give_back(Front *self) {
    if (!self->lender) return;
    if (long left = self->passing.rest(); left && !count(self->lender, slots.rest, left)) PyErr_Clear();
    self->passing.end();
    Py_CLEAR(self->lender);
}

// Returns the object that tells an argument from others of its kind: a text, a class, or (of an object) its class. Null
// if only Python could tell if two are equal.
PyObject *word_of(PyObject *arg) {
    if (PyUnicode_CheckExact(arg)) return arg;
    auto *kind = reinterpret_cast<PyObject *>(PyType_Check(arg) ? reinterpret_cast<PyTypeObject *>(arg) : Py_TYPE(arg));
    return Py_IS_TYPE(kind, &PyType_Type) ? kind : nullptr;
}

// Keeps the words of a known signature's arguments.
bool learn_words(Front *self, PyObject *args) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); i++)
        if (PyObject *word = word_of(PyTuple_GET_ITEM(args, i)); word && PySet_Add(self->words, word) < 0) return false;
    return true;
}

// Returns true if an argument shows that a call's signature is unknown, and such calls are not looked at for now.
bool is_strangers(Front *self, PyObject *recorded, PyObject *const *args, Py_ssize_t given) {
    if (!self->strangers || PyFunction_GET_CODE(self->function) != self->code || !is_calm(self)) return false;
    for (Py_ssize_t i = 0; i < given; i++) {
        PyObject *word = word_of(args[i]);
        int known = word ? PySet_Contains(self->words, word) : 1;
        if (known < 0) PyErr_Clear();
        if (!known) return rests(recorded, slots.unlooked);
    }
    return false;
}

// Calls the plain function for a signature whose calls raised; one that does not raise is recorded again next time.
PyObject *raising(Front *self, PyObject *recorded, PyObject *state, PyObject *const *args, Py_ssize_t given, PyObject *named,
                  long diverged) {
    PyObject *answer = PyObject_Vectorcall(plain_of(self, recorded), args, size_t(given), named);
    if (answer) {
        if (diverged) Py_XSETREF(slots.misses.of(state), PyLong_FromLong(1));  // it is no replay
        Py_XSETREF(slots.raises.of(state), Py_NewRef(Py_False));
        if (!count(state, slots.owed, -1)) Py_CLEAR(answer);
    }
    return counted(self, answer, &slots.plain_calls, 0, diverged);
}

thread_local int paying_calls = 0;  // at hand, each within the one before

// Returns true if a signature, or a function, is to pay for machinery that came to nothing.
bool owes(PyObject *account, const Slot &slot) {
    PyObject *overdrawn = slot.of(account);
    return overdrawn && PyFloat_CheckExact(overdrawn) && PyFloat_AS_DOUBLE(overdrawn) > 0;
}

// Calls the plain function to pay. Its seconds count, but within another such call, which counts them.
PyObject *paying(Front *self, PyObject *recorded, PyObject *account, const Slot &slot, PyObject *const *args,
                 Py_ssize_t given, PyObject *named) {
    using Clock = std::chrono::steady_clock;
    bool counts = !paying_calls++;
    auto start = counts ? Clock::now() : Clock::time_point();
    PyObject *answer = PyObject_Vectorcall(plain_of(self, recorded), args, size_t(given), named);
    paying_calls--;
    if (counts) {
        double took = std::chrono::duration<double>(Clock::now() - start).count();
        PyObject *&held = slot.of(account);
        if (PyObject *left = PyFloat_FromDouble(PyFloat_AS_DOUBLE(held) - took)) Py_SETREF(held, left);
    }
    return counted(self, answer, &slots.plain_calls, 0, 0);
}

// Answers a call of a function that is native as a whole, where Python has lent calls of the signature's; null without an
// exception where it has not.
PyObject *by_body(Front *self, PyObject *state, const Bound &bound) {
    PyObject *lent = slots.lent.of(state);
    if (!lent || lent == Py_None || bound.named) return nullptr;
    auto *calls = reinterpret_cast<BodyCalls *>(Py_NewRef(lent));
    PyObject *answer = nullptr;
    if (calls->left > 0) {
        calls->left--;
        bool by_python = false;
        answer = body_answer(calls, bound.args, bound.count, by_python);
        if (by_python) {
            answer = counted(self, answer, answer ? &slots.replays : nullptr, 0, 0);
        } else if (answer || PyErr_Occurred()) {
            answer = counted(self, answer, &slots.replays, 0, 0);
            if (answer && !count(self->stats, slots.loop_entries, 1)) Py_CLEAR(answer);
        }
    }
    Py_DECREF(lent);
    return answer;
}

// Returns the answer to a call of a known signature; null without an exception if Python has to answer. args, given and
// named: as the caller gave them.
PyObject *answered(Front *self, PyObject *recorded, PyObject *known, Signature &signature, const Bound &bound,
                   PyObject *const *args, Py_ssize_t given, PyObject *named) {
    PyObject *state = PyTuple_GET_ITEM(known, 0);
    PyObject *partitioned = slots.partitioned.of(state), *ready = slots.ready.of(state);
    if (!partitioned || !ready || !PyList_CheckExact(ready)) return nullptr;
    if (self->direct && !self->cut && owes(state, slots.overdrawn))
        return paying(self, recorded, state, slots.overdrawn, args, given, named);
    bool plain = self->direct;
    bool resting = false;  // the signature rests, not the whole cut function
    if (partitioned != Py_None) {
        if (plain && slots.cut_raises.of(partitioned) == Py_True) {
            Py_INCREF(partitioned);
            PyObject *answer = PyObject_Vectorcall(plain_of(self, recorded), args, size_t(given), named);
            if (answer) Py_XSETREF(slots.cut_raises.of(partitioned), Py_NewRef(Py_False));
            Py_DECREF(partitioned);
            return counted(self, answer, &slots.plain_calls, 0, 0);
        }
        plain = plain && (rests(partitioned, slots.cut_rest) || (resting = rests(state, slots.rest)));
    } else {
        if (slots.trial.of(state) != Py_None) return nullptr;
        bool may_raise = self->quick && slots.raises.of(state) == Py_True;
        if (PyList_GET_SIZE(ready)) {
            if (!same_threads(PyTuple_GET_ITEM(known, 1))) return nullptr;
            long diverged = 0;
            Py_INCREF(ready);
            PyObject *answer = replayed(self, recorded, state, ready, signature, bound, diverged);
            Py_DECREF(ready);
            if (answer || PyErr_Occurred() || !may_raise) return answer;
            return raising(self, recorded, state, args, given, named, diverged);
        }
        if (may_raise) return raising(self, recorded, state, args, given, named, 0);
        plain = plain && slots.is_numpys.of(state) == Py_True;
        plain = plain || (resting = self->quick && rests(state, slots.rest));
    }
    if (plain) {
        if (!unanswered(self)) return nullptr;
        if (!named && (resting || partitioned == Py_None)) pass_on(self, state, resting, args, given);
        PyObject *answer = PyObject_Vectorcall(plain_of(self, recorded), args, size_t(given), named);
        return counted(self, answer, &slots.plain_calls, 0, 0);
    }
    if (partitioned != Py_None) {
        if (PyObject *answer = by_body(self, state, bound); answer || PyErr_Occurred()) return answer;
        if (!same_threads(PyTuple_GET_ITEM(known, 1)) || !count(self->stats, slots.calls, 1)) return nullptr;
        Py_INCREF(partitioned);
        PyObject *answer = with_arguments(partitioned, names.answer, state, bound);
        Py_DECREF(partitioned);
        return answer;
    }
    return nullptr;
}

// Returns true if the whole numbers among a call's leaves have these lengths, in bits.
bool are_as_long(Signature &signature, PyObject *lengths) {
    Py_ssize_t seen = 0;
    for (size_t i = 0; i < signature.leaves.size; i++) {
        PyObject *leaf = signature.leaves.data()[i];
        if (!PyLong_CheckExact(leaf)) continue;
        int overflow = 0;
        long long number = PyLong_AsLongLongAndOverflow(leaf, &overflow);
        if (overflow || seen == PyTuple_GET_SIZE(lengths)) return false;
        unsigned long long size = number < 0 ? 0 - static_cast<unsigned long long>(number) : number;
        long length = size ? 64 - __builtin_clzll(size) : 0;
        if (PyLong_AsLong(PyTuple_GET_ITEM(lengths, seen++)) != length) return false;
    }
    return seen == PyTuple_GET_SIZE(lengths);
}

// Returns the contest by which the host answers a call under the current device (borrowed); null if Python has to tell.
PyObject *hosts_contest(PyObject *known, Signature &signature) {
    PyObject *chosen = PyTuple_GET_ITEM(known, 3), *device = nullptr;
    if (chosen == Py_None || !holds(usual.forced, nullptr, Py_False)) return nullptr;
    if (!are_as_long(signature, PyTuple_GET_ITEM(chosen, 2))) return nullptr;
    PyObject *contest = PyTuple_GET_ITEM(chosen, 1), *left = slots.left.of(contest);
    if (slots.on_device.of(contest) != Py_False || !left || PyLong_AsLong(left) <= 0) return PyErr_Clear(), nullptr;
    if (PyContextVar_Get(usual.device, nullptr, &device) < 0 || !device) return PyErr_Clear(), nullptr;
    int same = PyObject_RichCompareBool(device, PyTuple_GET_ITEM(chosen, 0), Py_EQ);
    Py_DECREF(device);
    if (same < 0) PyErr_Clear();
    return same > 0 ? contest : nullptr;
}

// Answers a call under a device by the host, as `answered`.
PyObject *by_host(Front *self, PyObject *recorded, PyObject *known, Signature &signature, const Bound &bound,
                  PyObject *const *args, Py_ssize_t given, PyObject *named) {
    PyObject *contest = hosts_contest(known, signature);
    PyObject *token = contest ? PyContextVar_Set(usual.device, Py_None) : nullptr;
    if (!token) return nullptr;
    PyObject *answer = answered(self, recorded, known, signature, bound, args, given, named);
    PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
    if (!answer) PyErr_Fetch(&type, &value, &traceback);
    bool ok = PyContextVar_Reset(usual.device, token) == 0;
    Py_DECREF(token);
    if (answer || type) ok = ok && count(contest, slots.left, -1) && count(self->stats, slots.on_host, 1);
    if (ok && !answer) PyErr_Restore(type, value, traceback);
    if (ok) return answer;
    Py_XDECREF(answer);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(traceback);
    return nullptr;
}

// Answers a call by its signature.
PyObject *looked_at(Front *self, PyObject *recorded, PyObject *const *args, Py_ssize_t given, PyObject *named) {
    PyObject *answer = nullptr;
    bool apart = !is_without_device();
    if (apart && !self->chosen) return nullptr;
    if (PyFunction_GET_CODE(self->function) == self->code && is_calm_here(self)) {
        auto **room = static_cast<PyObject **>(alloca(sizeof(PyObject *) * size_t(self->parameters.arity() + 1)));
        Bound bound;
        if (bind(self->parameters, self->function, args, given, named, room, bound)) {
            Signature signature;
            bool ok = true;
            if (bound.args != args || bound.named) signature.own();
            for (Py_ssize_t i = 0; ok && i < PyTuple_GET_SIZE(self->own); i++)
                ok = signature.leaf(PyTuple_GET_ITEM(self->own, i));
            ok = ok && signature.of(bound.args, bound.count, self->growing) && (!bound.named || signature.of_named(bound.named));
            PyObject *known = ok ? known_of(self, signature.text.data(), Py_ssize_t(signature.text.size)) : nullptr;
            if (known) {
                self->strangers = false;
                Py_INCREF(known);
                answer = (apart ? by_host : answered)(self, recorded, known, signature, bound, args, given, named);
                Py_DECREF(known);
            } else if (ok && !apart && self->direct && rests(recorded, slots.unlooked)) {
                self->strangers = true;
                if (unanswered(self)) answer = PyObject_Vectorcall(plain_of(self, recorded), args, size_t(given), named);
                answer = counted(self, answer, &slots.plain_calls, 0, 0);
            } else if (!apart && self->direct && !self->cut && owes(recorded, slots.function_overdrawn)) {
                answer = paying(self, recorded, recorded, slots.function_overdrawn, args, given, named);
            }
        }
    }
    return answer;
}

// Answers a call of a recorded function that is not passed on at once.
__attribute__((noinline)) PyObject *slowly(PyObject *recorded, PyObject *const *args, size_t flags, PyObject *named) {
    PyObject *front = slots.front.of(recorded);
    Py_ssize_t given = PyVectorcall_NARGS(flags);
    if (front && front != Py_None) {
        Front *self = reinterpret_cast<Front *>(Py_NewRef(front));
        if (!named && is_strangers(self, recorded, args, given)) {
            self->passed++;
            PyObject *answer = nullptr;
            if (unanswered(self)) answer = PyObject_Vectorcall(plain_of(self, recorded), args, flags, nullptr);
            Py_DECREF(front);
            return answer;
        }
        give_back(self);
        PyObject *answer = count_passed(self) ? looked_at(self, recorded, args, given, named) : nullptr;
        Py_DECREF(front);
        if (answer || PyErr_Occurred()) return answer;
    }
    size_t count = size_t(given + (named ? PyTuple_GET_SIZE(named) : 0));
    auto **all = static_cast<PyObject **>(alloca(sizeof(PyObject *) * (count + 2)));
    all[0] = nullptr;  // room that the callee may use
    all[1] = recorded;
    std::memcpy(all + 2, args, sizeof(PyObject *) * count);
    return PyObject_Vectorcall(usual.call, all + 1, size_t(given + 1) | PY_VECTORCALL_ARGUMENTS_OFFSET, named);
}

// Calls a recorded function. A call that is passed on costs little more than the plain function does.
PyObject *vector(PyObject *recorded, PyObject *const *args, size_t flags, PyObject *named) {
    Front *self = reinterpret_cast<Front *>(slots.front.of(recorded));
    if (!self || reinterpret_cast<PyObject *>(self) == Py_None || named) return slowly(recorded, args, flags, named);
    if (PyFunction_GET_CODE(self->function) != self->code || !self->passing.takes(args, PyVectorcall_NARGS(flags)) ||
        !is_without_device())
        return slowly(recorded, args, flags, nullptr);
    self->passed++;
    if (self->cut && !unanswered(self)) return nullptr;
    PyObject *function = plain_of(self, recorded);
    return reinterpret_cast<PyFunctionObject *>(function)->vectorcall(function, args, flags, nullptr);
}

// RecordedFunction.__call__
PyObject *front_call(PyObject *recorded, PyObject *const *args, Py_ssize_t given, PyObject *named) {
    return vector(recorded, args, size_t(given), named);
}

// Answers the first call of each instance; later ones find `vector` in it.
PyObject *called(PyObject *recorded, PyObject *args, PyObject *named) {
    slots.vector.of(recorded) = reinterpret_cast<PyObject *>(vector);
    return PyVectorcall_Call(recorded, args, named);
}

// Calls the recorded function that a handle holds.
PyObject *handle_vector(PyObject *handle, PyObject *const *args, size_t flags, PyObject *named) {
    if (PyObject *recorded = slots.root.of(handle)) return vector(recorded, args, flags, named);
    return PyErr_SetString(PyExc_TypeError, "the jitted function was not initialized"), nullptr;
}

// Handle.__call__
PyObject *handle_call(PyObject *handle, PyObject *const *args, Py_ssize_t given, PyObject *named) {
    return handle_vector(handle, args, size_t(given), named);
}

// Answers the first call of each handle; later ones find `handle_vector` in it.
PyObject *handle_called(PyObject *handle, PyObject *args, PyObject *named) {
    slots.handle_vector.of(handle) = reinterpret_cast<PyObject *>(handle_vector);
    return PyVectorcall_Call(handle, args, named);
}

// Returns a handle as a method of an instance; the handle itself without one.
PyObject *got(PyObject *handle, PyObject *instance, PyObject *) {
    return instance && instance != Py_None ? PyMethod_New(handle, instance) : Py_NewRef(handle);
}

// ------------------------------------------------------------------------------------------------- as an object

// Front(function, (takes, only_named, only_positional, more, more_named), own, stats, growing, quick, direct, cut,
// (alone, holder) or None)
PyObject *front_new(PyTypeObject *type, PyObject *args, PyObject *) {
    PyObject *function, *takes, *only_named, *own, *stats, *cut, *recursion;
    Py_ssize_t only_positional;
    unsigned long long growing;
    int more, more_named, quick, direct;
    if (!PyArg_ParseTuple(args, "O!(O!O!npp)O!OKppOO", &PyFunction_Type, &function, &PyTuple_Type, &takes, &PyTuple_Type,
                          &only_named, &only_positional, &more, &more_named, &PyTuple_Type, &own, &stats, &growing, &quick,
                          &direct, &cut, &recursion))
        return nullptr;
    Front *self = reinterpret_cast<Front *>(type->tp_alloc(type, 0));
    if (!self) return nullptr;
    self->function = Py_NewRef(function);
    self->code = Py_NewRef(PyFunction_GET_CODE(function));
    self->parameters = {Py_NewRef(takes), Py_NewRef(only_named), only_positional, bool(more), bool(more_named)};
    self->own = Py_NewRef(own);
    self->stats = Py_NewRef(stats);
    self->growing = growing;
    self->quick = quick;
    self->direct = direct;
    self->cut = cut == Py_None ? nullptr : Py_NewRef(cut);
    if (PyTuple_CheckExact(recursion) && PyTuple_GET_SIZE(recursion) == 2) {
        self->alone = Py_NewRef(PyTuple_GET_ITEM(recursion, 0));
        self->holder = Py_NewRef(PyTuple_GET_ITEM(recursion, 1));
    }
    self->known = PyDict_New();
    self->words = PySet_New(nullptr);
    if (!self->known || !self->words) Py_CLEAR(self);
    return reinterpret_cast<PyObject *>(self);
}

// usual(): notes that Python has just found nothing unusual.
PyObject *front_usual(PyObject *object, PyObject *) {
    Front *self = reinterpret_cast<Front *>(object);
    PyObject *filters = filters_now(), *errors = nullptr;
    if (!filters) Py_RETURN_NONE;
    if (PyContextVar_Get(usual.errors, Py_None, &errors) < 0) return nullptr;
    Py_XSETREF(self->errors, errors);
    Py_XSETREF(self->filters, Py_NewRef(filters));
    self->version = 0;
    Py_XSETREF(self->first, Py_XNewRef(first_of(filters)));
    Py_RETURN_NONE;
}

// Puts an entry of a signature in the place of the one known. Returns false with an exception set.
bool know(Front *self, Signature &signature, PyObject *entry) {
    PyObject *text = PyBytes_FromStringAndSize(signature.text.data(), Py_ssize_t(signature.text.size));
    bool ok = text && entry && PyDict_SetItem(self->known, text, entry) == 0;
    Py_CLEAR(self->last_text);
    Py_CLEAR(self->last);
    Py_XDECREF(text);
    return ok;
}

// choose(args, named, device, contest, lengths): notes that under the device the host answers calls of a known signature,
// as often as their contest tells, where the whole numbers among their leaves have these lengths.
PyObject *front_choose(PyObject *object, PyObject *given) {
    Front *self = reinterpret_cast<Front *>(object);
    PyObject *args, *named, *device, *contest, *lengths;
    if (!PyArg_ParseTuple(given, "O!O!OOO!", &PyTuple_Type, &args, &PyDict_Type, &named, &device, &contest, &PyTuple_Type,
                          &lengths))
        return nullptr;
    Signature signature;
    if (!signature.of(reinterpret_cast<PyTupleObject *>(args)->ob_item, PyTuple_GET_SIZE(args), self->growing) ||
        (PyDict_GET_SIZE(named) && !signature.of_named(named)))
        Py_RETURN_NONE;
    PyObject *known = known_of(self, signature.text.data(), Py_ssize_t(signature.text.size));
    if (!known) Py_RETURN_NONE;
    PyObject *entry = Py_BuildValue("(OOO(OOO))", PyTuple_GET_ITEM(known, 0), PyTuple_GET_ITEM(known, 1),
                                    PyTuple_GET_ITEM(known, 2), device, contest, lengths);
    bool ok = know(self, signature, entry);
    Py_XDECREF(entry);
    self->chosen = true;
    return ok ? Py_NewRef(Py_None) : nullptr;
}

// note(args, named, state, threads, key): notes a signature, as Python has just found nothing unusual.
PyObject *front_note(PyObject *object, PyObject *given) {
    Front *self = reinterpret_cast<Front *>(object);
    constexpr Py_ssize_t most = 1024;
    PyObject *args, *named, *state, *threads, *key;
    if (!PyArg_ParseTuple(given, "O!O!OOO", &PyTuple_Type, &args, &PyDict_Type, &named, &state, &threads, &key))
        return nullptr;
    Signature signature;
    if (!signature.of(reinterpret_cast<PyTupleObject *>(args)->ob_item, PyTuple_GET_SIZE(args), self->growing) ||
        (PyDict_GET_SIZE(named) && !signature.of_named(named)))
        Py_RETURN_NONE;
    PyObject *done = front_usual(object, nullptr);
    if (!done) return nullptr;
    Py_DECREF(done);
    if (PyDict_GET_SIZE(self->known) >= most) forget(self);
    PyObject *before = known_of(self, signature.text.data(), Py_ssize_t(signature.text.size));
    PyObject *known = PyTuple_Pack(4, state, threads, key, before ? PyTuple_GET_ITEM(before, 3) : Py_None);
    bool ok = known && learn_words(self, args) && know(self, signature, known);
    Py_XDECREF(known);
    if (!ok) return nullptr;
    Py_RETURN_NONE;
}

PyObject *front_settle(PyObject *self, PyObject *) {
    return count_passed(reinterpret_cast<Front *>(self)) ? Py_NewRef(Py_None) : nullptr;
}

PyObject *front_look(PyObject *self, PyObject *) {
    reinterpret_cast<Front *>(self)->passing.end();
    Py_RETURN_NONE;
}

PyObject *front_forget(PyObject *self, PyObject *) {
    forget(reinterpret_cast<Front *>(self));
    Py_RETURN_NONE;
}

int front_traverse(PyObject *object, visitproc visit, void *arg) {
    Front *self = reinterpret_cast<Front *>(object);
    for (PyObject *held : {self->function, self->code, self->alone, self->holder, self->parameters.takes, self->parameters.only_named, self->own,
                           self->stats, self->known, self->last_text, self->last, self->filters, self->first,
                           self->errors, self->cut, self->lender, self->words})
        Py_VISIT(held);
    return self->passing.traverse(visit, arg);
}

int front_clear(PyObject *object) {
    Front *self = reinterpret_cast<Front *>(object);
    for (PyObject **held : {&self->function, &self->code, &self->alone, &self->holder, &self->parameters.takes, &self->parameters.only_named,
                            &self->own, &self->stats, &self->known, &self->last_text, &self->last, &self->filters,
                            &self->first, &self->errors, &self->cut, &self->lender, &self->words})
        Py_CLEAR(*held);
    self->passing.end();
    return 0;
}

void front_dealloc(PyObject *object) {
    PyObject_GC_UnTrack(object);
    front_clear(object);
    Py_TYPE(object)->tp_free(object);
}

PyMethodDef front_methods[] = {
    {"note", front_note, METH_VARARGS, "note(args, named, state, threads, key): calls like this are replays."},
    {"choose", front_choose, METH_VARARGS, "choose(args, named, device, contest, lengths): the host answers calls like this."},
    {"usual", front_usual, METH_NOARGS, "Python has found nothing unusual now."},
    {"settle", front_settle, METH_NOARGS, "All calls so far are counted."},
    {"look", front_look, METH_NOARGS, "The next call is looked at."},
    {"forget", front_forget, METH_NOARGS, "Nothing is known any more."},
    {nullptr, nullptr, 0, nullptr}};

PyTypeObject front_type = {PyVarObject_HEAD_INIT(nullptr, 0)};

bool ready_front() {
    front_type.tp_name = "npcompile.lower._native.Front";
    front_type.tp_basicsize = sizeof(Front);
    front_type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC;
    front_type.tp_new = front_new;
    front_type.tp_dealloc = front_dealloc;
    front_type.tp_traverse = front_traverse;
    front_type.tp_clear = front_clear;
    front_type.tp_methods = front_methods;
    front_type.tp_doc = "What is known of one recorded function's signatures: Front(function, (takes, only_named, "
                        "only_positional, more, more_named), own, stats, growing, quick, direct, cut, (alone, holder)).";
    struct {
        PyObject **name;
        const char *text;
    } all[] = {{&names.filters, "filters"}, {&names.prefer, "prefer"}, {&names.answer, "answer"},
              {&names.despite, "despite"}};
    for (auto &one : all)
        if (!(*one.name = PyUnicode_InternFromString(one.text))) return false;
    return PyType_Ready(&front_type) == 0;
}

PyMethodDef call_def = {"__call__", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(front_call)),
                        METH_FASTCALL | METH_KEYWORDS, "Call the function."};
PyMethodDef handle_def = {"__call__", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(handle_call)),
                          METH_FASTCALL | METH_KEYWORDS, "Call the function."};

// Makes Python call instances of a class, and of subclasses with this method, without looking it up; as well for binding
// them to instances.
bool take_over(PyTypeObject *kind, PyObject *call, ternaryfunc calls, Slot vector, PyObject *get) {
    auto *type = reinterpret_cast<PyObject *>(kind);
    PyObject *own = PyObject_GetAttrString(type, "__call__");
    PyObject *bound = get ? PyObject_GetAttrString(type, "__get__") : nullptr;
    if (own == call) {
        kind->tp_call = calls;
        kind->tp_vectorcall_offset = vector.at;
        kind->tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL;
    }
    if (bound && bound == get) {
        kind->tp_descr_get = got;
        kind->tp_flags |= Py_TPFLAGS_METHOD_DESCRIPTOR;  // a method is called without an object that binds it
    }
    bool ok = own && (bound || !get);
    Py_XDECREF(own);
    Py_XDECREF(bound);
    PyType_Modified(kind);
    PyObject *further = ok ? PyObject_CallMethod(type, "__subclasses__", nullptr) : nullptr;
    ok = further != nullptr;
    for (Py_ssize_t i = 0; ok && i < PyList_GET_SIZE(further); i++)
        ok = take_over(reinterpret_cast<PyTypeObject *>(PyList_GET_ITEM(further, i)), call, calls, vector, get);
    Py_XDECREF(further);
    return ok;
}

// direct(class of recorded functions, class of handles): their instances, which have the methods of `use`, are called by
// `vector` and by `handle_vector`.
PyObject *direct(PyObject *, PyObject *args) {
    PyTypeObject *type, *handle;
    if (!PyArg_ParseTuple(args, "O!O!", &PyType_Type, &type, &PyType_Type, &handle)) return nullptr;
    PyObject *call = PyObject_GetAttrString(reinterpret_cast<PyObject *>(type), "__call__");
    PyObject *by_users = PyObject_GetAttrString(reinterpret_cast<PyObject *>(handle), "__call__");
    PyObject *get = PyObject_GetAttrString(reinterpret_cast<PyObject *>(handle), "__get__");
    bool ok = call && by_users && get && take_over(type, call, called, slots.vector, nullptr) &&
              take_over(handle, by_users, handle_called, slots.handle_vector, get);
    Py_XDECREF(call);
    Py_XDECREF(by_users);
    Py_XDECREF(get);
    return ok ? Py_NewRef(Py_None) : nullptr;
}

// use((class of recorded functions, of their handles, of their cuts, of states, of counts, of contests), __call__ of the first, (threads,
// names of warnings, errors, traps, device, devices, forced, Diverged)): returns the replacements of the first two's `__call__`
PyObject *use(PyObject *, PyObject *args) {
    PyObject *type, *handle, *cut, *state, *counts, *contest, *call;
    PyObject *threads, *warnings, *errors, *traps, *device, *devices, *forced, *diverged;
    if (!PyArg_ParseTuple(args, "(O!O!OOOO)O(OO!OOOO!OO)", &PyType_Type, &type, &PyType_Type, &handle, &cut, &state, &counts, &contest, &call,
                          &threads, &PyDict_Type, &warnings, &errors, &traps, &device, &PyList_Type, &devices, &forced,
                          &diverged))
        return nullptr;
    if (!find_slots(type, {{"_front", &slots.front}, {"unlooked", &slots.unlooked},
                           {"overdrawn", &slots.function_overdrawn}, {"_vector", &slots.vector}}) ||
        !find_slots(handle, {{"_Handle__root", &slots.root}, {"_Handle__vector", &slots.handle_vector}}) ||
        !find_slots(cut, {{"rest", &slots.cut_rest}, {"raises", &slots.cut_raises},
                          {"unanswered", &slots.cut_unanswered}, {"idle", &slots.cut_idle}}) ||
        !find_slots(state, {{"trial", &slots.trial}, {"partitioned", &slots.partitioned}, {"ready", &slots.ready},
                            {"misses", &slots.misses}, {"rest", &slots.rest}, {"is_numpys", &slots.is_numpys},
                            {"raises", &slots.raises}, {"owed", &slots.owed}, {"lent", &slots.lent},
                            {"overdrawn", &slots.overdrawn}}) ||
        !find_slots(counts, {{"calls", &slots.calls}, {"replays", &slots.replays}, {"host_calls", &slots.host_calls},
                             {"plain_calls", &slots.plain_calls}, {"divergences", &slots.divergences},
                             {"loop_entries", &slots.loop_entries}, {"calls_on_host", &slots.on_host}}) ||
        !find_slots(contest, {{"left", &slots.left}, {"on_device", &slots.on_device}}))
        return nullptr;
    hide(type, "_vector");
    hide(handle, "_Handle__vector");
    handle_type = reinterpret_cast<PyTypeObject *>(handle);
    usual = {Py_NewRef(threads), Py_NewRef(warnings), Py_NewRef(errors),   Py_NewRef(traps), Py_NewRef(device),
             Py_NewRef(devices), Py_NewRef(forced),   Py_NewRef(diverged), Py_NewRef(call)};
    return Py_BuildValue("NN", PyDescr_NewMethod(reinterpret_cast<PyTypeObject *>(type), &call_def),
                         PyDescr_NewMethod(handle_type, &handle_def));
}

}  // namespace
