"""Reads: values that a function takes from outside its arguments, one class per place they come from.

A recording notes a read as a step, whose value a guard then holds to what was decided. Each replay reads
again. To add a kind, write a class here: its value, its text in a replay, and its words for people.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from npcompile.frontend.program.array_facts import from_tensor, on_memory_of
from npcompile.frontend.program.object_steps import class_attribute
from npcompile.frontend.program.replay_interface import ReplayText


@dataclass(frozen=True, eq=False)
class Read:
    """A value from outside, read again at each replay. Base class of all kinds.

    Parameters
    ----------
    name : Any
        The name, index or key under which the value lies; the step is called after it.
    holder : Any
        The namespace, cell, function or class that holds the value. None where a step of the program gives
        what holds the value: a read is then called with that.
    """

    name: Any
    holder: Any = None
    __name__ = "read"

    # Is the value that of a global or closure variable?
    of_variable: ClassVar[bool] = False

    def __call__(self, base: Any = None) -> Any:
        """Return the value as it is now."""
        raise NotImplementedError

    def expression(self, text: ReplayText, base: str) -> str:
        """Return the read as Python text of a replay; `base` names the value that the read is called with."""
        raise NotImplementedError

    def words(self, base: str) -> str:
        """Return the read as Python for people."""
        raise NotImplementedError


class ReadGlobal(Read):
    """A global variable of a module, or a name of `builtins`."""

    of_variable = True

    def __call__(self, base: Any = None) -> Any:
        return self.holder[self.name]

    def expression(self, text: ReplayText, base: str) -> str:
        return f"{text.constant(self.holder, 'globals')}[{self.name!r}]"

    def words(self, base: str) -> str:
        return str(self.name)


class ReadCell(Read):
    """A variable of a closure."""

    of_variable = True

    def __call__(self, base: Any = None) -> Any:
        return self.holder.cell_contents

    def expression(self, text: ReplayText, base: str) -> str:
        return f"{text.constant(self.holder, 'cell')}.cell_contents"

    def words(self, base: str) -> str:
        return str(self.name)


class ReadDefaults(Read):
    """The defaults of a function's parameters."""

    def __call__(self, base: Any = None) -> Any:
        return self.holder.__defaults__

    def expression(self, text: ReplayText, base: str) -> str:
        return f"{text.constant(self.holder, 'f')}.__defaults__"

    def words(self, base: str) -> str:
        return f"{self.name}.__defaults__"


class ReadKeywordDefaults(Read):
    """The defaults of a function's keyword-only parameters."""

    def __call__(self, base: Any = None) -> Any:
        return self.holder.__kwdefaults__

    def expression(self, text: ReplayText, base: str) -> str:
        return f"{text.constant(self.holder, 'f')}.__kwdefaults__"

    def words(self, base: str) -> str:
        return f"{self.name}.__kwdefaults__"


class ReadClassAttribute(Read):
    """An attribute of a class, as Python gives it."""

    def __call__(self, base: Any = None) -> Any:
        return getattr(self.holder, self.name)

    def expression(self, text: ReplayText, base: str) -> str:
        return f"{text.constant(self.holder, 'cls')}.{self.name}"

    def words(self, base: str) -> str:
        return f"{self.holder.__name__}.{self.name}"


class ReadStatic(Read):
    """An attribute of a class, as it lies in the class: no descriptor is asked."""

    def __call__(self, base: Any = None) -> Any:
        return class_attribute(self.holder, self.name)

    def expression(self, text: ReplayText, base: str) -> str:
        return f"{text.constant(self, 'static')}()"

    def words(self, base: str) -> str:
        return f"{self.holder.__name__}.{self.name}"


class ReadHasAttribute(Read):
    """The answer of `hasattr` for a class or module."""

    def __call__(self, base: Any = None) -> Any:
        return hasattr(self.holder, self.name)

    def expression(self, text: ReplayText, base: str) -> str:
        return f"{text.constant(self, 'has')}()"

    def words(self, base: str) -> str:
        return f"hasattr({self.holder.__name__}, {self.name!r})"


class ReadIsSubclass(Read):
    """The answer of `issubclass` for two classes, of which `name` is the first."""

    def __call__(self, base: Any = None) -> Any:
        return issubclass(self.name, self.holder)

    def expression(self, text: ReplayText, base: str) -> str:
        return f"{text.constant(self, 'subclass')}()"

    def words(self, base: str) -> str:
        return f"issubclass({self.name.__name__}, {self.holder.__name__})"


class ReadAttribute(Read):
    """An attribute of an object that a step gives."""

    def __call__(self, base: Any = None) -> Any:
        return getattr(base, self.name)

    def expression(self, text: ReplayText, base: str) -> str:
        return f"{base}.{self.name}"

    def words(self, base: str) -> str:
        return f"{base}.{self.name}"


class ReadItem(Read):
    """An item of a container that a step gives."""

    def __call__(self, base: Any = None) -> Any:
        return base[self.name]

    def expression(self, text: ReplayText, base: str) -> str:
        return f"{base}[{text.arg(self.name)}]"

    def words(self, base: str) -> str:
        return f"{base}[{self.name!r}]"


class ReadMethodResult(Read):
    """The answer of a method, without arguments and effects, of an object that a step gives."""

    def __call__(self, base: Any = None) -> Any:
        return getattr(base, self.name)()

    def expression(self, text: ReplayText, base: str) -> str:
        return f"{base}.{self.name}()"

    def words(self, base: str) -> str:
        return f"{base}.{self.name}()"


class ReadTensor(Read):
    """The array on the memory of a torch tensor that a step gives."""

    def __call__(self, base: Any = None) -> Any:
        return from_tensor(base)

    def expression(self, text: ReplayText, base: str) -> str:
        return f"{text.constant(self, 'array_of')}({base})"

    def words(self, base: str) -> str:
        return f"{base}.numpy()"


class ReadMemmap(Read):
    """The plain array on the memory of a memory-mapped array that a step gives."""

    def __call__(self, base: Any = None) -> Any:
        return on_memory_of(base)

    def expression(self, text: ReplayText, base: str) -> str:
        return f"{text.constant(self, 'array_of')}({base})"

    def words(self, base: str) -> str:
        return f"{base}.view(np.ndarray)"


@dataclass(frozen=True)
class Length:
    """The length of an array's axis, in a program that is to be shape-generic."""

    axis: int
    __name__ = "length"
    reads_no_items = True  # writes to the array change nothing of it

    def __call__(self, array: Any) -> int:
        length: int = array.shape[self.axis]
        return length

    def words(self, array: str) -> str:
        """Return the length as Python, for people and replays alike."""
        return f"{array}.shape[{self.axis}]"
