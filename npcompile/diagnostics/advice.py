"""From the reason why something runs uncompiled to what to write instead."""

from __future__ import annotations

import re

# The first pattern found in a reason decides. A recording words its reasons where it gives up; here stands
# what a user can do about each.
_ADVICE: tuple[tuple[str, str], ...] = (
    (
        r"No space left|Disk quota|Read-only file|Permission denied|no folder for kernels",
        "space and permission to write in the folder that NPCOMPILE_CACHE_DIR names (~/.cache/npcompile)",
    ),
    (
        r"not in the cache folder|cannot open shared|ImportError|invalid ELF|file too short|failed to map",
        "another folder for kernels by NPCOMPILE_CACHE_DIR, or remove ~/.cache/npcompile: it is made anew",
    ),
    (
        r"process died|no thread for|Cannot allocate|MemoryError|temporarily unavailable",
        "more memory, processes and threads for this program: the system ended the compiler or refused it",
    ),
    (r"more than \d+ signatures", "call it with fewer shapes and dtypes: pad or group the arrays"),
    (
        r"more than \d+ ways|went another way",
        "decide with np.where in place of `if`, or outside the function",
    ),
    (
        r"loop of more than|loops are unrolled|too little work",
        "take whole arrays in place of one element at each trip",
    ),
    (r"depends on the trip|other sizes at each trip", "take slices that stay the same, or whole arrays"),
    (
        r"sizes or decisions of its own",
        "keep the size: np.where, or `where=` of reductions; and decide outside the function",
    ),
    (r"operations, more than", "a loop in place of repeated lines, or several functions"),
    (r"a loop over", "loop over a range, a list or an array"),
    (r"a store to attribute|deleting attribute", "return the new value, and store it in the caller"),
    (r"a store to (global|closure)|container from outside is used in place", "return the new value instead"),
    (
        r"gave decides after the call",
        "call it in the caller, and pass what it gives as an argument; without strict=True it may stay, and "
        "what is around it is compiled",
    ),
    (
        r"a library's function",
        "leave it, or call it in the caller and pass what it gives; what is around it is compiled",
    ),
    (r"decides? after|are checked after", "decide before the first write or print"),
    (r"exception was caught", "test for the case before, with np.where or np.errstate"),
    (r"with statement on", "enter the context in the caller"),
    (r"generator|coroutine", "put the array work into a function of its own, and decorate that"),
    (r"source|lambda", "write it as a function of its own, with `def`, in a file"),
    (r"uses \w+\(\)|super in an unusual", "pass what it reads as an argument"),
    (r"is not a Python function", "wrap it in a function, and decorate that"),
    (r"ndarray subclass", "pass np.asarray(x)"),
    (r"mask as an index", "a.mean(where=m), np.where(m, f(a), a) and the like keep the whole array's size"),
    (r"values for the places of a mask", "a[...] = np.where(m, new, a), with `new` of the shape of `a`"),
    (r"a mask of another shape|a mask among other indices", "one mask, of the shape of the array"),
    (r"depends on the data", "keep the size: np.where, or `where=` of reductions"),
    (r"a list (stored|copied) into", "np.array([...]) once, before"),
    (r"out=", "a[...] = f(x) in place of f(x, out=a)"),
    (r"keyword (order|subok|casting|signature|like)\b", "leave that keyword out, if its default will do"),
    (r"for its effect", "leave it, call it less often, or call it in the caller"),
    (r"id\(\) of", "compare with `is`"),
    (r"stores into an object", "work on local names in the loop, and store them after it"),
    (r"hasattr|property|attribute of class|an attribute|attribute \w+ of", "pass the value as an argument"),
    (r"made into text", "format numbers in the caller"),
    (r"of unknown origin|an item of a", "pass it as an argument, or keep it in a list, tuple or dict"),
    (r"less time than|NumPy is faster here", "nothing: NumPy is the faster one here"),
    (r"not compiled after", "more seconds by NPCOMPILE_COMPILE_SECONDS, or smaller functions"),
    (r"compiler|g\+\+", "install g++, or set CXX to a C++ compiler"),
    (r"array of Python objects", "arrays of numbers, or a list of such arrays"),
    (r"dtype", "a numeric dtype of native byte order: a.astype(float)"),
    (
        r"calls of Python's own",
        "a function of NumPy's, if there is one; else leave it",
    ),
    (r"debugger|traced by", "call it without the debugger"),
)


def advice(reason: str) -> str:
    """What to write in place of what could not be compiled for this reason."""
    for pattern, text in _ADVICE:
        if re.search(pattern, reason):
            return text
    return "leave this line in the caller, and decorate a function of what is around it"
