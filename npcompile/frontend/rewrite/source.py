"""Finds a function's syntax tree in its source, and proves by compiling it that the tree is that function's.

Every file that needs a tree calls `find`. A file edited since it was imported, a decorator that replaced the
function, two lambdas that cannot be told apart or code made by `exec` all end in `NotFound`, never in another
function's tree.
"""

from __future__ import annotations

import ast
import copy
import inspect
import itertools
import re
import threading
import warnings
import weakref
from dataclasses import dataclass
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

from npcompile.diagnostics.garbage import uncollected
from npcompile.diagnostics.reason import Cause, Reason
from npcompile.frontend.rewrite import pytest_asserts, source_texts
from npcompile.frontend.rewrite.literals import with_literals_of
from npcompile.lower.codegen import parsing

FunctionNode = ast.FunctionDef | ast.Lambda
_COMPILING = "<npcompile>"  # the name under which sources are parsed and compiled
_NESTED = inspect.CO_NESTED


class NotFound(Exception):
    """No tree compiles to the function's code. reason: why."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason = reason


def bound_by(alias: ast.alias) -> str:
    """Return the name that an import binds."""
    return alias.asname or alias.name.split(".")[0]


def enclosing_class(code: CodeType) -> str | None:
    """Return the class whose private names are mangled in this code: in `A.f.<locals>.g` that is `A`."""
    parts = code.co_qualname.split(".")
    for name, after in reversed(list(itertools.pairwise(parts))):
        if name != "<locals>" and after != "<locals>":
            return name
    return None


# Trees of functions that were made from a part of another's tree, by identity of their code.
_given: dict[int, tuple[weakref.ref[CodeType], FunctionNode, frozenset[str]]] = {}


def given(code: CodeType, node: FunctionNode, imports: frozenset[str]) -> None:
    """Make `find` return this tree for functions of this code."""
    key = id(code)
    _given[key] = weakref.ref(code, lambda _: _given.pop(key, None)), node, imports


def is_given(code: CodeType) -> bool:
    """Tell if functions of this code were cut out of another function."""
    known = _given.get(id(code))
    return known is not None and known[0]() is code


def given_as(code: CodeType, like: CodeType) -> CodeType:
    """Return a code of which `find` returns the tree that it returns for another one, if it was given one."""
    if is_given(like):
        given(code, *_given[id(like)][1:])
    return code


# Trees, as the user wrote them, of functions that have hooks or had them, by identity of their code.
_written: dict[int, tuple[weakref.ref[CodeType], FunctionNode, frozenset[str]]] = {}


def written(code: CodeType, node: FunctionNode, imports: frozenset[str]) -> None:
    """Make `find` return this tree for functions of this code, which is compiled from the tree with hooks
    added."""
    key = id(code)
    _written[key] = weakref.ref(code, lambda _: _written.pop(key, None)), node, imports


def tree_as_written(code: CodeType) -> tuple[FunctionNode, frozenset[str]]:
    """Return a copy of the tree given to `written`. Raises NotFound."""
    known = _written.get(id(code))
    if known is None or known[0]() is not code:
        raise NotFound(Cause.MADE_WHILE_RECORDED())
    return copy.deepcopy(known[1]), known[2]


def find(fn: FunctionType) -> tuple[FunctionNode, frozenset[str]]:
    """Return the function's tree, with the lines of its file, and the file's imports. Raises NotFound."""
    code = fn.__code__
    known = _given.get(id(code))
    if known is not None and known[0]() is code:
        return known[1], known[2]
    proven = _proven.get(id(code))
    if id(code) in _written:
        node, imports = tree_as_written(code)
    elif proven is not None and proven[0]() is code:
        definition, imports = _definition(code, proven[1], fn.__globals__), proven[2]
        assert definition is not None  # it was found in this very text
        node = definition
    else:
        node, imports = _search_texts(fn)
    if imports & pytest_asserts.IMPORTS and isinstance(node, ast.FunctionDef):
        pytest_asserts.name_locals(node.body)
    return node, imports


def _search_texts(fn: FunctionType) -> tuple[FunctionNode, frozenset[str]]:
    """Return the tree in one of the function's texts that compiles to its code. Raises NotFound."""
    code = fn.__code__
    reason: Reason | None = None
    for lines in source_texts.texts(code, fn.__globals__):
        try:
            return _within(lines, fn)
        except (SyntaxError, ValueError) as error:
            reason = reason or Cause.SOURCE_NOT_PARSED(str(error))
        except NotFound as error:
            reason = reason or error.reason
    raise NotFound(reason or source_texts.missing(code.co_filename))


def _within(lines: list[str], fn: FunctionType) -> tuple[FunctionNode, frozenset[str]]:
    """Return the tree in this text that compiles to the function's code. Raises NotFound."""
    code = fn.__code__
    if code.co_firstlineno > len(lines):
        raise NotFound(Cause.SOURCE_CHANGED())
    modules = frozenset([name for name, one in fn.__globals__.items() if type(one) is ModuleType])
    of_pytest = pytest_asserts.IMPORTS.intersection(fn.__globals__)
    if code.co_name != "<lambda>" and (further := _imports_used(fn, lines)) is not None:
        text = _text(lines, code.co_firstlineno, _last_line(code, lines))
        node = _alone(text, fn, [modules | further | of_pytest, of_pytest])
        if node is not None:
            return _proved(code, node, text, modules | further)
    text = ""
    candidates: list[FunctionNode] = []
    file = _file(code.co_filename, lines)
    if code.co_name == "<lambda>":
        candidates = _lambdas(code, lines)
    elif code.co_firstlineno in file.ends:
        text = _text(lines, code.co_firstlineno, file.ends[code.co_firstlineno])
        node = _definition(code, text, fn.__globals__)
        candidates = [] if node is None else [node]
    ways = [names | of_pytest for names in file.imported(code.co_firstlineno)]
    matching = [node for node in candidates if _compiles_to(node, code, ways)]
    if not matching:
        raise NotFound(Cause.OTHER_SOURCE())
    if len(matching) > 1:
        raise NotFound(Cause.TWO_LAMBDAS())
    return _proved(code, matching[0], text, ways[0] | modules)


def _proved(
    code: CodeType, node: FunctionNode, text: str, imports: frozenset[str]
) -> tuple[FunctionNode, frozenset[str]]:
    """Return a tree that compiles to the code. text: that of a `def`, which is kept; else empty."""
    if text:
        key = id(code)
        _proven[key] = weakref.ref(code, lambda _: _proven.pop(key, None)), text, imports
    return node, imports


def _alone(text: str, fn: FunctionType, ways: list[frozenset[str]]) -> FunctionNode | None:
    """Return the tree of a `def`'s text if it compiles to the function's code; else None.

    Most functions are found so. To parse all of a long file would take a good part of a first call.
    """
    try:
        node = _definition(fn.__code__, text, fn.__globals__)
    except (SyntaxError, ValueError):
        return None
    return node if node is not None and _compiles_to(node, fn.__code__, ways) else None


_OF_MODULES = (FunctionType, BuiltinFunctionType, type)  # they know where they were defined
_DEFINITION = re.compile(r"^(?:(?:def|class) +(\w+)|(\w+) *(?::[^=\n]*)?=)", re.MULTILINE)
_defined: dict[str, tuple[list[str], frozenset[str]]] = {}  # names that a file's own lines define, by file


def _imports_used(fn: FunctionType, lines: list[str]) -> frozenset[str] | None:
    """Return names of no modules that the function uses and its file imports; None if some cannot be told.

    An object that no line of the file defines may have been imported, or made in another way.
    """
    file, names = fn.__code__.co_filename, fn.__globals__
    known = _defined.get(file)
    if known is None or known[0] is not lines:
        found = frozenset([one or other for one, other in _DEFINITION.findall("".join(lines))])
        known = _defined[file] = lines, found
    used = [name for name in names_in(fn.__code__) & names.keys() if type(names[name]) is not ModuleType]
    imported = [name for name in used if name not in known[1]]
    own = names.get("__name__")
    if all(isinstance(names[name], _OF_MODULES) and names[name].__module__ != own for name in imported):
        return frozenset(imported)
    return None


def names_in(code: CodeType) -> set[str]:
    """Return the names of globals and attributes in a function's code, and in that of functions within."""
    return {*code.co_names}.union(
        *[names_in(const) for const in code.co_consts if isinstance(const, CodeType)]
    )


def _last_line(code: CodeType, lines: list[str]) -> int:
    """Return the last line of a `def`, by its code and the indentation of lines: a guess, to be proved."""
    last = _last_of(code)
    margin = _indentation(lines[code.co_firstlineno - 1])
    for number, line in enumerate(lines[last:], last + 1):
        if line.strip() and not line.lstrip().startswith("#"):
            if _indentation(line) <= margin:
                break
            last = number
    return last


def _last_of(code: CodeType) -> int:
    own = [line for _, _, line in code.co_lines() if line is not None]
    return max([*own, *[_last_of(const) for const in code.co_consts if isinstance(const, CodeType)]])


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip())


def _compiles_to(node: FunctionNode, code: CodeType, ways: list[frozenset[str]]) -> bool:
    """Tell if a tree compiles to the function's code, with one of the sets of imports that may have stood
    beside it.

    The compiler sees a module as a whole or, as in shells, one statement after the other.
    """
    return any(same_code(compile_in_place(node, code, imports), code) for imports in ways)


# The text that compiles to a code object, and its file's imports, by identity of the code. It is parsed
# again for each caller, who may change the tree.
_proven: dict[int, tuple[weakref.ref[CodeType], str, frozenset[str]]] = {}


def _text(lines: list[str], first: int, last: int) -> str:
    """Return the lines of a `def`, placed where they stand in their file."""
    block = lines[first - 1 : last]
    # An indented block stands under an `if` on the line before: lines and columns stay those of the file.
    # A form feed is no indentation.
    indented = block[0].lstrip("\f")[:1].isspace()
    lead = "\n" * (first - 2) + "if 1:\n" if indented else "\n" * (first - 1)
    return lead + "".join(block)


def _definition(code: CodeType, text: str, names: dict[str, Any]) -> FunctionNode | None:
    """Return the `def` of the code's name in a text that `_text` returned."""
    tree = parse(text)
    body: list[Any] = tree.body
    if body and isinstance(body[0], ast.If):
        body = body[0].body
    found = (
        body[0] if body and isinstance(body[0], ast.FunctionDef) and body[0].name == code.co_name else None
    )
    if pytest_asserts.REWRITER in names:
        pytest_asserts.rewrite_asserts(tree, text, code.co_filename, names)
    return found


# Trees of whole files are made and given up `uncollected`: a collection that comes meanwhile would count
# their nodes as objects that stay. Some files bring a full collection by that, which goes through all of
# PyTorch's objects: 0.1 s.
_lambdas_of: dict[str, tuple[list[str], dict[int, list[ast.Lambda]]]] = {}


def _lambdas(code: CodeType, lines: list[str]) -> list[FunctionNode]:
    """Return the lambdas that start at the code's first line, from the whole file, which is parsed once."""
    known = _lambdas_of.get(code.co_filename)
    if known is None or known[0] is not lines:
        by_line: dict[int, list[ast.Lambda]] = {}
        with uncollected():
            for node in ast.walk(parse("".join(lines))):
                if isinstance(node, ast.Lambda):
                    by_line.setdefault(node.lineno, []).append(node)
        known = _lambdas_of[code.co_filename] = lines, by_line
    return list(copy.deepcopy(known[1].get(code.co_firstlineno, [])))


@dataclass(frozen=True)
class _File:
    lines: list[str]
    ends: dict[int, int]  # the last line of each `def`, by the first, its decorators' included
    # Names that imports bind at the top level, by the first and last line of the statement that holds them.
    imports: dict[tuple[int, int], frozenset[str]]

    def imported(self, line: int) -> list[frozenset[str]]:
        """Return the sets of imported names that the compiler may have known when it came to this line.

        A call `name.f()` is compiled in another way if `name` is imported. The sets are the names of the
        whole text, those of the statement at hand, and none.
        """
        whole: frozenset[str] = frozenset().union(*self.imports.values())
        near = [names for (first, last), names in self.imports.items() if first <= line <= last]
        return list(dict.fromkeys((whole, frozenset().union(*near), frozenset())))


_files: dict[str, _File] = {}
_WITHIN = ("body", "orelse", "finalbody", "handlers", "cases")  # where statements hold statements


def _file(filename: str, lines: list[str]) -> _File:
    """Return what is known of a file, collected once for the lines it has now."""
    known = _files.get(filename)
    if known is None or known.lines is not lines:
        with uncollected():
            known = _files[filename] = _looked_through(lines)
    return known


def _looked_through(lines: list[str]) -> _File:
    imports: dict[tuple[int, int], frozenset[str]] = {}
    ends: dict[int, int] = {}
    for statement in parse("".join(lines)).body:
        names: set[str] = set()
        pending: list[tuple[Any, bool]] = [(statement, True)]
        while pending:
            node, top = pending.pop()
            if isinstance(node, ast.Import | ast.ImportFrom):
                for alias in node.names:
                    if top and alias.name != "*":
                        names.add(bound_by(alias))
                continue
            if isinstance(node, ast.FunctionDef):
                ends[first_line(node)] = node.end_lineno or 0
            top &= not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            for name in _WITHIN:
                for inner in getattr(node, name, ()):
                    pending.append((inner, top))
        if names:
            where = statement.lineno, statement.end_lineno or 0
            imports[where] = imports.get(where, frozenset()) | names
    return _File(lines, ends, imports)


def first_line(node: ast.FunctionDef) -> int:
    """Return the first line of a function as the compiler has it: that of the first decorator."""
    if not node.decorator_list:
        return node.lineno
    return min([decorator.lineno for decorator in node.decorator_list])


def parse(text: str) -> ast.Module:
    _silence()
    try:
        return parsing.parse(text, _COMPILING)
    finally:
        _unsilence()


def compile_in_place(
    node: FunctionNode, code: CodeType, imports: frozenset[str], extra: tuple[str, ...] = ()
) -> CodeType:
    """Compile the function's tree as if it stood where `code` was made; `extra` are further free variables.

    The enclosing class (for private names), free variables and compiler flags are those of `code`.
    Expressions that are evaluated outside the function (decorators, defaults, annotations) are replaced by
    placeholders on the same lines.
    """
    node = _without_outside(node)
    where: dict[str, Any] = dict.fromkeys(("lineno", "end_lineno"), node.lineno)
    where |= dict.fromkeys(("col_offset", "end_col_offset"), 0)
    plain: dict[str, Any] = {"decorator_list": [], "type_params": []} | where
    body: ast.stmt = node if isinstance(node, ast.FunctionDef) else ast.Expr(node, **where)
    cls = enclosing_class(code)
    if cls is not None:
        body = ast.ClassDef(name=cls, bases=[], keywords=[], body=[body], **plain)
    free = [ast.arg(name, **where) for name in dict.fromkeys((*code.co_freevars, *extra))]
    # The name defined here is a global to the function, unless it is among its free variables.
    own = cls or (node.name if isinstance(node, ast.FunctionDef) else None)
    bound = (*code.co_freevars, *extra)
    outside: list[ast.stmt] = [ast.Global([own], **where)] if own and own not in bound else []
    factory = ast.FunctionDef(
        name="factory",
        args=ast.arguments(posonlyargs=[], args=free, kwonlyargs=[], kw_defaults=[], defaults=[]),
        body=[*outside, body],
        **plain,
    )
    aliases = [ast.alias(name, **where) for name in sorted(imports)]
    module: list[ast.stmt] = [ast.Import(aliases, **where), factory] if aliases else [factory]
    flags = code.co_flags & _FUTURE
    _silence()
    try:
        compiled = compile(ast.Module(module, type_ignores=[]), _COMPILING, "exec", flags, dont_inherit=True)
    finally:
        _unsilence()
    for _ in range(2 if cls is None else 3):
        compiled = next(const for const in compiled.co_consts if isinstance(const, CodeType))
    named = _named(compiled, code.co_filename, compiled.co_qualname, code.co_qualname)
    return with_literals_of(named, code)


def _named(code: CodeType, filename: str, old: str, new: str) -> CodeType:
    """Return the code, and the code within, with the file and the qualified names of the original."""
    qualname = (
        new + code.co_qualname.removeprefix(old) if code.co_qualname.startswith(old) else code.co_qualname
    )
    is_class = not code.co_flags & inspect.CO_OPTIMIZED  # its qualified name is among its constants
    consts: list[Any] = []
    for const in code.co_consts:
        if isinstance(const, CodeType):
            const = _named(const, filename, old, new)
        elif is_class and const == code.co_qualname:
            const = qualname
        consts.append(const)
    return code.replace(co_filename=filename, co_qualname=qualname, co_consts=tuple(consts))


_FUTURE = 0
for _feature in ("annotations", "barry_as_FLUFL", "generator_stop"):
    _FUTURE |= getattr(__import__("__future__"), _feature).compiler_flag


class _Compilers:
    """Threads that compile a source again: matches the module of every warning that one of them gets.

    The compiler warns a second time, of an `invalid escape sequence` or the like. The module that such a
    warning is told to be of is not the same in all versions of Python.
    """

    def __init__(self) -> None:
        self.threads = set[int]()

    def match(self, module: str) -> bool:
        return threading.get_ident() in self.threads


_compilers = _Compilers()
_SILENCE = ("ignore", None, Warning, _compilers, 0)


def _silence() -> None:
    # Not `catch_warnings`: it would forget which warnings were shown already, and races with other threads.
    _compilers.threads.add(threading.get_ident())
    warnings.filters.insert(0, _SILENCE)  # type: ignore[attr-defined]


def _unsilence() -> None:
    _compilers.threads.discard(threading.get_ident())
    try:
        warnings.filters.remove(_SILENCE)  # type: ignore[attr-defined]
    except ValueError:  # another thread has changed the list meanwhile
        pass


def _without_outside(node: FunctionNode) -> FunctionNode:
    def placeholder(of: ast.expr) -> ast.expr:
        return ast.copy_location(ast.Constant(None), of)

    def bare(arg: ast.arg | None) -> Any:
        return None if arg is None else ast.copy_location(ast.arg(arg.arg), arg)

    node, args = copy.copy(node), node.args
    node.args = ast.arguments(
        posonlyargs=[bare(a) for a in args.posonlyargs],
        args=[bare(a) for a in args.args],
        vararg=bare(args.vararg),
        kwonlyargs=[bare(a) for a in args.kwonlyargs],
        kw_defaults=[None if d is None else placeholder(d) for d in args.kw_defaults],
        kwarg=bare(args.kwarg),
        defaults=[placeholder(d) for d in args.defaults],
    )
    if isinstance(node, ast.FunctionDef):
        node.decorator_list = [placeholder(d) for d in node.decorator_list]
        node.returns = None
        if hasattr(node, "type_params"):
            node.type_params = []
    return node


def same_code(a: CodeType, b: CodeType) -> bool:
    """Tell if two code objects are the same program on the same lines and columns, in any file."""
    return (
        a.co_code == b.co_code
        and a.co_name == b.co_name
        and a.co_names == b.co_names
        and a.co_varnames == b.co_varnames
        and a.co_freevars == b.co_freevars
        and a.co_cellvars == b.co_cellvars
        and a.co_argcount == b.co_argcount
        and a.co_posonlyargcount == b.co_posonlyargcount
        and a.co_kwonlyargcount == b.co_kwonlyargcount
        and a.co_firstlineno == b.co_firstlineno
        and a.co_linetable == b.co_linetable
        and a.co_exceptiontable == b.co_exceptiontable
        and a.co_flags & ~_NESTED == b.co_flags & ~_NESTED
        and _same_constant(a.co_consts, b.co_consts)
    )


def _same_constant(a: Any, b: Any) -> bool:
    if type(a) is not type(b):
        return False
    if isinstance(a, CodeType):
        return same_code(a, b)
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(_same_constant, a, b))
    if isinstance(a, frozenset):
        return a == b and {(type(x), repr(x)) for x in a} == {(type(x), repr(x)) for x in b}
    if isinstance(a, float | complex):
        return repr(a) == repr(b)  # -0.0 is not 0.0, and NaN is NaN
    return bool(a == b)
