"""Values and ways that values go, of which `identity_program_generator.py` makes programs.

v, w: expressions for values. row: a name of a list of them. `out`, `o`, `x` and `cache` are names in the
programs.
"""

from __future__ import annotations

# Values that the program's own code holds, or that stand in modules and classes.
LITERALS = (
    *("1000", "2.5", "-7.5", "(1000, 2.5)", "'a b'", "2j", "10 ** 20", "2 * 500", "(1000,) + (2.5,)"),
    *("-1000", "BOUND", "SHARE", "COUPLE", "TEXT", "LIMIT", "RATE", "PAIR", "Settings.LIMIT"),
    *("Settings.RATE", "Settings.MISSING", "Color.RED", "Color.RED.value", "Color(2.5).value"),
    *("Record().alpha", "Record.beta", "Record().pair", "literal()", "halves(x)", "of_default()"),
    *("of_default(o.alpha)", "math.nan", "np.nan", "math.pi", "np.pi", "np.inf", "None", "True", "3", "''"),
    *("'name'", "(lambda: 1000)()", "1000 or 2.5"),
)
WAYS = (
    *("(lambda *a: a[0])({v}, {w})", "(lambda **k: k['a'])(a={v})", "dict(a={v})['a']", "[*{row}, {v}][-1]"),
    *("({v} if x[0] >= 0 else {w})", "list(map(lambda q: q, {row}))[0]", "next(zip({row}))[0]"),
    *("list(reversed({row}))[0]", "{row}[::-1][0]", "({row} + [{v}])[-1]", "({row} * 2)[-1]"),
    *("next(each({v}, {w}))", "functools.reduce(lambda a, b: b, {row}, {v})", "{row}.copy()[0]"),
    *("vars(o)['alpha']", "o.__dict__.get('alpha', {v})", "copy.copy({v})", "copy.deepcopy([{v}])[0]"),
    *("[{v}, {w}].pop()", "{{'a': {v}}}.get('a')", "{{'a': {v}}}.setdefault('a', {w})", "(n0 := {v})"),
    *("[q for q in {row}][0]", "[q for q in ({v}, {w}) if q is not None or True][0]", "Record({v}).alpha"),
    *("functools.partial(lambda a: a, {v})()", "min({row}, key=lambda q: 0)", "tuple({row})[0]"),
    *("({v} or {w})", "({v} and {w})", "[{v}, [{w}]][1][0]", "copy.copy(Model({v})).alpha"),
    *("dict(zip('ab', {row}))['a']", "np.array([{v}, {w}, None], dtype=object)[0]"),
    *("sum([[{v}], [{w}]], [])[0]", "sorted({row}, key=lambda q: 0)[0]"),
)
STATEMENTS = (
    "d = {{{v}: {w}, 'k': {v}}}\nout += [next(iter(d)) is {v}, {v} in d, len(d), d['k'] is {v}]",
    "d = {{}}\nd[{v}] = {w}\nd[{w}] = {v}\nout += [len(d), list(d), list(d.values())]",
    "s = {{{v}, {w}}}\nout += [len(s), {v} in s]\nx = x + len(s)",
    "seen = Watched([])\nseen.alpha = {v}\nseen[{v}] = {w}\nout += [seen.alpha is {v}, *seen.seen]",
    "seen = Watched([])\nout += [seen == {v}, {w} in seen, seen[{v}] is {v}, seen({v}, b={w}), *seen.seen]",
    "seen = Watched([{v}])\nwith seen as held:\n    out.append(held is {v})\n    x = x + 1",
    "with holding({v}) as held:\n    out += [held is {v}, held]",
    "class Made(Base, key={v}):\n    kept = {w}\n\nout += [Made.given is {v}, Made.given, Made.kept]",
    "many = pickle.loads(pickle.dumps([{v}, {v}, {w}]))\nout += [many[0] is many[1], many[1] is many[2]]",
    "try:\n    out.append(json.dumps([{v}, {w}]))\nexcept TypeError as error:\n    out.append(str(error))",
    "n0, n00 = {v}, {w}\nout += [f'{{n0!r}} {{n00}}', repr([{v}]), str({w})]",
    "first, *others = {row}\nout += [first is {row}[0], others, {v} in others]",
    "{row}.insert(0, {v})\nout += [{row}.pop(), {row}.index({v})]",
    "{row}[0] = {v}\nout.append({row}.count({v}))",
    """\
def inner(q={v}):
    nonlocal x
    x = x + 1
    return q, {w}

out += [*inner(), inner()[0] is {v}]""",
    """\
n0 = {v}
while n0 is not {w}:
    x = x + 0.25
    n0 = {w} if x[0] > 3 else n0
    if x[0] > 5:
        break""",
    "try:\n    x = x * 2\nfinally:\n    out.append({v})",
    "setattr(o, 'alpha', {v})\nout.append(getattr(o, 'alpha', None) is {v})",
    "cache.setdefault('one', {v})\nout += [cache['one'] is {v}, cache['one'] is {w}]",
    "out.extend(zip({row}, ({v}, {w})))",
    "held = np.array([None, None])\nheld[0] = {v}\nout += [held[0] is {v}, held]",
    """\
match {v}:
    case None:
        out.append('none')
    case 1000 | 2.5 as one:
        out.append(one)
    case other:
        out.append(other)""",
)
# Answers of NumPy that are true or false.
ASKED = (
    *("x.any()", "(x > 3).all()", "np.isnan(x).any()", "(x[0] > 2)", "bool(x[0] > 2)", "np.True_"),
    "(x.max() == 3)",
)
