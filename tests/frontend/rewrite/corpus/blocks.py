"""Blocks: loops, try, with, match.

What is odd here is odd on purpose: the layout, the escapes, the names that are not defined.
"""
# ruff: noqa
# fmt: off

import contextlib

from tests.frontend.rewrite.corpus import case


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
