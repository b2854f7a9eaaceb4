"""The way of a loop region from source to native code: normal form, control flow, types, C++.

`partition/native_loop.py` asks for a `LoopSource` of each loop statement once, and for a `TypedLoop` for each
combination of types at its entry.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from npcompile.frontend.loops import rules
from npcompile.frontend.loops.bounds_checks import hoist
from npcompile.frontend.loops.control_flow import ControlFlow, control_flow
from npcompile.frontend.loops.exchange import Exchange
from npcompile.frontend.loops.inference import Assumed, Inference
from npcompile.frontend.loops.intervals import bound
from npcompile.frontend.loops.normal_form import normal_form
from npcompile.frontend.loops.refusal import refusal
from npcompile.lower.loops import ir
from npcompile.lower.loops.compiler import Job, submit
from npcompile.lower.loops.emit import emit
from npcompile.lower.loops.emitter import Exit, Source
from npcompile.lower.loops.types import Type

assert rules  # importing them has registered them


@dataclass(frozen=True, eq=False)
class LoopSource:
    """A loop statement as a control-flow graph. reads: the names that it reads or keeps, sorted."""

    node: ast.For | ast.While
    flow: ControlFlow
    reads: tuple[str, ...]


_PURE = frozenset(
    "abs all any bool complex divmod enumerate float int len max min pow range reversed round sum zip".split()
)
_PURE_MODULES = frozenset(("np", "numpy", "math", "cmath"))


def is_pure_call(node: ast.Call) -> bool:
    """Tell if a call changes nothing, by the names that it is written with: their values are looked at later."""
    match node.func:
        case ast.Name(id=name):
            return name in _PURE
        case ast.Attribute():
            root: ast.expr = node.func
            while isinstance(root, ast.Attribute):
                root = root.value
            return isinstance(root, ast.Name) and root.id in _PURE_MODULES
    return False


def loop_source(node: ast.For | ast.While) -> LoopSource:
    """Return the control-flow graph of the user's loop statement."""
    loop = normal_form([node], is_pure_call)[-1]
    assert isinstance(loop, ast.For | ast.While)
    flow = control_flow(loop)
    live = flow.live[flow.blocks[0]]
    return LoopSource(node, flow, tuple(sorted(name for name in live if name != flow.state)))


@dataclass(eq=False)
class TypedLoop:
    """A region for one combination of types at its entry, and its native code once `job` is done."""

    region: ir.Region
    assumed: tuple[Assumed, ...]
    source: Source
    exchange: Exchange
    job: Job

    @property
    def exits(self) -> tuple[Exit, ...]:
        return self.source.exits

    @property
    def refusal(self) -> str | None:
        """The reason why native code would come to nothing, if it would."""
        return refusal(self.region)

    def holds(self) -> bool:
        """Tell if attributes of modules and the like are what they were while compiling."""
        return all(getattr(one.owner, one.name, one) is one.value for one in self.assumed)


def typed_loop(flow: ControlFlow, names: dict[str, Type], wide: frozenset[str]) -> TypedLoop:
    """Return a region for types at its entry, on its way to native code. wide: names of ints of any 64 bits."""
    inference = Inference(flow)
    region = inference.infer(names)
    region.wide = wide
    bound(region)
    hoist(region)
    source = emit(region)
    return TypedLoop(region, tuple(inference.assumed), source, Exchange(source.layout), submit(source.text))

