// The native runtime: calls of recorded functions, their guards and kernels, and the pool of reused buffers.
//
// Built once by the worker process into the kernel cache, never at import. Everything here follows NumPy's C API; the
// pool's buffers belong to arrays through NumPy's own allocator hook (NEP 49), so views, resize, DLPack and threads
// are NumPy's business as always.
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_2_0_API_VERSION
#include <numpy/arrayobject.h>
#include <unistd.h>

#include <cstddef>

#include "body_calls.h"
#include "entering.h"
#include "fixed.h"
#include "front.h"
#include "guards.h"
#include "kernel.h"
#include "loop_entry.h"
#include "pool.h"
#include "signature.h"
#include "team.h"

namespace {

// ------------------------------------------------------------------------------------------------- the module

PyObject *empty(PyObject *, PyObject *args) {
    Spec spec;
    PyObject *array = parse_spec(args, spec) ? new_array(spec) : nullptr;
    Py_XDECREF(spec.descr);
    return array;
}

PyObject *empty_cache(PyObject *, PyObject *) {
    pthread_mutex_lock(&pool.lock);
    Block *dropped = drop_until(0);
    pthread_mutex_unlock(&pool.lock);
    release_chain(dropped);
    Py_RETURN_NONE;
}

PyObject *set_limit(PyObject *, PyObject *arg) {
    size_t limit = PyLong_AsSize_t(arg);
    if (limit == size_t(-1) && PyErr_Occurred()) return nullptr;
    pthread_mutex_lock(&pool.lock);
    pool.limit = limit;
    Block *dropped = drop_until(limit);
    pthread_mutex_unlock(&pool.lock);
    release_chain(dropped);
    Py_RETURN_NONE;
}

PyObject *stats(PyObject *, PyObject *) {
    pthread_mutex_lock(&pool.lock);
    unsigned long long v[] = {pool.live_bytes, pool.free_bytes, pool.peak_bytes, pool.limit, pool.fresh, pool.reused};
    pthread_mutex_unlock(&pool.lock);
    return Py_BuildValue("{sKsKsKsKsKsK}", "live_bytes", v[0], "free_bytes", v[1], "peak_bytes", v[2], "limit", v[3],
                         "fresh", v[4], "reused", v[5]);
}

PyMethodDef methods[] = {
    {"signature", signature, METH_O, "Of a tuple of arguments: (bytes, leaves); None where that is left to Python."},
    {"deciding", deciding, METH_VARARGS, "What signatures cannot tell by the type alone: (types, classes, classes)."},
    {"use", use, METH_VARARGS, "Calls from now on: (classes, a __call__, what is asked at each) -> new methods."},
    {"direct", direct, METH_VARARGS, "Call instances of a class, and bind those of another, without a search."},
    {"entering", entering, METH_O, "Of a class of cuts: what it is to have as its `enter` from now on."},
    {"fixed", fixed, METH_O, "What is to be as it is: ((dictionary, names, values), ...)."},
    {"as_they_were", as_they_were, METH_NOARGS, "Whether it is; False while `fixed` has not been called."},
    {"adopt", adopt, METH_VARARGS, "The array of a block of native loops: (address, dtype) -> (array, if the memory is its)."},
    {"empty", empty, METH_VARARGS, "A new array of the pool: (kind, dtype kind, itemsize, shape, strides, written)."},
    {"empty_cache", empty_cache, METH_NOARGS, "Give all free buffers back to the system."},
    {"set_limit", set_limit, METH_O, "At most so many bytes are kept free."},
    {"stats", stats, METH_NOARGS, "Bytes in use and kept, allocations answered by the system and by the pool."},
    {nullptr, nullptr, 0, nullptr}};

PyModuleDef module_def = {PyModuleDef_HEAD_INIT, "_native", nullptr, -1, methods, nullptr, nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit__native(void) {
    import_array();
    pool.limit = size_t(sysconf(_SC_PHYS_PAGES)) * size_t(sysconf(_SC_PAGESIZE)) / 4;
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
    handler_capsule = PyCapsule_New(&handler, "mem_handler", nullptr);
    kernel_type.tp_name = "npcompile.lower._native.Kernel";
    kernel_type.tp_basicsize = sizeof(Kernel);
    kernel_type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL;
    kernel_type.tp_vectorcall_offset = offsetof(Kernel, vectorcall);
    kernel_type.tp_call = PyVectorcall_Call;
    kernel_type.tp_new = kernel_new;
    kernel_type.tp_dealloc = kernel_dealloc;
    kernel_type.tp_getset = kernel_fields;
    kernel_type.tp_doc = "One segment's kernel: call it with host values in the order of the segment's inputs.";
    bool ready = handler_capsule && PyType_Ready(&kernel_type) == 0 && ready_front() && ready_guards() &&
                 ready_loop_entry() && ready_body_calls();
    PyObject *module = ready ? PyModule_Create(&module_def) : nullptr;
    PyObject *calls = module ? PyLong_FromVoidPtr(const_cast<TeamCalls *>(&team_calls)) : nullptr;
    if (module && (!calls || PyModule_AddObjectRef(module, "team", calls) < 0)) Py_CLEAR(module);
    Py_XDECREF(calls);
    struct {
        const char *name;
        PyTypeObject *type;
    } types[] = {{"Kernel", &kernel_type}, {"Front", &front_type}, {"ArrayGuard", &array_guard_type},
                 {"OverlapGuard", &overlap_guard_type}, {"FunctionGuard", &function_guard_type},
                 {"KeysGuard", &keys_guard_type}, {"CodesGuard", &codes_guard_type},
                 {"ClassesGuard", &classes_guard_type}, {"LoopEntry", &loop_entry_type},
                 {"BodyCalls", &body_calls_type}};
    for (auto &one : types)
        if (module && PyModule_AddObjectRef(module, one.name, reinterpret_cast<PyObject *>(one.type)) < 0)
            Py_CLEAR(module);
    return module;
}
