"""Types of the values in a native loop: Python numbers, NumPy scalars, arrays, tuples, lists, known objects.

`frontend/loops/` infers them and `lower/loops/` writes C++ for them. All are hashable, and equal types have
equal C++.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from npcompile.diagnostics.naming import object_name

# NumPy's one-letter kind and item size, as `np.dtype.str` has them without the byte order -> the C++ type.
C_TYPES = {
    "b1": "bool",
    "i1": "int8_t",
    "i2": "int16_t",
    "i4": "int32_t",
    "i8": "int64_t",
    "u1": "uint8_t",
    "u2": "uint16_t",
    "u4": "uint32_t",
    "u8": "uint64_t",
    "f2": "npl::half",
    "f4": "float",
    "f8": "double",
    "c8": "npl::complex<float>",
    "c16": "npl::complex<double>",
}
MODULUS = 1 << 64  # unsigned ints are below it; native code knows it by `Known` alone


class Type:
    """The type of a value. Subclasses are frozen dataclasses."""


@dataclass(frozen=True)
class Scalar(Type):
    """A Python number (`python`: weak in promotion) or a NumPy scalar of a dtype.

    A Python int is held in 64 bits ("i8"), a float in "f8", a complex in "c16", a bool in "b1".
    """

    code: str
    python: bool = False

    @property
    def kind(self) -> str:
        """NumPy's letter: b, i, u, f or c."""
        return self.code[0]

    @property
    def bits(self) -> int:
        """The bits that a number takes in memory."""
        return 8 * int(self.code[1:])

    @property
    def c_type(self) -> str:
        return C_TYPES[self.code]

    def __str__(self) -> str:
        return _PYTHON_NAMES[self.code] if self.python else f"np.{self.name}"

    @property
    def name(self) -> str:
        """NumPy's name of the dtype."""
        return "bool" if self.kind == "b" else f"{_KINDS[self.kind]}{self.bits}"


_KINDS = {"i": "int", "u": "uint", "f": "float", "c": "complex"}
_PYTHON_NAMES = {"b1": "bool", "i8": "int", "f8": "float", "c16": "complex"}
BOOL, INT, FLOAT, COMPLEX = (Scalar(code, python=True) for code in _PYTHON_NAMES)


@dataclass(frozen=True)
class Unsigned(Type):
    """A Python int that is not negative, held in 64 bits without a sign.

    It is no `Scalar`: only rules that say so take it (`frontend/loops/rules/unsigned_ints.py`). Ints that
    `INT` holds may have either type, and Python sees no difference.
    """

    @property
    def code(self) -> str:
        """The letter and size of its values in memory."""
        return "u8"

    @property
    def c_type(self) -> str:
        return C_TYPES[self.code]

    def __str__(self) -> str:
        return "unsigned int"


UNSIGNED = Unsigned()


@dataclass(frozen=True)
class Array(Type):
    """A NumPy array: native byte order, aligned.

    packed: its last axis is contiguous. writeable: its items may be stored to. turned: it is a matrix that is
    expected to lie in memory by columns, as results of elementwise expressions then do; never if packed.
    """

    code: str
    ndim: int
    packed: bool = False
    writeable: bool = True
    turned: bool = False

    @property
    def item(self) -> Scalar:
        return Scalar(self.code)

    def __str__(self) -> str:
        return f"{self.item.name}[{', '.join(':' * self.ndim)}]"


@dataclass(frozen=True)
class Tuple(Type):
    """A Python tuple of known length."""

    items: tuple[Type, ...]

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.items))})"


@dataclass(frozen=True)
class Exact(Type):
    """The type of results that stay objects: each is a Python number, or a NumPy scalar, of `kind`."""

    kind: Scalar

    def __str__(self) -> str:
        return f"exactly {self.kind}"


@dataclass(frozen=True)
class Either(Type):
    """A value of one of two types, as a function may return it.

    It is held as a tuple: a bool that tells if it is the second of `kinds`, and a value of each. It is only
    bound and read; a statement that reads it is split (`frontend/loops/splitting.py`).
    """

    kinds: tuple[Type, Type]

    @property
    def items(self) -> tuple[Type, ...]:
        return (BOOL, *self.kinds)

    def __str__(self) -> str:
        return " | ".join(map(str, self.kinds))


@dataclass(frozen=True)
class List(Type):
    """A Python list.

    item: the type that its items are expected to have, None where nothing is known of them. Another name may
    have the same list with other items expected: each item that is read is looked at.
    """

    item: Type | None

    def __str__(self) -> str:
        return f"list[{'?' if self.item is None else self.item}]"


@dataclass(frozen=True)
class Deque(List):
    """A `collections.deque`. item: as of a list."""

    def __str__(self) -> str:
        return f"deque[{'?' if self.item is None else self.item}]"


@dataclass(frozen=True)
class Dict(Type):
    """A Python dict, or one of the dicts of `collections`.

    key, value: the types that its keys and values are expected to have, None where nothing is known of them.
    kind: its class. factory: the class of the values that a defaultdict makes.
    """

    key: Type | None
    value: Type | None
    kind: type = dict
    factory: type | None = None

    def __str__(self) -> str:
        key, value = ("?" if one is None else one for one in (self.key, self.value))
        return f"{self.kind.__name__}[{key}, {value}]"


@dataclass(frozen=True)
class Set(Type):
    """A Python set. item: the type that its items are expected to have, None where nothing is known."""

    item: Type | None

    def __str__(self) -> str:
        return f"set[{'?' if self.item is None else self.item}]"


@dataclass(frozen=True)
class DictView(Type):
    """The keys, values or items of a dict: what its method `name` returns."""

    owner: Dict
    name: str

    def __str__(self) -> str:
        return f"{self.owner}.{self.name}()"


@dataclass(frozen=True)
class Method(Type):
    """A method of a list's, a deque's, a dict's or a set's, before it is called: `xs.append`."""

    owner: List | Dict | Set
    name: str

    def __str__(self) -> str:
        return f"{self.owner}.{self.name}"


@dataclass(frozen=True)
class Generator(Type):
    """A NumPy generator of random numbers that is given to the region. legacy: it is a `RandomState`."""

    legacy: bool

    def __str__(self) -> str:
        return "np.random.RandomState" if self.legacy else "np.random.Generator"


@dataclass(frozen=True)
class Text(Type):
    """A Python str, bytes or bytearray that is given to the region. name: that of its class."""

    name: str

    @property
    def item(self) -> Type:
        return CHARACTER if self.name == "str" else INT

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Character(Type):
    """A Python str of one character, held as its code point."""

    def __str__(self) -> str:
        return "str of one character"


CHARACTER = Character()


@dataclass(frozen=True)
class Word(Type):
    """A Python str of any length, held as the object that it is: an item or a key of a container."""

    def __str__(self) -> str:
        return "str"


WORD = Word()


@dataclass(frozen=True, eq=False)
class Known(Type):
    """One object that is known while compiling: None, a module, a function, a dtype, a text.

    Two are equal if they hold the very same object.
    """

    value: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Known) and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)

    def __str__(self) -> str:
        return object_name(self.value)


NONE = Known(None)


def is_optional(kind: Type) -> bool:
    """Tell if containers may have None beside items of a type: one that is no container."""
    return isinstance(kind, Scalar | Character | Word) or _is_of_numbers(kind) or _is_either_number(kind)


def _is_of_numbers(kind: Type) -> bool:
    items = kind.items if isinstance(kind, Tuple) else ()
    return bool(items) and all(isinstance(part, Scalar) for part in items)


def _is_either_number(kind: Type) -> bool:
    return isinstance(kind, Either) and all(isinstance(part, Scalar) for part in kind.kinds)


def maybe_none(kind: Type) -> Type | None:
    """Return the type beside None of a value that may be None; None for other values."""
    return kind.kinds[1] if isinstance(kind, Either) and kind.kinds[0] == NONE else None


def is_value(kind: Type) -> bool:
    """Tell if dicts may hold values of a type."""
    if isinstance(kind, Dict):
        return kind.kind is dict
    if kind == NONE or is_optional(maybe_none(kind) or kind):
        return True
    return isinstance(kind, Set) or type(kind) is List


def is_key(kind: Type) -> bool:
    """Tell if dicts and sets may hold values of a type as keys, and native code looks them up."""
    if isinstance(kind, Tuple):
        return bool(kind.items) and all(map(is_key, kind.items))
    return isinstance(kind, Character | Word) or (
        isinstance(kind, Scalar) and kind.code not in ("f2", "c8", "c16")
    )


def may_be_number(kind: Type, held: bool = False) -> bool:
    """Tell if a value of a type may be a number, of which there may be two equal ones; or what it holds."""
    if isinstance(kind, Either):
        return any(may_be_number(one, held) for one in kind.kinds)
    if held:
        return not isinstance(kind, Array | Scalar | Unsigned | Known | Text)
    return isinstance(kind, Unsigned) or (isinstance(kind, Scalar) and kind.code != "b1")


def is_returned(kind: Type) -> bool:
    """Tell if a function may return values of a type, or of another type than it."""
    return isinstance(kind, Scalar | Known | Array | Unsigned) or (
        isinstance(kind, Tuple) and all(map(is_returned, kind.items))
    )
