// Calls of recorded functions whose signature is known: from the arguments to the replay, without Python in between.
//
// What it does is what Recorded.__call__ does, and where anything is not as usual that is what is called: another
// signature, a tracer, a filter of warnings, a device, a replay that is being measured, one that diverges.
// Included by native.cpp only.
#pragma once

#include <alloca.h>

#include <cstddef>
#include <cstring>
#include <initializer_list>

#include "binding.h"
#include "fixed.h"
#include "signature.h"

namespace {

// Of the process: set once, by `use`.
struct Usual {
    PyObject *trace = nullptr;      // sys.gettrace
    PyObject *threads = nullptr;    // torch.get_num_threads
    PyObject *warnings = nullptr;   // the names of that module
    PyObject *errors = nullptr;     // NumPy's context variable for floating-point errors
    PyObject *device = nullptr;     // ours for the current device
    PyObject *diverged = nullptr;   // the exception
    PyObject *call = nullptr;       // Recorded.__call__ as Python has it
} usual;

struct Names {
    PyObject *filters, *front, *trial, *outlined, *ready, *misses, *small, *settled, *rest, *calls, *replays, *host_calls, *plain_calls,
        *divergences, *prefer, *run;
} names;

struct Front {
    PyObject_HEAD
    PyObject *function;  // as it was written
    PyObject *code;      // that it had then
    Parameters parameters;
    PyObject *own;       // leaves before those of the arguments
    PyObject *stats;     // the dictionary of its counts
    bool direct;         // what is NumPy's for good is the function itself, called
    PyObject *known;     // by the text of a signature: (state, its dictionary, count of threads, key)
    PyObject *last_text, *last;  // of the call before
    PyObject *filters, *first, *errors;  // as they were when Python last found nothing unusual
};

void forget(Front *self) {
    Py_CLEAR(self->last_text);
    Py_CLEAR(self->last);
    if (self->known) PyDict_Clear(self->known);
}

// Adds to a count. False with an exception set.
bool count(PyObject *counts, PyObject *name, long more) {
    PyObject *held = PyDict_GetItemWithError(counts, name);
    long number = held ? PyLong_AsLong(held) : 0;
    if (PyErr_Occurred()) return false;
    PyObject *sum = PyLong_FromLong(number + more);
    bool ok = sum && PyDict_SetItem(counts, name, sum) == 0;
    Py_XDECREF(sum);
    return ok;
}

// Whether a context variable holds this (borrowed; `unset` where it holds nothing).
bool holds(PyObject *variable, PyObject *unset, PyObject *wanted) {
    PyObject *value = nullptr;
    if (PyContextVar_Get(variable, unset, &value) < 0) {
        PyErr_Clear();
        return false;
    }
    Py_XDECREF(value);
    return value == wanted;
}

PyObject *filters_now() { return PyDict_GetItemWithError(usual.warnings, names.filters); }

PyObject *first_of(PyObject *filters) {
    return filters && PyList_CheckExact(filters) && PyList_GET_SIZE(filters) ? PyList_GET_ITEM(filters, 0) : nullptr;
}

// Whether nothing asks for the call to be done by Python and NumPy.
bool is_calm(Front *self) {
    PyObject *filters = filters_now();
    if (!are_as_they_were()) return false;
    if (!filters || filters != self->filters || first_of(filters) != self->first) return false;
    if (!holds(usual.errors, Py_None, self->errors) || !holds(usual.device, nullptr, Py_None)) return false;
    PyObject *tracer = PyObject_CallNoArgs(usual.trace);
    if (!tracer) PyErr_Clear();
    Py_XDECREF(tracer);
    return tracer == Py_None;
}

// What is known of the signature (borrowed), or null.
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

// The counts of a call that has ended, with or without an exception; `ended` is its answer.
PyObject *counted(Front *self, PyObject *ended, PyObject *kind, long hosts, long diverged) {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    bool ok = count(self->stats, names.calls, 1) && (!kind || count(self->stats, kind, 1)) &&
              (!hosts || count(self->stats, names.host_calls, hosts)) &&
              (!diverged || count(self->stats, names.divergences, diverged));
    if (ok) {
        PyErr_Restore(type, value, traceback);
        return ended;
    }
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(traceback);
    Py_XDECREF(ended);
    return nullptr;
}

bool reset(PyObject *held, PyObject *name) {
    PyObject *zero = PyLong_FromLong(0);
    bool ok = zero && PyDict_SetItem(held, name, zero) == 0;
    Py_XDECREF(zero);
    return ok;
}

// The answer of the first replay that does not diverge; null without an exception where Python is to see to it.
PyObject *replayed(Front *self, PyObject *state, PyObject *held, PyObject *ready, Signature &signature) {
    long diverged = 0;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(ready); i++) {
        PyObject *pair = Py_NewRef(PyList_GET_ITEM(ready, i)), *replay = PyTuple_GET_ITEM(pair, 0);
        PyObject *answer = PyObject_Vectorcall(replay, signature.leaves.data(), signature.leaves.size, nullptr);
        if (!answer && PyErr_ExceptionMatches(usual.diverged)) {
            PyErr_Clear();
            diverged++;
        } else if (!answer) {
            Py_DECREF(pair);
            return counted(self, nullptr, nullptr, 0, diverged);
        } else {
            answer = counted(self, answer, names.replays, PyLong_AsLong(PyTuple_GET_ITEM(pair, 1)), diverged);
            PyObject *misses = PyDict_GetItemWithError(held, names.misses);
            bool ok = answer && (!misses || PyObject_Not(misses) || reset(held, names.misses));
            if (ok && PyList_GET_SIZE(ready) > 1) {
                PyObject *done = PyObject_CallMethodOneArg(state, names.prefer, replay);
                ok = done != nullptr;
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

// Whether a function that was cut into blocks, of which nothing is compiled, is called as it is for now.
bool rests(PyObject *outlined) {
    PyObject *held = PyObject_GetAttr(outlined, names.rest), *left = nullptr;
    long rest = held ? PyLong_AsLong(held) : 0;
    bool ok = rest > 0 && (left = PyLong_FromLong(rest - 1)) && PyObject_SetAttr(outlined, names.rest, left) == 0;
    Py_XDECREF(left);
    Py_XDECREF(held);
    if (!ok) PyErr_Clear();
    return ok;
}

// What a cut function answers.
PyObject *run_cut(PyObject *outlined, const Bound &bound) {
    PyObject *given = PyTuple_New(bound.count), *named = bound.named ? Py_NewRef(bound.named) : PyDict_New();
    PyObject *answer = nullptr;
    for (Py_ssize_t i = 0; given && i < bound.count; i++) PyTuple_SET_ITEM(given, i, Py_NewRef(bound.args[i]));
    if (given && named) answer = PyObject_CallMethodObjArgs(outlined, names.run, given, named, nullptr);
    Py_XDECREF(given);
    Py_XDECREF(named);
    return answer;
}

// What a known signature's call comes to; null without an exception where Python is to see to it. args, given and
// named: as the caller wrote them.
PyObject *answered(Front *self, PyObject *known, Signature &signature, const Bound &bound, PyObject *const *args,
                   Py_ssize_t given, PyObject *named) {
    PyObject *state = PyTuple_GET_ITEM(known, 0), *held = PyTuple_GET_ITEM(known, 1);
    auto in_state = [held](PyObject *name) { return PyDict_GetItemWithError(held, name); };
    PyObject *outlined = in_state(names.outlined), *ready = in_state(names.ready);
    if (!outlined || !ready || !PyList_CheckExact(ready)) return nullptr;
    bool plain = self->direct;
    if (outlined != Py_None) {
        plain = plain && rests(outlined);
    } else {
        if (in_state(names.trial) != Py_None) return nullptr;
        if (PyList_GET_SIZE(ready)) {
            Py_INCREF(ready);
            PyObject *answer = replayed(self, state, held, ready, signature);
            Py_DECREF(ready);
            return answer;
        }
        plain = plain && (in_state(names.small) == Py_True || in_state(names.settled) == Py_True);
    }
    if (plain) {
        PyObject *answer = PyObject_Vectorcall(self->function, args, size_t(given), named);
        return counted(self, answer, names.plain_calls, 0, 0);
    }
    if (outlined != Py_None) {
        if (!count(self->stats, names.calls, 1)) return nullptr;
        Py_INCREF(outlined);
        PyObject *answer = run_cut(outlined, bound);
        Py_DECREF(outlined);
        return answer;
    }
    return nullptr;
}

// The front of a function (a new reference), once there is something to be known.
PyObject *front_of(PyObject *recorded) {
    PyObject *found = PyObject_GetAttr(recorded, names.front);
    if (!found) PyErr_Clear();
    if (found == Py_None) Py_CLEAR(found);
    return found;
}

// Recorded.__call__
PyObject *front_call(PyObject *recorded, PyObject *const *args, Py_ssize_t given, PyObject *named) {
    Front *self = reinterpret_cast<Front *>(front_of(recorded));
    PyObject *answer = nullptr;
    if (self && PyFunction_GET_CODE(self->function) == self->code && is_calm(self)) {
        auto **room = static_cast<PyObject **>(alloca(sizeof(PyObject *) * size_t(self->parameters.arity() + 1)));
        Bound bound;
        if (bind(self->parameters, self->function, args, given, named, room, bound)) {
            Signature signature;
            bool ok = true;
            if (bound.args != args || bound.named) signature.own();
            for (Py_ssize_t i = 0; ok && i < PyTuple_GET_SIZE(self->own); i++)
                ok = signature.leaf(PyTuple_GET_ITEM(self->own, i));
            ok = ok && signature.of(bound.args, bound.count) && (!bound.named || signature.of_named(bound.named));
            PyObject *known = ok ? known_of(self, signature.text.data(), Py_ssize_t(signature.text.size)) : nullptr;
            if (known && same_threads(PyTuple_GET_ITEM(known, 2))) {
                Py_INCREF(known);
                answer = answered(self, known, signature, bound, args, given, named);
                Py_DECREF(known);
            }
        }
    }
    Py_XDECREF(self);
    if (answer || PyErr_Occurred()) return answer;
    auto **all = static_cast<PyObject **>(alloca(sizeof(PyObject *) * size_t(given + 2 + (named ? PyTuple_GET_SIZE(named) : 0))));
    all[0] = nullptr;  // room that the callee may use
    all[1] = recorded;
    std::memcpy(all + 2, args, sizeof(PyObject *) * size_t(given + (named ? PyTuple_GET_SIZE(named) : 0)));
    return PyObject_Vectorcall(usual.call, all + 1, size_t(given + 1) | PY_VECTORCALL_ARGUMENTS_OFFSET, named);
}

// Recorded.__get__: a method of the instance.
PyObject *front_get(PyObject *recorded, PyObject *const *args, Py_ssize_t given, PyObject *) {
    return given && args[0] != Py_None ? PyMethod_New(recorded, args[0]) : Py_NewRef(recorded);
}

// ------------------------------------------------------------------------------------------------- as an object

// Front(function, (takes, only_named, only_positional, more, more_named), own, stats, direct)
PyObject *front_new(PyTypeObject *type, PyObject *args, PyObject *) {
    PyObject *function, *takes, *only_named, *own, *stats;
    Py_ssize_t only_positional;
    int more, more_named, direct;
    if (!PyArg_ParseTuple(args, "O!(O!O!npp)O!O!p", &PyFunction_Type, &function, &PyTuple_Type, &takes, &PyTuple_Type,
                          &only_named, &only_positional, &more, &more_named, &PyTuple_Type, &own, &PyDict_Type, &stats,
                          &direct))
        return nullptr;
    Front *self = reinterpret_cast<Front *>(type->tp_alloc(type, 0));
    if (!self) return nullptr;
    self->function = Py_NewRef(function);
    self->code = Py_NewRef(PyFunction_GET_CODE(function));
    self->parameters = {Py_NewRef(takes), Py_NewRef(only_named), only_positional, bool(more), bool(more_named)};
    self->own = Py_NewRef(own);
    self->stats = Py_NewRef(stats);
    self->direct = direct;
    self->known = PyDict_New();
    if (!self->known) Py_CLEAR(self);
    return reinterpret_cast<PyObject *>(self);
}

// note(args, named, state, its dictionary, threads, key): calls like this one, now that Python has found nothing unusual.
PyObject *front_note(PyObject *object, PyObject *given) {
    Front *self = reinterpret_cast<Front *>(object);
    constexpr Py_ssize_t most = 1024;
    PyObject *args, *named, *state, *held, *threads, *key;
    if (!PyArg_ParseTuple(given, "O!O!OO!OO", &PyTuple_Type, &args, &PyDict_Type, &named, &state, &PyDict_Type, &held,
                          &threads, &key))
        return nullptr;
    Signature signature;
    PyObject *filters = filters_now(), *errors = nullptr;
    if (!filters || !signature.of(reinterpret_cast<PyTupleObject *>(args)->ob_item, PyTuple_GET_SIZE(args)) ||
        (PyDict_GET_SIZE(named) && !signature.of_named(named)))
        Py_RETURN_NONE;
    if (PyContextVar_Get(usual.errors, Py_None, &errors) < 0) return nullptr;
    Py_XSETREF(self->errors, errors);
    Py_XSETREF(self->filters, Py_NewRef(filters));
    Py_XSETREF(self->first, Py_XNewRef(first_of(filters)));
    if (PyDict_GET_SIZE(self->known) >= most) forget(self);
    PyObject *text = PyBytes_FromStringAndSize(signature.text.data(), Py_ssize_t(signature.text.size));
    PyObject *known = PyTuple_Pack(4, state, held, threads, key);
    bool ok = text && known && PyDict_SetItem(self->known, text, known) == 0;
    Py_CLEAR(self->last_text);
    Py_CLEAR(self->last);
    Py_XDECREF(text);
    Py_XDECREF(known);
    if (!ok) return nullptr;
    Py_RETURN_NONE;
}

PyObject *front_forget(PyObject *self, PyObject *) {
    forget(reinterpret_cast<Front *>(self));
    Py_RETURN_NONE;
}

int front_traverse(PyObject *object, visitproc visit, void *arg) {
    Front *self = reinterpret_cast<Front *>(object);
    for (PyObject *held : {self->function, self->code, self->parameters.takes, self->parameters.only_named, self->own,
                           self->stats, self->known, self->last_text, self->last, self->filters, self->first,
                           self->errors})
        Py_VISIT(held);
    return 0;
}

int front_clear(PyObject *object) {
    Front *self = reinterpret_cast<Front *>(object);
    for (PyObject **held : {&self->function, &self->code, &self->parameters.takes, &self->parameters.only_named,
                            &self->own, &self->stats, &self->known, &self->last_text, &self->last, &self->filters,
                            &self->first, &self->errors})
        Py_CLEAR(*held);
    return 0;
}

void front_dealloc(PyObject *object) {
    PyObject_GC_UnTrack(object);
    front_clear(object);
    Py_TYPE(object)->tp_free(object);
}

PyMethodDef front_methods[] = {
    {"note", front_note, METH_VARARGS, "note(args, named, state, its dictionary, threads, key): calls like this are replays."},
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
                        "only_positional, more, more_named), own, stats, direct).";
    struct {
        PyObject **name;
        const char *text;
    } all[] = {{&names.filters, "filters"}, {&names.front, "_front"}, {&names.trial, "trial"},
               {&names.outlined, "outlined"}, {&names.ready, "ready"}, {&names.misses, "misses"},
               {&names.small, "small"}, {&names.settled, "settled"}, {&names.rest, "rest"},
               {&names.calls, "calls"}, {&names.replays, "replays"},
               {&names.host_calls, "host_calls"}, {&names.plain_calls, "plain_calls"},
               {&names.divergences, "divergences"}, {&names.prefer, "prefer"}, {&names.run, "run"}};
    for (auto &one : all)
        if (!(*one.name = PyUnicode_InternFromString(one.text))) return false;
    return PyType_Ready(&front_type) == 0;
}

PyMethodDef call_def = {"__call__", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(front_call)),
                        METH_FASTCALL | METH_KEYWORDS, "Call the function."};
PyMethodDef get_def = {"__get__", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(front_get)),
                       METH_FASTCALL | METH_KEYWORDS, "As a method of an instance."};

// use(class, its __call__, (gettrace, threads, names of warnings, errors, device, Diverged)): what it is to have instead
PyObject *use(PyObject *, PyObject *args) {
    PyObject *type, *call, *trace, *threads, *warnings, *errors, *device, *diverged;
    if (!PyArg_ParseTuple(args, "O!O(OOO!OOO)", &PyType_Type, &type, &call, &trace, &threads, &PyDict_Type, &warnings,
                          &errors, &device, &diverged))
        return nullptr;
    usual = {Py_NewRef(trace),  Py_NewRef(threads),  Py_NewRef(warnings), Py_NewRef(errors),
             Py_NewRef(device), Py_NewRef(diverged), Py_NewRef(call)};
    auto *kind = reinterpret_cast<PyTypeObject *>(type);
    PyObject *calling = PyDescr_NewMethod(kind, &call_def), *getting = PyDescr_NewMethod(kind, &get_def);
    if (calling && getting) return Py_BuildValue("{sNsN}", "__call__", calling, "__get__", getting);
    Py_XDECREF(calling);
    Py_XDECREF(getting);
    return nullptr;
}

}  // namespace
