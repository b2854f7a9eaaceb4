"""The standard library as a corpus: all its functions are rewritten, and whole modules run rewritten."""

from __future__ import annotations

import calendar
import colorsys
import csv
import difflib
import fractions
import heapq
import importlib
import io
import json.decoder
import json.encoder
import shlex
import statistics
import string
import sys
import textwrap
import types
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from npcompile.diagnostics.reason import Cause
from npcompile.frontend.rewrite.hooks import Hooks
from npcompile.frontend.rewrite.rewriter import Refusal, Rewritten, rewrite

MODULES = (
    "argparse _pydecimal ast bdb calendar cmd collections colorsys configparser contextlib copy csv "
    "dataclasses difflib dis email.message enum fnmatch fractions functools gettext glob heapq "
    "html.parser inspect ipaddress json.decoder json.encoder logging mimetypes numbers optparse "
    "pickle pprint random re._parser reprlib shlex shutil statistics string tarfile tempfile textwrap "
    "tokenize traceback types typing unittest.case urllib.parse uuid xml.etree.ElementTree zipfile"
).split()


ASKS_FOR_FRAMES = {
    "_getframe",
    "currentframe",
    "stack",
    "extract_stack",
    "format_stack",
    "print_stack",
    "walk_stack",
}


def functions(module: types.ModuleType) -> Iterator[types.FunctionType]:
    """Those of the module and of its classes; not what a decorator has put in their place."""
    pending = list(vars(module).values())
    seen = set()
    while pending:
        item = pending.pop()
        item = item.__func__ if isinstance(item, staticmethod | classmethod) else item
        if isinstance(item, property):
            pending += [item.fget, item.fset]
        elif isinstance(item, type) and item.__module__ == module.__name__ and item not in seen:
            seen.add(item)
            pending += vars(item).values()
        elif isinstance(item, types.FunctionType) and item.__code__.co_filename == module.__file__:
            yield item


def names(code: types.CodeType) -> set[str]:
    return set(code.co_names).union(*(names(c) for c in code.co_consts if isinstance(c, types.CodeType)))


@pytest.mark.parametrize("name", MODULES)
def test_all_are_rewritten_or_refused_for_a_good_reason(name: str) -> None:
    suspends = 0x80 | 0x200
    count = 0
    for fn in functions(importlib.import_module(name)):
        made = rewrite(fn)
        if isinstance(made, Refusal):
            if made.reason == Cause.COROUTINE():
                assert fn.__code__.co_flags & suspends
            elif made.reason == Cause.OWN_FRAME():
                assert names(fn.__code__) & ASKS_FOR_FRAMES, fn
            else:
                assert made.reason in {Cause.READS_FRAME(word) for word in names(fn.__code__)}, fn
        count += isinstance(made, Rewritten)
    assert count >= 2


def copied(name: str) -> types.ModuleType:
    """A module of the standard library, imported anew, with all of its functions rewritten."""
    spec = importlib.util.find_spec(name)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, name, module)  # where `enum.global_enum` puts names
        spec.loader.exec_module(module)
    hooks = Hooks()

    def bound(fn: Any) -> Any:
        made = rewrite(fn)
        return made.bind(fn, hooks) if isinstance(made, Rewritten) else fn

    def convert(holder: Any) -> None:
        for key, item in list(vars(holder).items()):
            if isinstance(item, types.FunctionType) and item.__code__.co_filename == module.__file__:
                setattr(holder, key, bound(item))
            elif isinstance(item, staticmethod | classmethod) and isinstance(
                item.__func__, types.FunctionType
            ):
                setattr(holder, key, type(item)(bound(item.__func__)))
            elif isinstance(item, property) and isinstance(item.fget, types.FunctionType):
                setattr(holder, key, property(bound(item.fget), item.fset and bound(item.fset)))
            elif isinstance(item, type) and item.__module__ == name and holder is module:
                convert(item)

    convert(module)
    return module


TEXT = "The quick brown fox, jumped-over the lazy dog;  twice.\n\n    Indented line of words\n" * 3
DATA = [3.5, 1.25, 9.0, 2.75, 2.75, 8.0, -4.5]
VALUE = {"a": [1, 2.5, None, True, 'x\u20ac\n"'], "b": {"c": {}, "d": []}, "e": float("inf"), "f": -1e300}
INVALID = ('{"a": }', "[1, 2", '"\\u12"', "[1,,2]", "nul", '{"a" 1}')


def use_textwrap(m: Any) -> Any:
    yield m.wrap(TEXT, 20)
    yield m.fill(TEXT, 31, initial_indent="> ", subsequent_indent="  ", break_on_hyphens=False)
    yield m.dedent("   a\n     b\n   c\n"), m.indent(TEXT, "# "), m.shorten(TEXT, 40)
    yield m.TextWrapper(width=0).wrap("a")


def use_statistics(m: Any) -> Any:
    yield m.mean(DATA), m.median(DATA), m.mode(DATA), m.stdev(DATA), m.quantiles(DATA, n=7), m.variance(DATA)
    yield m.fmean(DATA, range(1, 8)), m.multimode("aabbc"), m.linear_regression(range(7), DATA)
    yield m.NormalDist(1, 2).inv_cdf(0.3), m.NormalDist.from_samples(DATA), m.correlation(DATA, DATA[::-1])
    yield m.harmonic_mean([fractions.Fraction(1, 3), 2])
    yield m.mean([])


def use_fractions(m: Any) -> Any:
    a, b = m.Fraction("3/7"), m.Fraction(2.5)
    yield a + b, a - 1, 2 * b, a / b, a // b, a % b, a**3, a**-2, -a, abs(-a), a < b, a == b, hash(a)
    yield m.Fraction(3.14159).limit_denominator(100), str(a), repr(b), round(b), int(b), divmod(b, a)
    yield m.Fraction("three")


def use_difflib(m: Any) -> Any:
    one, two = TEXT.split(" "), TEXT.replace("fox", "cat").replace("lazy ", "").split(" ")
    yield (
        list(m.ndiff(one[:12], two[:12])),
        list(m.unified_diff(one, two, "a", "b")),
        m.get_close_matches("fix", one),
    )
    yield m.SequenceMatcher(None, "private volatile", "privately").get_opcodes()
    yield m.get_close_matches("a", ["b"], n=0)


def use_encoder(m: Any) -> Any:
    for indent in (None, 2):
        m.c_make_encoder = None
        yield m.JSONEncoder(indent=indent, sort_keys=True).encode(VALUE)
    yield m.py_encode_basestring_ascii('\u20ac\U0001f600"'), m.py_encode_basestring("\n\\")
    yield m.JSONEncoder(allow_nan=False).encode(VALUE)


def use_decoder(m: Any) -> Any:
    decode = m.JSONDecoder()
    decode.parse_string = m.py_scanstring
    decode.scan_once = json.scanner.py_make_scanner(decode)
    yield decode.decode(json.dumps(VALUE)), decode.raw_decode("[1, 2] rest")
    for text in INVALID:
        try:
            decode.decode(text)
        except ValueError as error:
            yield str(error)


def use_heapq(m: Any) -> Any:
    heap = list(DATA)
    m.heapify(heap)
    yield (
        heap,
        m.nsmallest(3, DATA),
        m.nlargest(3, DATA, key=abs),
        list(m.merge([1, 4], [2, 3], reverse=False)),
    )
    yield m._heappop_max([3, 1, 2]), m._heapify_max(heap), heap


def use_calendar(m: Any) -> Any:
    yield (
        m.TextCalendar(6).formatyear(2024, m=4),
        m.HTMLCalendar().formatmonth(2023, 2),
        m.monthrange(2100, 2),
    )
    yield m.timegm((2020, 2, 29, 1, 2, 3)), m.isleap(1900)
    yield m.monthrange(2000, 13)


def use_csv(m: Any) -> Any:
    text = "a;b;c\n1;2;'x;y'\n3;4\n"
    dialect = m.Sniffer().sniff(text)
    yield (
        dialect.delimiter,
        list(m.DictReader(io.StringIO(text), dialect=dialect)),
        m.Sniffer().has_header(text),
    )
    out = io.StringIO()
    writer = m.DictWriter(out, ["a", "b"])
    writer.writeheader()
    yield out.getvalue()
    writer.writerow({"c": 1})


def use_colorsys(m: Any) -> Any:
    for color in [(0.2, 0.4, 0.4), (1.0, 0.0, 0.5), (0.3, 0.3, 0.3)]:
        yield (
            m.rgb_to_hls(*color),
            m.hls_to_rgb(*color),
            m.rgb_to_hsv(*color),
            m.hsv_to_rgb(*color),
            m.rgb_to_yiq(*color),
        )


def use_string(m: Any) -> Any:
    yield m.Template("$a ${b} $$ $c").safe_substitute(a=1, b=2), m.capwords("ab cd  ef")
    yield m.Formatter().format("{0!r:>5} {k[1]} {}".replace("{}", "{0}"), "x", k=[1, 2])
    yield m.Template("$a $").substitute(a=1)


def use_shlex(m: Any) -> Any:
    yield (
        m.split('a \'b c\' "d\\"e" f#g', comments=True),
        m.quote("it's"),
        list(m.shlex("a=b;c", punctuation_chars=True)),
    )
    yield m.split("unbalanced 'quote")


USES: list[tuple[types.ModuleType, Callable[[Any], Any]]] = [
    (textwrap, use_textwrap),
    (statistics, use_statistics),
    (fractions, use_fractions),
    (difflib, use_difflib),
    (json.encoder, use_encoder),
    (json.decoder, use_decoder),
    (heapq, use_heapq),
    (calendar, use_calendar),
    (csv, use_csv),
    (colorsys, use_colorsys),
    (string, use_string),
    (shlex, use_shlex),
]


def results(module: types.ModuleType, use: Callable[[Any], Any]) -> list[str]:
    got = []
    try:
        for value in use(module):
            got.append(repr(value))
    except Exception as error:
        got.append(f"{type(error).__name__}: {error}")
    return got


@pytest.mark.parametrize(("module", "use"), USES, ids=lambda value: getattr(value, "__name__", ""))
def test_runs_rewritten(module: types.ModuleType, use: Callable[[Any], Any]) -> None:
    expected = results(module, use)
    got = results(copied(module.__name__), use)
    assert got == expected
    assert len(expected) >= 2
