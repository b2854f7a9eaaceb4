# ruff: noqa
"""Functions that between them use every construct, to be run as they are and rewritten.

Not for reading style off: what is odd here is odd on purpose. `t` makes loud values, see loud.py.
"""

import contextlib
import os.path as osp
import traceback
from functools import reduce, wraps

CASES = []
FACTORIES = []
GLOBAL = 7
STATE = {"n": 0}
counter = 0


def case(fn):
    CASES.append(fn)
    return fn


def factory(fn):
    """The function that it returns is the one to rewrite; called with `t`."""
    FACTORIES.append(fn)
    return fn


def argument_case(*args, **kwargs):
    def decorate(fn):
        return fn

    return decorate


@case
def arithmetic(t):
    a, b = t("a", 6), t("b", 2)
    return [a + b, a - b, a * b, a / b, a // b, a % b, a**b, a << b, a >> b, a & b, a | b, a ^ b, a @ b, -a, +a, ~a]


@case
def arithmetic_order(t):
    return t("a") + t("b") * t("c") - (t("d") ** t("e", 2)) ** -t("f")


@case
def reflected(t):
    a = t("a", 3)
    return [1 + a, 2 - a, 3 * a, 4 / a, 5 // a, 6 % a, 2**a, 1 << a, 9 >> a, 7 & a, 8 | a, 9 ^ a]


@case
def constants(t):
    return -1, 2**-1, 1 / 3, 3 - 4j, ~5, +1.5, "a" "b", "x" * 3, 2**200, 0.1 + 0.2, (1, -2, (3, 4.5)), -(-7), not 0


@case
def constant_tuple_is_one_object(t):
    def made():
        return (1, 2, "a", None)

    return made() is made()


@case
def division_by_zero_of_literals(t):
    return 1 / 0


@case
def inverted_float(t):
    return ~1.5


@case
def unsupported_operands(t):
    return 1 + "a"


@case
def unsupported_inplace(t):
    x = 1
    x += "a"


@case
def unsupported_power(t):
    return "a" ** 2


@case
def unsupported_unary(t):
    return -"a"


@case
def unsupported_comparison(t):
    return 1 < "a"


@case
def comparisons(t):
    a, b = t("a", 1), t("b", 2)
    return [a < b, a <= b, a > b, a >= b, a == b, a != b, a is b, a is not b, a in b, a not in b, a is None]


@case
def chain(t):
    return t("a", 1) < t("b", 2) <= t("c", 3) != t("d", 4)


@case
def chain_stops(t):
    return t("a", 1) < t("b", 0) < t("c", 5)


@case
def chain_mixed(t):
    a = t("a", 1)
    return [a is a in t("c", 1), a == a is not None not in t("d", 0), 1 < 2 < 3, 1 < 2 > 5]


@case
def chain_as_condition(t):
    out = []
    if t("a", 1) < t("b", 2) < t("c", 3):
        out.append(1)
    if not t("a", 1) < t("b", 0) < t("c", 3):
        out.append(2)
    while t("d", 1) > t("e", 0) > t("f", 2) > t("g"):
        out.append(3)
    return out, 4 if 1 < t("h", 0) < 3 else 5


@case
def in_number(t):
    return 1 in 2


@case
def contains_literals(t):
    x = 3
    return x in [1, 2, 3], x not in {1, 2}, x in (1, 3), "a" in "abc"


@case
def unhashable_in_set(t):
    return [] in {1, 2}


@case
def truth_values(t):
    out = []
    for v in (0, 1):
        if t("if", v):
            out.append("if")
        elif t("elif", v):
            out.append("elif")
        else:
            out.append("else")
        out.append(not t("not", v))
        out.append("a" if t("ifexp", v) else "b")
    return out


@case
def and_or(t):
    return [
        t("a", 1) and t("b", 2) and t("c", 0) and t("d"),
        t("a", 0) or t("b", 0) or t("c", 0),
        t("a", 0) or t("b", 3) or t("c"),
        t("a", 0) and t("b") or t("c", 4),
        (t("a", 0) or t("b", 2)) and t("c", 0),
        (t("a", 1) or t("b", 2)) and (t("c", 0) or t("d", 0)),
        (t("a", 1) and t("b", 0)) or (t("c", 1) and t("d", 5)),
        t("x", 0) or None,
        None and t("y"),
    ]


@case
def and_or_all_values(t):
    out = []
    for n in range(16):
        a, b, c, d = (n >> i & 1 for i in range(4))
        out.append((t("a", a) and t("b", b)) or (t("c", c) and t("d", d)))
        out.append((t("a", a) or t("b", b)) and (t("c", c) or t("d", d)))
        out.append(t("a", a) and (t("b", b) or t("c", c)) and t("d", d))
        out.append(t("a", a) or (t("b", b) and (t("c", c) or t("d", d))))
        out.append(1 if t("a", a) and not (t("b", b) or t("c", c)) else t("d", d) or 0)
        if not (t("a", a) and t("b", b)) or t("c", c) and (t("d", d) if a else b):
            out.append(n)
    return out


@case
def not_of_and(t):
    return not (t("a", 0) and t("b")), not (t("a", 1) or t("b")), not not t("c", 0)


@case
def bool_raises(t):
    class Bad:
        def __bool__(self):
            raise ValueError("no truth")

    return Bad() and 1


class Bad:
    def __bool__(self):
        raise ValueError("no truth")


@case
def bool_raises_everywhere(t):
    bad, good = Bad(), t("good", 1)

    each = [
        lambda: 1 if (
            good and
            bad) else 2,
        lambda: good and (
            bad
            or 5),
        lambda: (good
            and bad
            and 5),
        lambda: (good and bad) or (
            5),
        lambda: (
            not
            bad),
        lambda: [
            x for x in (1,)
            if good and
            bad],
        lambda: 1 < good < (
            3) and bad and 4,
    ]
    for fn in each:
        try:
            fn()
        except ValueError as e:
            stack = traceback.extract_tb(e.__traceback__)
            t.log.append([(f.name, f.lineno, f.colno) for f in stack if f.filename == __file__])


@case
def bool_raises_in_conditional(t):
    return 1 if (
        t("a", 1) and
        not Bad()) else 2


@case
def bool_raises_in_filter(t):
    return [
        x
        for x in (1,)
        if t("a", 1) and
        Bad()
    ]


@case
def bool_raises_in_filter_of_generator(t):
    return list(
        (x, y)
        for x in (1,)
        for y in (2,)
        if
        Bad()
    )


@case
def bool_raises_in_if(t):
    if (
        t("a", 1) and (
            t("b", 0) or
            Bad())
    ):
        return 1


@case
def bool_raises_in_while(t):
    n = 2
    while (
        n or
        Bad()
    ):
        n -= 1


@case
def bool_raises_in_assert(t):
    assert (
        t("a", 1) and
        Bad()
    ), "message"


@case
def bool_raises_in_guard(t):
    match t:
        case _ if (
            t("a", 1) and
            Bad()
        ):
            return 1


@case
def constant_conditions(t):
    out = []
    while True:
        out.append(1)
        if 1:
            break
    if 0:
        out.append(2)
    if __debug__:
        out.append(3)
    while not False:
        break
    if "":
        out.append(4)
    elif None or 0.0:
        out.append(5)
    return out


@case
def loops(t):
    out = []
    for i in range(10):
        if i == 2:
            continue
        if i == 5:
            break
        for j in range(i):
            if j > 1:
                break
        else:
            out.append("inner else")
        out.append(i)
    else:
        out.append("never")
    for i in ():
        pass
    else:
        out.append("else")
    n = 3
    while n:
        n -= 1
    else:
        out.append(n)
    return out, i


@case
def loop_over_loud(t):
    return [x for x in t("xs", 3)], [y for y in iter(t("ys", 2))]


@case
def loop_over_number(t):
    for x in 5:
        pass


@case
def loop_targets(t):
    o, d = t("o"), {}
    for o.x in (1, 2):
        pass
    for d["k"], (a, *b) in [(1, "xyz"), (2, "w")]:
        d[a] = b
    for a, b in zip((1, 2), (3, 4)):
        pass
    for (a, (b, [c])) in [(1, (2, [3]))]:
        pass
    return d, a, b, c


@case
def return_in_loop_else(t):
    for x in range(3):
        if x == 7:
            return "found"
    else:
        return "else"


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
def attributes(t):
    return t("o").a.b.c, osp.join("a", "b"), "abc".upper().lower(), (1).real


@case
def missing_attribute(t):
    return "abc".uper()


@case
def missing_module_attribute(t):
    return osp.nothing


@case
def missing_item(t):
    return {"a": 1}["b"]


@case
def not_subscriptable(t):
    return (1)[0] if False else t[0]


@case
def subscripts(t):
    a = t("a")
    a[1], a[1:2], a[::2], a[1:2, ...], a[None, :, -1], a[(1, 2)], a[t("i") : t("j") : t("k")], a[()], a[1,]
    ix = (1, 2)
    return a[*ix, 3], a[:], list(range(9))[2:-1:3], "abc"[-1]


@case
def calls(t):
    f = t("f")
    return f(), f(1, 2), f(t("a"), k=t("b"), j=t("c")), f(*[1, 2], *t("xs", 2), 3, **{"a": 1}, b=2, **{"c": 3})


@case
def call_order(t):
    return t("f")(*t("a", 2), t("b"), x=t("c"), *t("d", 1), **dict(y=t("e")), z=t("g"))


@case
def call_keywords_named_like_ours(t):
    def f(self=0, fn=0, hooks=0, obj=0, name=0, **rest):
        return self, fn, hooks, obj, name, rest

    return f(self=1, fn=2, hooks=3, obj=4, name=5, args=6, kwargs=7), f(**{"self": 1, "fn": 2})


@case
def call_duplicate_keyword(t):
    def f(**k):
        return k

    return f(**{"a": 1}, **{"a": 2})


@case
def call_duplicate_keyword_of_method(t):
    return "".join.__call__(*[[]], **{"a": 1}, **{"a": 2})


@case
def call_star_number(t):
    def f(*a):
        return a

    return f(*5)


@case
def call_two_star_number(t):
    def f(*a):
        return a

    return f(1, *5)


@case
def call_star_star_number(t):
    def f(**a):
        return a

    return f(**5)


@case
def call_star_star_not_strings(t):
    return dict(**{1: 2})


@case
def call_star_on_instance(t):
    return t("f")(**{"a": 1}, **{"a": 2})


@case
def call_wrong_arguments(t):
    def f(a, b, *, c):
        return a

    return f(1)


@case
def call_not_callable(t):
    return (lambda: 5)()()


@case
def call_many_arguments(t):
    return max(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32)


@case
def call_over_lines(t):
    return t(
        "f",
    )(
        t("a"),
        k=t(
            "b",
        ),
    ).method(
        t("c"),
    ).other[
        t("i")
    ].last(
        *[t("d")],
    ).missing(
        t("e")
    )


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
def operators_over_lines(t):
    return (
        t("a")
        + t("b")
        - (
            t("c")
            * t("d")
        )
        + "text"
    )


@case
def conditions_over_lines(t):
    if (
        t("a")
        and t("b")
        or t(
            "c"
        )
    ) and not (
        t("d", 0)
        < t("e", 1)
        < undefined_name
    ):
        return 1


@case
def assert_passes(t):
    assert t("a", 1)
    assert t("a", 1) and not t("b", 0), t("message")
    return 1


@case
def assert_fails(t):
    assert t("a", 0) or t("b", 0), f"message {t('m')}"


@case
def assert_fails_bare(t):
    assert 1 < t("a", 0) < 3


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
def try_else_finally(t):
    out = []
    for kind in (None, ValueError, KeyError):
        try:
            out.append("try")
            if kind:
                raise kind("message")
        except (ValueError, TypeError) as e:
            out.append(repr(e))
        except KeyError:
            out.append("key")
        else:
            out.append("else")
        finally:
            out.append("finally")
    return out


@case
def try_bare(t):
    try:
        t("a").missing
    except:
        return "caught"


@case
def except_name_is_unbound_after(t):
    try:
        raise ValueError(1)
    except ValueError as e:
        pass
    return e


@case
def except_order(t):
    try:
        raise KeyError("k")
    except t("x", 0) and ValueError or (IndexError, t("y", 0) or KeyError) as e:
        return repr(e)


@case
def except_not_a_class(t):
    try:
        raise KeyError("k")
    except 5:
        pass


@case
def finally_overrides(t):
    for i in range(3):
        try:
            return i
        finally:
            if i == 0:
                continue
            break
    try:
        return t("a")
    finally:
        t("b")


@case
def finally_return_swallows(t):
    try:
        raise ValueError
    finally:
        return t("r")


@case
def raise_from(t):
    try:
        try:
            {}["a"]
        except KeyError as e:
            raise ValueError("outer") from e
    except ValueError:
        raise


@case
def raise_context(t):
    try:
        1 / 0
    except ZeroDivisionError:
        undefined_name


@case
def raise_not_exception(t):
    raise 5


@case
def except_group(t):
    try:
        raise ExceptionGroup("g", [ValueError(1), KeyError(2), TypeError(3)])
    except* (ValueError, KeyError) as e:
        t.log.append(repr(e))


@case
def with_statements(t):
    out = []
    with t("a", 0):
        out.append(1)
    with t("a", 0) as x, t("b", 0) as y:
        out.append((x, y))
    with (t("c", 0) as (p), t("d", 0), t("e", 0) as t("f").g):
        out.append(p)
    with contextlib.nullcontext((1, (2, 3))) as (q, (r, s)):
        out.append(q + r + s)
    return out


@case
def with_swallows(t):
    with t("a", 1) as x:
        raise ValueError("swallowed")
    return "after"


@case
def with_passes_on(t):
    with t("a", 0):
        with t("b", 0) as x:
            raise ValueError("passed on")


@case
def with_second_fails(t):
    with t("a", 1) as x, t("b").missing as y:
        pass
    return x


@case
def with_unpack_fails(t):
    with t("a", 1) as (x, y):
        pass
    return "swallowed"


@case
def with_not_a_manager(t):
    with 5 as x:
        pass


@case
def with_return(t):
    for i in range(2):
        with t("a", 0):
            if i:
                return i
            continue


@case
def displays(t):
    a, d = [1, 2], {"x": 1}
    return [], (), {}, [a, *a], (*a, 3), {*a}, {**d, "y": t("v"), t("k")._[1]: 2}, [1, 2], {1, 2}, (a, 1)


@case
def display_star_number(t):
    return [1, *5]


@case
def display_star_star_number(t):
    return {**5}


@case
def dict_order(t):
    return {str(t("a")): t("b"), str(t("c")): t("d")}


@case
def comprehensions(t):
    x = "outer"
    return (
        [x for x in range(3)],
        {x for x in range(3)},
        {x: y for x, y in zip("ab", (1, 2))},
        [x * y for x in range(3) if x for y in range(x) if y % 2 == 0 if x > 0],
        [[x + y for x in range(2)] for y in range(2)],
        [a for a, (b, *c) in [(1, (2, 3, 4))]],
        list(x for x in t("xs", 3) if x),
        x,
    )


@case
def comprehension_scopes(t):
    x = 5
    y = [x for x in range(x)]
    z = [lambda: i for i in range(3)]
    w = [last := i for i in range(4) if i != 2]
    return x, y, [f() for f in z], w, last, [x + k for k in (lambda: y)()]


@case
def comprehension_targets(t):
    d, o = {}, t("o")
    a = [0 for d["k"] in range(3)]
    b = [v for o.x, v in [(1, 2), (3, 4)]]
    c = {k: v for (k, v), in [((1, 2),)]}
    return d, a, b, c


@case
def comprehension_unpack_fails(t):
    return [a for a, b in [(1, 2), (3,)]]


@case
def comprehension_raises(t):
    return [
        1 / x
        for x in (1, 0)
    ]


@case
def generator_expression(t):
    g = (x + t("y") for x in t("xs", 2) if t("c", x))
    t.log.append("made")
    return g


@case
def generator_expression_raises(t):
    return sum(1 / x for x in [1, 0])


@case
def generator_first_iterable_is_eager(t):
    try:
        g = (x for x in 5)
    except TypeError as e:
        return str(e)


@case
def walrus(t):
    out = []
    while (n := len(out)) < 3:
        out.append(n)
    if (m := t("m", 0)) or (k := t("k")):
        out.append(k)
    return out, m, any((hit := v) > 1 for v in out[:3]), hit


@case
def f_strings(t):
    a, w = t("a"), 10
    return (
        f"",
        f"plain",
        f"{a}",
        f"{a}{a!r}{a!s:>20}{a!a}",
        f"x{a:>{w}}y",
        f"{w=}",
        f"{w:{'>'}{w}}|{1 + 1}",
        f"{'nested'!r:>{w + 2}.{w - 6}}",
        f"{{}}" f"{w}" "tail",
        f"{3.14159:.2f} {1000000:,} {None} {[1, 2]}",
    )


@case
def f_string_bad_spec(t):
    return f"{1:zz}"


@case
def f_string_raises(t):
    return f"{t('a')} {1 / 0}"


@case
def f_string_str_subclass(t):
    class S(str):
        def __format__(self, spec):
            return S("formatted")

    return type(f"{S('a')}").__name__, f"{S('a')}{S('b')}", f"{S('a')!s}"


@case
def percent_format(t):
    return "%s %r %d" % (t("a"), "b", 3), "%s" % t("c"), "%(k)s" % {"k": 1}


@case
def lambdas(t):
    f = lambda a, b=t("d"), *args, k=GLOBAL, **kw: (a, b, args, k, kw)
    return f(1), f(1, 2, 3, k=4, z=5), (lambda: (yield))().__class__.__name__, sorted([3, 1, 2], key=lambda v: -v)


@case
def nested_functions(t):
    """A docstring."""

    def f(a, /, b: "int" = t("b"), *, c=t("c")) -> "str":
        """Nested docstring."""
        return a, b, c, GLOBAL

    def fact(n):
        return 1 if n < 2 else n * fact(n - 1)

    return f(1), f.__doc__, f.__annotations__, f.__qualname__, fact(5), nested_functions.__doc__


@case
def nested_decorated(t):
    def decorator(name):
        t.log.append("decorator " + name)

        def wrap(fn):
            t.log.append("apply " + name)

            @wraps(fn)
            def inner(*a, **k):
                return name, fn(*a, **k)

            return inner

        return wrap

    @decorator("outer")
    @decorator("inner")
    def f(x, y=t("default")):
        return x, y

    return f(1), f.__name__, f.__wrapped__.__code__.co_firstlineno


@case
def nested_decorator_fails(t):
    @t.missing
    @(lambda f: f)
    def f():
        pass


@case
def nonlocals(t):
    n, out = 0, []

    def up(by=1):
        nonlocal n
        n += by
        for n in (n,):
            pass
        out.append(n)
        return n

    up(), up(5)
    n *= 2
    return up(), n, out


@case
def nested_generator(t):
    base = 10

    def gen(k):
        got = yield base + k
        yield got
        return t("end")

    g = gen(1)

    def delegate():
        return (yield from gen(2))

    return next(g), g.send("sent"), list(delegate())


@case
def nested_coroutine(t):
    async def f():
        return [x async for x in h()], t("a")

    async def h():
        yield GLOBAL

    try:
        f().send(None)
    except StopIteration as e:
        return e.value


@case
def nested_uses_locals(t):
    def f(a, b=2):
        return sorted(locals()), eval("a + b")

    return f(1)


@case
def nested_class(t):
    base = 5

    class A:
        x = base + GLOBAL
        y = [x for x in range(2)]

        def f(self, n=base):
            return self.x + n

        def __private(self):
            return 1

        def g(self):
            return self.__private()

    @(lambda c: c)
    class B(A, metaclass=type):
        def f(self):
            return super().f() * 2

    return A().f(), B().f(), B().g(), A.y, B.__qualname__


@case
def match_statement(t):
    out = []
    for v in (1, "a", [1, 2, 3], {"k": 5, "l": 6}, 2.5, (7, 8), None):
        match v:
            case 1:
                out.append("one")
            case str() as s if s > "b":
                out.append("never")
            case str(s):
                out.append(s)
            case [a, *rest] if t("guard", len(rest) > 1):
                out.append((a, rest))
            case {"k": k, **others}:
                out.append((k, others))
            case float() | None:
                out.append("float or None")
            case _:
                out.append("else")
    match t("a"), 5:
        case _, n if n == 5:
            out.append(n)
    return out


@case
def try_in_loop_with_break(t):
    out = []
    for i in range(5):
        try:
            if i == 1:
                continue
            if i == 3:
                break
            out.append(i)
        except ValueError:
            pass
        else:
            out.append("else")
        finally:
            out.append(f"f{i}")
    return out


@case
def recursion(t):
    def fib(n):
        return n if n < 2 else fib(n - 1) + fib(n - 2)

    def deep(n):
        if n == 0:
            raise ValueError("bottom")
        deep(n - 1)

    t.log.append(fib(10))
    deep(3)


@case
def starred_everything(t):
    a = [*t("x", 2), *(v for v in "ab")]
    b = *a, 1
    for c in *a, 2:
        pass
    return a, b, c


@case
def semicolons(t): x = t("a"); y = x + 1; return x, y


@case
def conditional_import(t):
    try:
        import nothing_of_the_kind
    except ImportError as e:
        return type(e).__name__, e.name


@case
def identities(t):
    x = 1000
    y = "text"
    return x is 1000, y is "text", x == 1000.0, () is ()


@case
def backslashes(t):
    """A docstring with \d and \alpha."""
    return t("a") + \
        t("b") - \
        undefined_name


@argument_case(1, key=lambda: 2)
@case
def decorated_twice(
    t,
    a=GLOBAL,
    *args: "int",
    k: "str" = [v for v in range(3)],
    **kwargs,
) -> "None":
    return t("a"), a, k


if GLOBAL > 100:

    @case
    def twice_defined(t):
        return "first"

else:

    @case
    def twice_defined(t):
        return "second", t("a")


class Base:
    def __init__(self, v):
        self.v = v
        self.__hidden = v * 2

    def value(self):
        return self.v


class Methods(Base):
    __slots_like = 3

    @case
    def mangling(self):
        t = self
        o = Methods(4)
        o.__p = t("v", 3)
        o.__p += 1
        __local = o.__p + Methods.__slots_like
        del o.__p

        def inner(__a, *, __b=1):
            global __g
            __g = __a
            return __a, __b, __local, __g

        try:
            o.__hidden
        except AttributeError as e:
            return str(e), inner(__a=1), [__c for __c in range(2)], inner.__code__.co_varnames

    @case
    def zero_argument_super(self):
        class C(Methods):
            def value(self):
                return super().value() + 1

        return C(1).value(), __class__.__name__


@factory
def super_method(t):
    class A(Base):
        def value(self, t):
            return super().value(), super(A, self).value(), [__class__ for _ in "a"], __class__.__name__

    instance = A(5)
    return A.value, lambda fn: lambda t: fn(instance, t)


@factory
def closure(t):
    a, b, c = 1, [2], 3

    def fn(t):
        nonlocal a, c
        a += 1
        b.append(a)
        c, d = a, b
        for c in range(2):
            pass
        return a, b, c, d, [a + v for v in b], (lambda: a + c)()

    return fn, lambda fn: lambda t: (fn(t), fn(t), a, b, c)


@factory
def closure_unbound(t):
    def fn(t):
        return later

    made = fn
    if t is None:
        later = 1
    return fn, lambda fn: fn


@factory
def closure_of_its_own_name(t):
    def fn(t, n=3):
        return n if n == 0 else fn.__name__ + str(n)

    return fn, lambda fn: fn


@factory
def static_and_class_methods(t):
    class K:
        @staticmethod
        def s(t, x=GLOBAL):
            return x, t("a")

    return K.s, lambda fn: fn


@factory
def a_lambda(t):
    y = 4
    first, fn = lambda t: t("first"), lambda t, z=y: [t("second"), z, y, (lambda q: q + y)(1)]
    return fn, lambda fn: fn


@factory
def defaults(t):
    def fn(t, a=t("a"), /, b=2, *args, c=3, d, **kw):
        return a, b, args, c, d, kw

    return fn, lambda fn: lambda t: (fn(t, d=1), fn(t, 1, 2, 3, c=4, d=5, e=6))
