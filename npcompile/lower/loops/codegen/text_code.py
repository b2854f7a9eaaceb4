"""Writes the C++ of texts and characters, by the functions of `texts.h`."""

from __future__ import annotations

from npcompile.lower.loops import ir
from npcompile.lower.loops.codegen.array_code import inside
from npcompile.lower.loops.codegen.c_types import c_type, type_of_state
from npcompile.lower.loops.codegen.emitter import Emitter, writes
from npcompile.lower.loops.codegen.list_code import made_by
from npcompile.lower.loops.text_ir import (
    CharacterConstant,
    CharacterValue,
    EqualTexts,
    MadeWord,
    SplitWord,
    TextItem,
    TextIterator,
    TextLength,
    TextState,
    WordConstant,
)


@type_of_state(TextState)
def _state_type(kind: TextState) -> str:
    return f"npl::characters<{c_type(kind.source)}>"


@writes(TextIterator)
def _iterator(emitter: Emitter, node: TextIterator) -> str:
    return emitter.hold(node.type, f"{{{emitter.value(node.text)}, 0}}")


@writes(TextItem)
def _item(emitter: Emitter, node: TextItem) -> str:
    text = emitter.value(node.text)
    place = inside(emitter, node.index, emitter.hold(ir.INT, f"npl::length({text})"))
    return emitter.hold(node.type, f"npl::item({text}, {place})")


@writes(TextLength)
def _length(emitter: Emitter, node: TextLength) -> str:
    return emitter.hold(node.type, f"npl::length({emitter.value(node.text)})")


@writes(EqualTexts)
def _equal(emitter: Emitter, node: EqualTexts) -> str:
    left = emitter.value(node.left)
    if isinstance(node.right, ir.Expression):
        return emitter.hold(node.type, f"npl::equal({left}, {emitter.value(node.right)})")
    codes = ", ".join(str(ord(one)) for one in node.right)
    emitter.count += 1
    name = f"codes_{emitter.count}"
    emitter.lines.append(f"static constexpr uint32_t {name}[] = {{{codes or 0}}};")
    return emitter.hold(node.type, f"npl::equal({left}, {name}, {len(node.right)})")


@writes(CharacterValue)
def _value(emitter: Emitter, node: CharacterValue) -> str:
    operands = [emitter.value(operand) for operand in node.operands]
    if not node.leaves:
        return emitter.hold(node.type, f"{node.function}({', '.join(operands)})")
    answer = emitter.fresh(node.type)
    emitter.leave_if(f"{node.function}({', '.join([*operands, answer])})")
    return answer


@writes(MadeWord)
def _made_word(emitter: Emitter, node: MadeWord) -> str:
    return made_by(emitter, node.type, node.function, [emitter.value(operand) for operand in node.operands])


def _escaped(text: str) -> str:
    """Return a str as what stands between the quotes of a C++ literal, in UTF-8."""
    return "".join(
        f"\\{byte:03o}" if byte < 48 or byte > 122 or byte == 92 else chr(byte) for byte in text.encode()
    )


@writes(SplitWord)
def _split(emitter: Emitter, node: SplitWord) -> str:
    between = "nullptr" if node.between is None else f"{emitter.value(node.between)}.held"
    return made_by(emitter, node.type, "split_word", [emitter.value(node.text), between])


@writes(WordConstant)
def _known_word(emitter: Emitter, node: WordConstant) -> str:
    emitter.count += 1
    name = f"word_{emitter.count}"
    emitter.lines.append(f'static void *const {name} = npl::known_word("{_escaped(node.value)}");')
    emitter.leave_if(f"!{name}")
    return emitter.hold(node.type, f"{{{name}}}")


@writes(CharacterConstant)
def _constant(emitter: Emitter, node: CharacterConstant) -> str:
    return f"npl::character{{{ord(node.value)}}}"
