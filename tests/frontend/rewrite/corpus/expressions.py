"""Expressions: operators, comparisons, truth, subscripts, displays, comprehensions, f-strings.

What is odd here is odd on purpose: the layout, the escapes, the names that are not defined.
"""
# ruff: noqa
# fmt: off

import os.path as osp

from tests.frontend.rewrite.corpus import case


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
def starred_everything(t):
    a = [*t("x", 2), *(v for v in "ab")]
    b = *a, 1
    for c in *a, 2:
        pass
    return a, b, c


@case
def semicolons(t): x = t("a"); y = x + 1; return x, y


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
