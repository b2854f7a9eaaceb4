"""Statements that bind and unbind: assignments of every kind, names, imports.

What is odd here is odd on purpose: the layout, the escapes, the names that are not defined.
"""
# ruff: noqa
# fmt: off

import contextlib
import os.path as osp

from tests.frontend.rewrite.corpus import case

GLOBAL = 7
STATE = {"n": 0}
counter = 0


@case
def unpacking(t):
    a, b = 1, 2
    (c, d), e = [t("p", 2), t("q")]
    [f, *g] = "hello"
    *h, i = (1, 2, 3)
    j, *k, l = range(5)
    a, b = b, a
    m = n = t("m")
    x = y, z = 1, 2
    () = ()
    return a, b, c, d, e, f, g, h, i, j, k, l, m is n, x, y, z


@case
def unpack_too_many(t):
    a, b = 1, 2, 3


@case
def unpack_too_few(t):
    a, b, *c = (1,)


@case
def unpack_number(t):
    a, b = 5


@case
def unpack_inner_fails(t):
    box = {}
    try:
        (box["a"], (box["b"], box["c"]), box["d"]) = 1, (2,), 3
    finally:
        t.log.append(repr(box))


@case
def unpack_inner_fails_first(t):
    x = y = 0
    try:
        (x, (y, z)), w = [1, 5], 2
    except TypeError as e:
        return str(e), x, y


@case
def store_targets_order(t):
    t("o").x, t("p")[t("i")], (t("q").y, *t("r").z) = t("v", 3)


@case
def store_order(t):
    t("o").a = t("v")
    t("o")[t("i")] = t("w")
    t("o").a = t("p")[0] = x = t("u")
    t("o")[t("i") : t("j") : t("k"), ..., None] = 1
    return x


@case
def augmented(t):
    x = t("x", 8)
    for v in (1,):
        x += v
        x -= v
        x *= 2
        x //= 2
        x %= 7
        x **= 2
        x <<= 1
        x >>= 1
        x &= 255
        x |= 1
        x ^= 2
    y = 3
    y /= 2
    return x, y


@case
def augmented_targets(t):
    t("o").a += t("v")
    t("o")[t("i")] -= t("w")
    t("o").b.c[t("i")].d *= t("u")
    t("o")[t("i"), 1:2] **= 2


@case
def augmented_list(t):
    a = b = [1]
    a += (2, 3)
    d = {"k": [1]}
    d["k"] += [5]
    c = ([],)
    try:
        c[0] += [1]
    except TypeError as e:
        return a is b, a, d, c, str(e)


@case
def augmented_unbound(t):
    x += 1


@case
def augmented_missing(t):
    d = {}
    d["k"] += t("v")


@case
def augmented_missing_attribute(t):
    t("o").missing += t("v")


@case
def annotated(t):
    x: int = t("x")
    y: undefined_name
    o = t("o")
    o.a: undefined_name = t("v")
    o[t("i")]: undefined_name = 3
    (z): int = 4
    t("p").b: int
    t("p")[t("j")]: int
    return x, z


@case
def annotated_unbound(t):
    x: int
    return x


@case
def deleting(t):
    o, d, x = t("o"), {"a": 1, "b": 2}, 1
    del o.a, o[t("i")], d["a"], x
    del (o.b, [o.c, d["b"]])
    return d, x


@case
def delete_missing(t):
    d = {}
    del d["a"]


@case
def delete_in_tuple(t):
    del (1, 2)[0]


@case
def method_chain_over_lines(t):
    return (
        t("a")
        .first()
        .second(t("b"))
        .third
        .missing(t("c"))
    )


@case
def undefined_global(t):
    return undefined_name + 1


@case
def unbound_local(t):
    if t is None:
        x = 1
    return x


@case
def unbound_free(t):
    def f():
        return x

    f()
    x = 1


@case
def globals_and_builtins(t):
    return GLOBAL, len("abc"), STATE["n"], max, __name__.rpartition(".")[2]


@case
def global_store(t):
    global counter, _gone
    counter = 1
    counter += t("v", 2)
    counter = other = 5
    (counter, (a, counter)) = 1, (2, 3)
    for counter in range(3):
        pass
    with contextlib.nullcontext(9) as counter:
        pass
    try:
        raise ValueError("x")
    except ValueError as _gone:
        pass
    if (counter := counter + 1) > 3:
        return counter, a, other


@case
def global_definitions(t):
    global _f, _K, _m

    def _f(x=GLOBAL):
        return x

    class _K:
        pass

    import string as _m

    return _f(), _K.__qualname__, _m.__name__


@case
def imports(t):
    import os
    import os.path
    import collections.abc as cabc
    from string import digits, ascii_letters as letters

    return os.path is osp, cabc.__name__, digits, len(letters)


@case
def import_missing(t):
    from string import nothing_of_the_kind


@case
def conditional_import(t):
    try:
        import nothing_of_the_kind
    except ImportError as e:
        return type(e).__name__, e.name
