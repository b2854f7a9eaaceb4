"""`Builder` lists the methods that parts of the graph builder, and functions beside them, call of each other.

Each part in a `builder_*.py` file is a class on top of it; `graph_builder.GraphBuilder` has them all.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from torch import fx

from npcompile.frontend.graph.builder_state import BuilderState
from npcompile.frontend.ops.table import Op
from npcompile.frontend.program.guards import Guard
from npcompile.lower.plan.attributes import SourcePlace, StepKind
from npcompile.lower.plan.values import Value


class Builder(BuilderState, ABC):
    """A residual program under construction."""

    # -- nodes

    @abstractmethod
    def add(
        self,
        step: StepKind,
        target: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        value: Value,
    ) -> fx.Node:
        """Return a new node, with the line of the user's that it came from."""

    @abstractmethod
    def guard(self, guard: Guard, *nodes: fx.Node) -> None:
        """Add a guard on what these nodes give."""

    @abstractmethod
    def where(self) -> SourcePlace:
        """Return the line of the user's that is being recorded."""

    # -- live objects

    @abstractmethod
    def ref(self, obj: Any, static: bool = False, sizes: bool = False) -> Any:
        """Return a live object as an argument of a node: its node, or itself where it is decided."""

    @abstractmethod
    def value(self, obj: Any, outside: bool = False) -> Value:
        """Return what is known of a live object."""

    @abstractmethod
    def know(self, obj: Any, node: fx.Node) -> None:
        """Follow a live object as the value of a node."""

    @abstractmethod
    def traced(self, *objs: Any) -> bool:
        """Tell whether any of these came from a step."""

    @abstractmethod
    def constant(self, value: Any) -> None:
        """Follow a number that the signature and the guards decide."""

    @abstractmethod
    def contents(self, node: fx.Node, container: Any) -> None:
        """Follow what lies in a container from outside."""

    @abstractmethod
    def asked(self, *objs: Any) -> None:
        """Note that the type, the shape or the length of these decides."""

    # -- numbers

    @abstractmethod
    def decide(self, node: fx.Node, value: Any) -> None:
        """Guard that a node has this value."""

    @abstractmethod
    def length(self, array: Any, axis: int) -> int:
        """Return the length of an array's axis, as a number to hand on."""

    @abstractmethod
    def sized(self, node: fx.Node, value: Any) -> fx.Node:
        """Note that a number depends on lengths alone; returns its node."""

    @abstractmethod
    def is_size(self, node: fx.Node) -> None:
        """Note that sizes depend on a number."""

    @abstractmethod
    def bound(self, operands: tuple[Any, ...], typed: tuple[Any, ...]) -> None:
        """Guard that Python's integers stay where NumPy converts them without complaint."""

    # -- steps

    @abstractmethod
    def op(
        self, op: Op, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any, view: bool = False
    ) -> Any:
        """Note a registered op that NumPy has just carried out; returns the result to hand on."""

    @abstractmethod
    def number(
        self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], result: Any
    ) -> Any:
        """Note a pure function of numbers; returns the result to hand on."""

    @abstractmethod
    def number_step(
        self, function: Callable[..., Any], refs: tuple[Any, ...], named: dict[str, Any], result: Any
    ) -> fx.Node:
        """Return the step of a pure function of numbers."""

    @abstractmethod
    def result(self, node: fx.Node, result: Any) -> Any:
        """Follow a step's result; returns what to hand on."""
