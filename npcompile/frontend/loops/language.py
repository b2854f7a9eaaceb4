"""Registers the rules of the loop language: one for each construct, found by syntax, by type or by callee.

A rule takes the inference, the node and its typed operands, and returns a typed expression or adds steps. It
raises `Outside` for a construct that native loops do not have, which is then left to Python. `rules/` holds
the rules, in a file for each family.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

Rule = TypeVar("Rule", bound=Callable[..., Any])


class Outside(Exception):
    """A construct, or a type, that native loops do not have. The text says which.

    No text: at this place Python is to answer, as it raises there, or nothing is known of a list's items.
    """


class Rules(Generic[Rule]):
    """The rules of one kind of construct, by what tells them apart."""

    def __init__(self, words: str) -> None:
        self.words = words  # names the construct that is outside the language
        self._rules: dict[Any, Rule] = {}

    def __call__(self, *keys: Any) -> Callable[[Rule], Rule]:
        """Register the rule of these keys."""

        def register(rule: Rule) -> Rule:
            for key in keys:
                assert key not in self._rules, f"two rules of {key}"
                self._rules[key] = rule
            return rule

        return register

    def __contains__(self, key: Any) -> bool:
        return key in self._rules

    def find(self, key: Any, named: object) -> Rule:
        """Return the rule of a key. Raises Outside, with the construct named, where there is none."""
        rule = self._rules.get(key)
        if rule is None:
            raise Outside(self.words.format(named))
        return rule


# Expressions, by the class of the node: rule(inference, node) -> expression.
expressions: Rules[Any] = Rules("`{}` expressions")
# Calls, by the object called: rule(inference, node) -> expression.
calls: Rules[Any] = Rules("calls of `{}`")
# Methods and attributes, by the owner's class of type and the name: rule(inference, node, owner) ->
# expression.
methods: Rules[Any] = Rules("the method `{}`")
attributes: Rules[Any] = Rules("the attribute `{}`")
# Method calls that are statements, likewise: rule(inference, node, owner) adds steps.
effects: Rules[Any] = Rules("the method `{}`")
# Binary operators, by the classes of both types: rule(inference, operator, left, right, inplace) ->
# expression.
operators: Rules[Any] = Rules("operators on {}")
# Comparisons, likewise: rule(inference, operator, left, right) -> expression.
comparisons: Rules[Any] = Rules("comparisons of {}")
# `in` the value of a call, by the object called: rule(inference, left node, node) -> an expression of type
# bool.
memberships: Rules[Any] = Rules("`in {}`")
# Unary operators, by the class of the type: rule(inference, operator, operand) -> expression.
unaries: Rules[Any] = Rules("unary operators on {}")
# Truth, by the class of the type: rule(inference, value) -> an expression of type bool.
truths: Rules[Any] = Rules("the truth of {}")
# Subscripts, by the class of the container's type: rule(inference, container, index node) -> expression.
items: Rules[Any] = Rules("items of {}")
# Stores to subscripts, likewise: rule(inference, container, index node, value) adds steps.
stores: Rules[Any] = Rules("stores to {}")
# Deletions of subscripts, likewise: rule(inference, container, index node) adds steps.
deletions: Rules[Any] = Rules("`del` of items of {}")
# Augmented assignments to values other than numbers, by the class of the old value's type:
# rule(inference, target node, old value, operator, value) adds steps.
updates: Rules[Any] = Rules("in-place operations on {}")
# Unpacking to targets, by the class of the value's type: rule(inference, value, count of targets) ->
# expressions.
unpackings: Rules[Any] = Rules("unpacking of {}")
# Calls that a loop iterates over, by the object called, and attributes, by the class of the owner's type and
# the name: rule(inference, state, node) adds steps.
iterables: Rules[Any] = Rules("loops over `{}`")
# Other values that a loop iterates over, by the class of their types: rule(inference, state, value) adds
# steps.
iterations: Rules[Any] = Rules("loops over {}")
# Taking the next item, by the class of the iterator's type: rule(inference, end of a block) -> end of a
# block.
nexts: Rules[Any] = Rules("loops over {}")
