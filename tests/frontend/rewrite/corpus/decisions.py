"""Decisions: conditions that cannot be decided, over several lines, constant ones; assert.

What is odd here is odd on purpose: the layout, the escapes, the names that are not defined.
"""
# ruff: noqa
# fmt: off

import traceback

from tests.frontend.rewrite.corpus import case


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


class BadComparisons:
    def __lt__(self, other):
        return Bad()

    def __bool__(self):
        raise ValueError("no truth either")


@case
def comparison_without_truth(t):
    if BadComparisons() < 1:
        return 1


@case
def comparison_without_truth_in_while(t):
    n = 1
    while (
        n > 0 and
        BadComparisons() <
        1
    ):
        n -= 1


@case
def no_truth_after_comparison(t):
    if (
        1 < 2 and (
            t("a", 1) and
            BadComparisons()
        )
    ):
        return 1


@case
def no_truth_in_chain(t):
    return 2 if (
        not 1 < 2 <
        3 or
        (1 if BadComparisons() else 2)
    ) else 3


@case
def assert_comparison_fails(t):
    assert (
        t("a", 0)
        or 1 < 2 and
        2 < 1
    ), "message"


@case
def assert_chain_fails(t):
    assert (
        t("a", 1) and
        1 < 2
        < 1
    )


@case
def value_of_comparison_without_truth(t):
    return (1 < 2 and BadComparisons() < 3) or (
        5)
