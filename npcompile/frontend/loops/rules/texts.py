"""Gives the loop language its rules for str, bytes and bytearray: items, lengths, comparisons, characters.

A str that the region is given is read where it is; items and keys of containers, and parts of strs, are the
objects that Python has. A str of one character is a code point: its class and case are native in ASCII, and
Python's elsewhere.
"""

from __future__ import annotations

import ast
import operator
from typing import Any

from npcompile.frontend.loops import language
from npcompile.frontend.loops.constants import told
from npcompile.frontend.loops.inference import Inference
from npcompile.frontend.loops.language import Outside
from npcompile.frontend.loops.rules.lists import bounds_of_slice
from npcompile.frontend.loops.rules.numbers import apply, compared
from npcompile.frontend.loops.rules.subscripts import index_of
from npcompile.frontend.loops.scalars import arithmetic
from npcompile.lower.loops import ir
from npcompile.lower.loops.operation import truth_of
from npcompile.lower.loops.text_ir import (
    CharacterConstant,
    CharacterValue,
    EqualTexts,
    MadeWord,
    SplitWord,
    TextItem,
    TextLength,
    as_operand,
    as_word,
)
from npcompile.lower.loops.types import (
    BOOL,
    CHARACTER,
    INT,
    WORD,
    Character,
    Known,
    List,
    Scalar,
    Text,
    Tuple,
    Word,
)

_BYTE = Scalar("u1")
_CLASSES = ("isdigit", "isalpha", "isalnum", "isspace", "isupper", "islower")
_ORDERS = {ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge}


@language.items(Text, Word)
def _item(inference: Inference, container: ir.Expression, index: ast.expr) -> ir.Expression:
    kind = container.type
    if isinstance(index, ast.Slice):
        return _part(inference, container, index)
    place = index_of(inference, inference.value(index))
    if isinstance(kind, Word) or (isinstance(kind, Text) and kind.item == CHARACTER):
        return TextItem(CHARACTER, container, place)
    return as_int(TextItem(_BYTE, container, place))


def _part(inference: Inference, text: ir.Expression, index: ast.Slice) -> ir.Expression:
    """Return a part of a str, without a step. Raises Outside."""
    start, stop, step = bounds_of_slice(inference, index)
    if step is not None or text.type not in (WORD, Text("str")):
        raise Outside(f"a part of a {text.type}")
    length = TextLength(INT, text)
    begin = ir.integer(0) if start is None else CharacterValue(INT, "npl::wrapped", (start, length))
    end = length if stop is None else CharacterValue(INT, "npl::wrapped", (stop, length))
    return MadeWord(WORD, "part_of_word" if text.type == WORD else "part_of_text", (text, begin, end))


def as_int(byte: ir.Expression) -> ir.Expression:
    """Return a byte as the Python int that an item of bytes is."""
    return apply(arithmetic.cast(_BYTE, INT), (byte,), "bytes")


@language.truths(Text, Word)
def _truth(inference: Inference, value: ir.Expression) -> ir.Expression:
    return apply(truth_of(INT), (TextLength(INT, value),), "the truth of a text")


@language.truths(Character)
def _truth_of_character(inference: Inference, value: ir.Expression) -> ir.Expression:
    return ir.truth(True)


# -- comparisons -------------------------------------------------------------------------------------------


def decided(kind: Any, one: Any, other: Any) -> bool:
    """Return the comparison of two texts that are known."""
    if kind in (ast.Eq, ast.NotEq):
        return (one == other) is (kind is ast.Eq)
    if kind in (ast.In, ast.NotIn):
        return (one in other) is (kind is ast.In)
    return bool(_ORDERS[kind](one, other))


@language.comparisons((Text, Known), (Known, Text), (Text, Text))
def _compare_texts(
    inference: Inference, kind: Any, left: ir.Expression, right: ir.Expression
) -> ir.Expression:
    operands = left, right
    if isinstance(left.type, Known):
        left, right = right, left
    if kind in (ast.In, ast.NotIn):
        return _compare_words(inference, kind, *operands)
    if kind not in (ast.Eq, ast.NotEq) or left.type != Text("str"):
        raise Outside(f"comparisons of {left.type} and {right.type}")
    other: Any = right
    if isinstance(right.type, Known):
        other = right.type.value
        if type(other) is not str:
            return ir.truth(kind is ast.NotEq)
    elif right.type != left.type:
        raise Outside(f"comparisons of {left.type} and {right.type}")
    return _or_not(EqualTexts(BOOL, left, other), kind is ast.NotEq)


@language.comparisons(
    *((Word, other) for other in (Word, Text, Known, Character, Scalar)),
    *((other, Word) for other in (Text, Known, Character, Scalar)),
)
def _compare_words(
    inference: Inference, kind: Any, left: ir.Expression, right: ir.Expression
) -> ir.Expression:
    is_equality = kind in (ast.Eq, ast.NotEq)
    known = next((one.type.value for one in (left, right) if isinstance(one.type, Known)), "")
    if is_equality and (type(known) is not str or Scalar in (type(left.type), type(right.type))):
        return told(ir.truth(kind is ast.NotEq), left, right)
    if is_equality and Known in (type(left.type), type(right.type)):
        word = right if isinstance(left.type, Known) else left
        return _or_not(EqualTexts(BOOL, word, known), kind is ast.NotEq)
    one, other = as_operand(left), as_operand(right)
    if one is not None and other is not None and kind in (ast.In, ast.NotIn):
        return _or_not(CharacterValue(BOOL, "npl::contains", (one, other), True), kind is ast.NotIn)
    if one is None or other is None or kind not in (ast.Eq, ast.NotEq, *_ORDERS):
        raise Outside(f"comparisons of {left.type} and {right.type}")
    if is_equality:
        return _or_not(EqualTexts(BOOL, one, other), kind is ast.NotEq)
    if kind in (ast.Gt, ast.LtE):
        one, other = other, one
    return _or_not(CharacterValue(BOOL, "npl::less", (one, other)), kind in (ast.LtE, ast.GtE))


_STRS = (Word, Character, Text)


@language.operators(
    *((one, other) for one in _STRS for other in (*_STRS, Known)), *((Known, other) for other in _STRS)
)
def _concatenated(
    inference: Inference,
    operator: type[ast.operator],
    left: ir.Expression,
    right: ir.Expression,
    inplace: bool,
) -> ir.Expression:
    one, other = as_operand(left), as_operand(right)
    if operator is not ast.Add or one is None or other is None:
        raise Outside(f"`{operator.__name__}` of {left.type} and {right.type}")
    return MadeWord(WORD, "joined_words", (one, other))


@language.comparisons((Character, Character), (Character, Known), (Known, Character))
def _compare_characters(
    inference: Inference, kind: Any, left: ir.Expression, right: ir.Expression
) -> ir.Expression:
    if kind in (ast.In, ast.NotIn):
        return _or_not(_is_in(left, right), kind is ast.NotIn)
    one, other = _character(left), _character(right)
    if one is None or other is None:
        if kind in (ast.Eq, ast.NotEq):
            return ir.truth(kind is ast.NotEq)
        raise Outside(f"an order of {left.type} and {right.type}")
    if kind in (ast.Eq, ast.NotEq):
        return _or_not(CharacterValue(BOOL, "npl::same_character", (one, other)), kind is ast.NotEq)
    if kind in (ast.Gt, ast.LtE):
        one, other = other, one
    return _or_not(CharacterValue(BOOL, "npl::less_character", (one, other)), kind in (ast.LtE, ast.GtE))


def _character(value: ir.Expression) -> ir.Expression | None:
    """Return an operand as a character; None for a known object that is none."""
    if not isinstance(value.type, Known):
        return value
    text = value.type.value
    return CharacterConstant(CHARACTER, text) if type(text) is str and len(text) == 1 else None


def _is_in(one: ir.Expression, others: ir.Expression) -> ir.Expression:
    text = getattr(others.type, "value", None)
    if type(text) is not str or isinstance(one.type, Known):
        raise Outside(f"`in` of {one.type} and {others.type}")
    found: ir.Expression = ir.truth(False)
    for character in reversed(dict.fromkeys(text)):
        same = CharacterValue(BOOL, "npl::same_character", (one, CharacterConstant(CHARACTER, character)))
        found = ir.Choose(BOOL, same, ir.truth(True), found)
    return found


@language.comparisons((Scalar, Tuple), (Character, Tuple), (Word, Tuple))
def _is_item(inference: Inference, kind: Any, left: ir.Expression, right: ir.Expression) -> ir.Expression:
    """Compare a value with the items of a tuple. An item that is the value itself counts, even a NaN."""
    assert isinstance(right.type, Tuple)
    if kind not in (ast.In, ast.NotIn):
        raise Outside(f"comparisons of {left.type} and {right.type}")
    found: ir.Expression = ir.truth(False)
    for place in reversed(range(len(right.type.items))):
        item = ir.part_of(right, place)
        if isinstance(item.type, Scalar) and item.type.kind in "fc" and not isinstance(item, ir.Constant):
            raise Outside(f"`in` of {left.type} and {right.type}")
        if isinstance(left.type, Scalar) is not isinstance(item.type, Scalar):
            continue  # a number is no text
        rule = language.comparisons.find((type(left.type), type(item.type)), f"{left.type} and {item.type}")
        same = inference.truth(rule(inference, ast.Eq, left, item))
        found = ir.Choose(BOOL, same, ir.truth(True), found)
    return _or_not(found, kind is ast.NotIn)


@language.comparisons((Scalar, Known))
def _is_byte(inference: Inference, kind: Any, left: ir.Expression, right: ir.Expression) -> ir.Expression:
    """Tell if an int is among bytes that are known. Python raises where it is no byte."""
    assert isinstance(left.type, Scalar) and isinstance(right.type, Known)
    known = right.type.value
    if kind not in (ast.In, ast.NotIn) or type(known) is not bytes or not known:
        raise Outside(f"comparisons of {left.type} and {right.type}")
    byte = as_int(apply(arithmetic.cast(INT, _BYTE), (index_of(inference, left),), "bytes"))
    found: ir.Expression = ir.truth(False)
    for one in reversed(dict.fromkeys(known)):
        same = compared(inference, ast.Eq, byte, ir.integer(one))
        found = ir.Choose(BOOL, same, ir.truth(True), found)
    return _or_not(found, kind is ast.NotIn)


def _or_not(value: ir.Expression, negated: bool) -> ir.Expression:
    return apply(arithmetic.unary(ast.Not, BOOL), (value,), "`not`") if negated else value


# -- functions ---------------------------------------------------------------------------------------------


@language.calls(ord)
def _ord(inference: Inference, node: ast.Call) -> ir.Expression:
    value = _only(inference, node)
    if isinstance(value.type, Character):
        return CharacterValue(INT, "npl::code_of", (value,))
    text: Any = getattr(value.type, "value", None)
    if type(text) in (str, bytes) and len(text) == 1:
        return ir.integer(ord(text))
    raise Outside(f"`ord` of {value.type}")


@language.calls(chr)
def _chr(inference: Inference, node: ast.Call) -> ir.Expression:
    code = index_of(inference, _only(inference, node))
    return CharacterValue(CHARACTER, "npl::code_to_character", (code,), True)


def _only(inference: Inference, node: ast.Call) -> ir.Expression:
    if len(node.args) != 1 or node.keywords:
        raise Outside(f"a call of `{ast.unparse(node.func)}` that Python refuses")
    return inference.value(node.args[0])


@language.methods((Word, "split"), (Text, "split"))
def _split(inference: Inference, node: ast.Call, owner: ir.Expression) -> ir.Expression:
    text, given = as_word(owner), [inference.value(one) for one in node.args]
    between = [as_operand(one) for one in given]
    if text is None or node.keywords or len(given) > 1 or None in between:
        raise Outside("`split` with these arguments")
    return SplitWord(List(WORD), text, between[0] if between else None)


@language.methods(*((Character, name) for name in (*_CLASSES, "lower", "upper")))
def _method(inference: Inference, node: ast.Call, owner: ir.Expression) -> ir.Expression:
    assert isinstance(node.func, ast.Attribute)
    if node.args or node.keywords:
        raise Outside(f"`{node.func.attr}` with arguments")
    result = BOOL if node.func.attr in _CLASSES else CHARACTER
    return CharacterValue(result, f"npl::{node.func.attr}_", (owner,), True)
