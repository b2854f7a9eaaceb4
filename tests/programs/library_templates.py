"""What random programs do with Python's own library: templates of expressions and of statements.

`{one}` and `{two}` are arrays, `{number}` and `{other}` numbers, `{test}` something that decides.
"""

from __future__ import annotations

EXPRESSIONS = (
    "reduce(lambda p, q: wrap(p + q), [{one}, {two}])",
    "reduce(np.minimum, [{one}, {two}], {one})",
    "sorted([{one}, {two}], key=lambda v: float(v.sum()))[0]",
    "max([{one}, {two}], key=lambda v: float(v.max()))",
    "min(({number}, {one}), ({number}, {two}), key=itemgetter(0))[1]",
    "wrap(sum(map(wrap, [{one}, {two}])))",
    "list(map(lambda p, q: wrap(p - q), [{one}], [{two}]))[0]",
    "list(filter(lambda v: v.sum() > 3, [{one}, {two}]))[-1]",
    "list(accumulate([{one}, {two}], lambda p, q: wrap(p + q)))[-1]",
    "next(iter([{one}, {two}]))",
    "next(rows({one}, {number}), {two})",
    "[*chain([{one}], rows({two}, 2))][-1]",
    "dict(zip('pq', [{one}, {two}]))['q']",
    "deque([{one}, {two}], maxlen=1)[0]",
    "itemgetter(1)([{one}, {two}])",
    "attrgetter('x')(t)",
    "wrap(sum(p * q for p, q in pairwise([{one}, {two}, {one}])))",
    "wrap(sum(i * v for i, v in zip(count(1), ({one}, {two}))))",
    "wrap(sum(i * j * {one} for i, j in product(range(2), ({number}, 2))))",
    "Point({one}, {two})._replace(p={two}).p",
    "list(islice(delegated({one}), {number} % 3 + 1))[-1]",
    "wrap(np.stack(list(rows({one}, 3))).sum(axis=0))",
    "sum(row * i for i, row in enumerate(delegated({one}))) % 4",
    "(operator_add({one}, {two}) % 4)",
    "({{'p': {one}}} | {{'q': {two}}})['q']",
    "partial(helper, w=0.25)({one}, {two})",
    "[v for v in (Point({one}, {two})) if {test}][-1]",
    "Point.of({one}).twice()",
    "wrap({one} * (-1) ** {number})",
    "wrap({one} + (1, 0, 2)[np.array({number}) % 3])",
    "wrap({one} + [1, 0, 2].__getitem__({number} % 3))",
    "wrap({one} - divmod(-{number}, 3)[1] * pow(3, {other}, 5))",
    "wrap({one} + ({number} > 1) - (not {other}))",
    "wrap({one} * (-1 < {number} <= {other}))",
    "wrap({one} + sum([{number}, {other}], -1))",
    "wrap({one} + min([{number}, {other}], key=lambda v: -v))",
    "wrap({one} + len(range({number}, -2, -1)))",
    "np.where({one} > {number}, {other}, {two})",
    "np.clip({one}, -{number}, {other})",
)
STATEMENTS = (
    ("q = deque([{one}])", "q.append({two})", "LOG.append(q.popleft().sum())", "LOG.append(len(q))"),
    ("q = deque(rows({one}, 3))", "while q:", "    LOG.append(q.pop().sum())"),
    ("c = Counter('aab')", "c['a'] += {number}", "LOG.append(sorted(c.items()))"),
    ("s = defaultdict(list)", "s[{number} % 2].append({one})", "LOG.append(len(s))"),
    ("s = defaultdict(float)", "s['p'] += {one}", "s['p'] += {two}", "LOG.append(s['p'].sum())"),
    ("s = OrderedDict(p={one})", "s['q'] = {two}", "LOG.append([v.sum() for v in s.values()])"),
    ("s = {{1, {number}}}", "s.add({other})", "LOG.append(({number} in s, len(s)))"),
    ("if {number} in SET:", "    a = {one}", "LOG.append(sorted(SET))"),
    ("SET.add({number})", "b = {one} * len(SET) % 4"),
    (
        "try:",
        "    LOG.append({{'1': 1}}[str({number})])",
        "except KeyError as error:",
        "    LOG.append(str(error))",
    ),
    (
        "try:",
        "    if {test}:",
        "        raise KeyError('p')",
        "    a = {one}",
        "except KeyError:",
        "    b = {two}",
    ),
    ("try:", "    a = {one}", "    if {test}:", "        raise ValueError({one}.sum())")
    + ("except ValueError as error:", "    LOG.append(f'{{error}}')"),
    ("try:", "    LOG.append(list(stopping({one}, {number})))", "except ValueError as error:")
    + ("    LOG.append(repr(error))", "finally:", "    t.n += 1"),
    ("with Gate({one}) as g:", "    a = wrap(g.p + {two})", "    if {test}:", "        raise KeyError('g')")
    + ("    b = {one}",),
    ("with Gate({one}) as g, guard('n', {two}) as h:", "    g.p = h", "    LOG.append(g.p.sum())"),
    ("with Gate({one}) as g:", "    LOG.append(refuse({two}))", "a = g.p"),
    ("match ({one}, {number}):", "    case (p, 0 | 1):", "        a = wrap(p)", "    case [p, n] if n > 2:")
    + ("        b = wrap(p * n)", "    case _:", "        LOG.append('none')"),
    (
        "match {{'op': 'add', 'by': {number}}}:",
        "    case {{'op': 'add', 'by': 2, **more}}:",
        "        a = {one}",
    )
    + ("    case {{'by': n}}:", "        LOG.append(n)"),
    ("match Point({one}, {number}):", "    case Point(p=p, q=0):", "        a = p", "    case Point(p, q):")
    + ("        b = wrap(p * q)",),
    ("m = list(rows({one}, 2))", "m.sort(key=lambda v: -float(v.sum()))", "LOG.append([v.sum() for v in m])"),
    (
        "it = delegated({one})",
        "for v in it:",
        "    if {test}:",
        "        break",
        "LOG.append(next(it, None) is None)",
    ),
    ("LOG.append(', '.join(f'{{v.sum():.2f}}' for v in rows({one}, 2)))",),
    ("LOG.append(','.join(map(str, [{number}, {one}.sum()])))",),
    ("h = []", "heappush(h, ({number}, 'p'))", "heappush(h, ({other}, 'q'))", "LOG.append(heappop(h))"),
    ("LOG.append((f'{{{number}:>5}}', f'{{-{other}:+.1f}}', str({number})[::-1], '%03d' % {other}))",),
    ("LOG.append(({number}, {other}) < (2, {number}))", "LOG.append(sorted({{{number}, 1}} ^ {{{other}}}))"),
    ("p, *q = ({number}, {other}, -1)[::-1]", "q[{number} % 2 :] = [-p]", "LOG.append(q * 2)"),
    ("q = [np.array({number}), 1, 2]", "q[q[0] % 3] = {other}", "LOG.append([int(v) for v in q[: q[1]]])"),
    ("LOG.append((mean_of({number} % 3 + 1), mean_of(2)))", "a = wrap({one} + grid(2)[1])"),
)
