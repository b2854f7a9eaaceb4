"""Functions: calls, nested functions and classes, closures, methods.

What is odd here is odd on purpose: the layout, the escapes, the names that are not defined.
"""
# ruff: noqa
# fmt: off

from functools import wraps

from tests.frontend.rewrite.corpus import case, factory

GLOBAL = 7


def argument_case(*args, **kwargs):
    def decorate(fn):
        return fn

    return decorate


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
def recursion(t):
    def fib(n):
        return n if n < 2 else fib(n - 1) + fib(n - 2)

    def deep(n):
        if n == 0:
            raise ValueError("bottom")
        deep(n - 1)

    t.log.append(fib(10))
    deep(3)


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
            return str(e), inner(1), [__c for __c in range(2)], inner.__code__.co_varnames

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


@factory
def classes_within(t):
    def fn(t):
        class K:
            class L(Base):
                def value(self):
                    return super().value(), __class__.__qualname__

        return K.__qualname__, K.L.__qualname__, K.L(3).value(), K.L.value.__qualname__

    return fn, lambda fn: fn
