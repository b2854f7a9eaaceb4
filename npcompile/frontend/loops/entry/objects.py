"""Reads the attributes of users' objects for native loops, and stores them back.

A native loop holds no object: attributes that are numbers or arrays are names of their own, as `self.x`.
`partition/native_loop.py` reads them at the entry and stores them back wherever native code is left. Only
attributes that run no code of the user's are taken: those in the object's dictionary, in slots, of named
tuples, and constants of the class. A dict with texts as keys is such an object, too, a record: its items that
source names by their keys, as `parameters["rate"]`, are attributes by the names `[rate]`.
"""

from __future__ import annotations

import ast
import types
from collections import namedtuple
from collections.abc import Container, Iterable
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np

from npcompile.frontend.loops.entry.closures import (
    Closure,
    Reference,
    cell_of,
    closure_of,
    is_nested,
    variables_of,
)
from npcompile.frontend.loops.entry.values import (
    LOOKED_AT,
    TEXTS,
    is_unsigned,
    key_of,
    plain_function,
    scalar_of,
    type_of,
)
from npcompile.lower.loops.types import (
    Array,
    Dict,
    Generator,
    Known,
    List,
    Scalar,
    Set,
    Tuple,
    Type,
    Unsigned,
)

_HEAP = 1 << 9  # the flag of classes that `class` statements make
_MISSING: Any = object()
_HELD = (Scalar, Unsigned, Array, Generator, Known)
_CONTAINERS = (List, Dict, Set)  # the very objects, which attributes go on having
_OF_TABLES = ("get", "items", "keys", "pop", "setdefault", "values")
_FIELD_OF_TUPLE: Any = type(namedtuple("_Sample", "one").one)  # type: ignore[attr-defined]


@dataclass(frozen=True)
class Instance(Reference):
    """An object whose attributes are names: each is `path`, a dot and the attribute's name."""

    path: str
    kind: type

    @property
    def is_record(self) -> bool:
        """Tell if the object is a dict, whose items by known keys are names."""
        return self.kind is dict

    def path_to(self, node: ast.expr) -> str | None:
        """Return the path of an attribute of the object, or of a record's item; None where it has no such."""
        member = member_of(node)
        if member is None or self.is_record != isinstance(node, ast.Subscript):
            return None
        return f"{self.path}.{member}"

    def __str__(self) -> str:
        return self.kind.__name__


@dataclass(frozen=True)
class Method(Reference):
    """A method, bound to an object: a call of `function` with the object before its arguments."""

    owner: Instance
    function: types.FunctionType

    def __str__(self) -> str:
        return self.function.__name__


_Types = dict[int, Instance | Closure]  # the types of objects and functions, by identity


def is_path(name: str) -> bool:
    """Tell if a name is that of an attribute: temporaries begin with a dot, and have no other."""
    return "." in name[1:]


def path_of_module(module: dict[str, Any]) -> str:
    """Return what the paths of a module's names begin with, if a function binds them."""
    return f"<{module.get('__name__')}>"


def variable_of(path: str) -> str | None:
    """Return the variable of a nested function, or of a module, that a path names; None for another path."""
    last = path.rpartition(".")[2]
    return last[1:-1] if last.startswith("<") else None


def paths_in(node: ast.AST) -> list[str]:
    """Return the attributes that source names, as `self.x`, those of an object before those of its own."""
    found = {path for part in ast.walk(node) if (path := _path_of(part)) is not None and is_path(path)}
    return in_order(found)


def tables_in(node: ast.AST) -> frozenset[str]:
    """Return the names and attributes that source uses as dicts of keys which it does not name."""
    return frozenset(
        path for part in ast.walk(node) for one in _tables(part) if (path := _path_of(one)) is not None
    )


def _tables(node: ast.AST) -> list[ast.expr]:
    match node:
        case ast.Subscript(value=value, slice=index) if not isinstance(index, ast.Constant):
            return [value]
        case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[value]):
            return [value]
        case ast.Call(func=ast.Attribute(value=value, attr=name)) if name in _OF_TABLES:
            return [value]
        case ast.For(iter=value) | ast.comprehension(iter=value):
            return [value]
    return []


def in_order(paths: Iterable[str]) -> list[str]:
    """Return paths, those of an object before those of its attributes."""
    return sorted(paths, key=lambda path: (path.count("."), path))


def _path_of(node: ast.AST) -> str | None:
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=value) | ast.Subscript(value=value):
            owner, member = _path_of(value), member_of(node)
            return None if owner is None or member is None else f"{owner}.{member}"
    return None


def member_of(node: ast.expr) -> str | None:
    """Return the last part of the path of an attribute, or of a record's item; None for other nodes."""
    match node:
        case ast.Attribute(attr=name):
            return name
        case ast.Subscript(slice=ast.Constant(value=str(key))) if "." not in key:
            return f"[{key}]"
    return None


def key_of_item(member: str) -> str | None:
    """Return the key that the last part of a path stands for; None for an attribute's name."""
    return member[1:-1] if member[:1] == "[" else None


@dataclass(eq=False)
class Objects:
    """The objects that a loop is entered with, and their attributes.

    Parameters
    ----------
    names
        The names of the objects and of nested functions, and the attributes and free variables that are
        objects, functions or methods. An object that has several
        names has the type of the first one in all of them.
    owners
        The objects by their paths.
    values
        The attributes that native code may hold.
    storable
        The attributes that a store changes, and does nothing else, and the variables of nested functions.
    cells
        The names of these variables by the identity of their cells.
    variables
        The paths of those that are names of the function around the loop, too, and of names of its module
        that functions bind.
    own_cells
        The cells of these names.
    tables
        The paths of dicts that are no records, if native loops read such.
    """

    names: dict[str, Reference] = field(default_factory=dict)
    owners: dict[str, Any] = field(default_factory=dict)
    values: dict[str, Any] = field(default_factory=dict)
    storable: set[str] = field(default_factory=set)
    cells: dict[int, str] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)
    own_cells: dict[str, types.CellType] = field(default_factory=dict)
    tables: frozenset[str] = frozenset()

    def name_variables(self, made_here: Iterable[str], own: Container[str]) -> None:
        """Note which variables of nested functions are names of the function around the loop.

        made_here: the names of functions that this call has made. own: names that such functions capture.
        """
        for name in made_here:
            if isinstance(closure := self.names.get(name), Closure):
                function = self.owners[closure.path]
                captured = [one for one in function.__code__.co_freevars if one in own]
                found = {one: closure.variable(one) for one in captured}
                self.variables |= {one: path for one, path in found.items() if path in self.values}
                self.own_cells |= {one: cell_of(function, one) for one in captured}

    def key(self, unsigned: Container[str]) -> Any:
        """Return the key of the entries that share native code. unsigned: attributes that are to be unsigned
        ints where they are not negative."""
        values = [
            (path, key_of(value, path in unsigned), path in self.storable)
            for path, value in self.values.items()
        ]
        return (*self.names.items(), *values)

    def take(self, other: Objects) -> None:
        """Become another reading of the objects, which may have more attributes."""
        self.names, self.owners = other.names, other.owners
        self.values, self.storable, self.cells = other.values, other.storable, other.cells
        self.variables |= other.variables

    def read(self, path: str) -> Any:
        """Return the value that an attribute or a variable has now. Raises as Python where it has none."""
        owner, _, attribute = path.rpartition(".")
        variable, holder = variable_of(path), self.owners[owner]
        if (key := key_of_item(attribute)) is not None:
            return holder[key]
        if variable is None:
            return getattr(holder, attribute)
        return holder[variable] if type(holder) is dict else cell_of(holder, variable).cell_contents

    def store(self, names: dict[str, Any]) -> None:
        """Store the attributes among names that native code has left. One that it did not change stays the
        very object.
        """
        for path in [name for name in names if is_path(name)]:
            value = names[path]
            if not _is_as_before(self.values.get(path, _MISSING), value):
                owner, _, attribute = path.rpartition(".")
                variable, holder = variable_of(path), self.owners[owner]
                if (key := key_of_item(attribute)) is not None:
                    holder[key] = value
                elif variable is None:
                    setattr(holder, attribute, value)
                elif type(holder) is dict:
                    holder[variable] = value
                else:
                    cell_of(holder, variable).cell_contents = value
                self.values[path] = value


def _is_as_before(before: Any, value: Any) -> bool:
    if before is value:
        return True
    same = type(before) is type(value) and (scalar_of(value) is not None or is_unsigned(value))
    return same and bool(before == value) and bool(value != 0)  # zeros have signs


def objects_of(
    names: dict[str, Any],
    paths: Iterable[str],
    nested: Container[str] = (),
    module: dict[str, Any] | None = None,
    tables: frozenset[str] = frozenset(),
) -> Objects | None:
    """Return the objects among the values of names, with the attributes of these paths; None for no object.

    paths: `in_order`. nested: the names whose values may be nested functions. module: the globals. tables:
    the paths of dicts that source uses by keys which it does not name.
    """
    made = Objects(tables=tables)
    known: _Types = {}
    for name, value in names.items():
        if name in nested and is_nested(value):
            _add_function(made, known, name, value)
        elif name[0] != "." and _is_owner(made, name, value):
            _add_object(made, known, name, value)
    for path in paths:
        owner, _, attribute = path.rpartition(".")
        if module is not None and owner == path_of_module(module):
            _add_global(made, module, path)
        instance = made.names.get(owner)
        mangled = attribute.startswith("__") and not attribute.endswith("__")
        if isinstance(instance, Instance) and not mangled:
            _add_attribute(made, known, instance, attribute)
    return made if made.owners and not _has_dictionaries(made) else None


def _has_dictionaries(made: Objects) -> bool:
    """Tell if a record is the dictionary of one of the objects, whose attributes are then its items."""
    records = {id(owner) for owner in made.owners.values() if type(owner) is dict}
    return bool(records) and any(id(dictionary_of(owner)) in records for owner in made.owners.values())


def _is_owner(made: Objects, path: str, value: Any) -> bool:
    """Tell if a value is an object or a record: no dict that source asks for keys that it does not name."""
    if type(value) is dict and path in made.tables and type_of(value) is not None:
        return False
    return is_object(value)


def _add_global(made: Objects, module: dict[str, Any], path: str) -> None:
    name = variable_of(path)
    if name in module and is_held(module[name]):
        made.owners[path_of_module(module)] = module
        made.values[path] = module[name]
        made.storable.add(path)
        made.variables[name] = path


def _add_object(made: Objects, known: _Types, name: str, value: Any) -> None:
    instance = known.setdefault(id(value), Instance(name, type(value)))
    made.names[name] = instance
    made.owners[instance.path] = value


def _add_function(made: Objects, known: _Types, name: str, function: types.FunctionType) -> None:
    if (found := known.get(id(function))) is not None:
        made.names[name] = found
        return
    closure = known[id(function)] = made.names[name] = closure_of(name, function, made.cells)
    made.owners[name] = function
    for variable, value in variables_of(function):
        path = closure.variable(variable)
        if is_nested(value):
            _add_function(made, known, path, value)
        elif _is_owner(made, path, value):
            _add_object(made, known, path, value)
        elif is_read(value):
            made.values[path] = value
            if is_held(value) and variable in function.__code__.co_freevars:
                made.storable.add(path)


def _add_attribute(made: Objects, known: _Types, instance: Instance, name: str) -> None:
    path, owner = f"{instance.path}.{name}", made.owners[instance.path]
    key = key_of_item(name)
    if (key is not None) != instance.is_record:
        return
    if key is not None:
        value, storable = owner.get(key, _MISSING), key in owner
    elif (method := method_of(owner, name)) is not None:
        made.names[path] = Method(instance, method)
        return
    else:
        value, storable = attribute_of(owner, name)
    if value is not _MISSING and _is_owner(made, path, value):
        _add_object(made, known, path, value)
    elif value is not _MISSING and is_read(value):
        made.values[path] = value
    if storable:
        made.storable.add(path)


def is_object(value: Any) -> bool:
    """Tell if a value's attributes, or items, may be names: it is of a user's class, or a record."""
    kind = type(value)
    if kind is dict:
        if type(next(iter(value), None)) is not str or "__name__" in value:  # a module's
            return False
        return not all(map(_is_character, islice(value, LOOKED_AT))) or type_of(value) is None
    return bool(kind.__flags__ & _HEAP) and is_plain(kind)


def _is_character(key: Any) -> bool:
    """Tell if a key is one of those that native dicts have among texts."""
    return type(key) is str and len(key) == 1


def is_read(value: Any) -> bool:
    """Tell if native code may read an attribute's value, or that of a function's variable."""
    return type(value) in TEXTS or is_held(value)


def is_held(value: Any) -> bool:
    """Tell if an attribute's value may be a native name."""
    kind = type_of(value)
    return kind is not None and (isinstance(kind, _CONTAINERS) or is_held_type(kind))


def is_held_type(kind: Type) -> bool:
    """Tell if values of a type may be stored to attributes natively."""
    return (isinstance(kind, Tuple) and all(map(is_held_type, kind.items))) or isinstance(kind, _HELD)


def is_plain(kind: type) -> bool:
    """Tell if instances of a class have their attributes read as Python itself reads them."""
    for base in kind.__mro__:
        if base is object or base is tuple:
            continue
        known = base.__dict__
        if not base.__flags__ & _HEAP or "__getattribute__" in known or issubclass(base, np.generic):
            return False
        if "__dict__" in known and type(known["__dict__"]) is not types.GetSetDescriptorType:
            return False
    return True


def method_of(owner: Any, name: str) -> types.FunctionType | None:
    """Return the function of a plain object's method; None where the attribute is something else."""
    found = plain_function(_of_class(type(owner), name))
    return None if name in dictionary_of(owner) else found


def _of_class(kind: type, name: str) -> Any:
    """Return an attribute of a class as it stands in its dictionary."""
    return next((base.__dict__[name] for base in kind.__mro__ if name in base.__dict__), _MISSING)


def attribute_of(owner: Any, name: str) -> tuple[Any, bool]:
    """Return an attribute of a plain object, found without running code; and if a store only changes it."""
    kind = type(owner)
    sets = any("__setattr__" in base.__dict__ for base in kind.__mro__ if base is not object)
    found = _of_class(kind, name)
    described = type(found)
    if described is types.MemberDescriptorType or described is _FIELD_OF_TUPLE:
        try:
            return found.__get__(owner, kind), described is types.MemberDescriptorType and not sets
        except AttributeError:
            return _MISSING, False
    if hasattr(described, "__set__") or hasattr(described, "__delete__"):
        return _MISSING, False
    own = dictionary_of(owner)
    if name in own:
        return own[name], not sets
    if described is staticmethod and type(found.__func__) is types.FunctionType:
        return found.__func__, False
    if found is _MISSING or hasattr(described, "__get__"):
        return _MISSING, False
    return found, False


def is_slot(owner: Any, name: str) -> bool:
    """Tell if an attribute of a plain object is one of its class's slots, or a field of a named tuple."""
    described = type(_of_class(type(owner), name))
    return described is types.MemberDescriptorType or described is _FIELD_OF_TUPLE


def dictionary_of(owner: Any) -> dict[str, Any]:
    """Return a plain object's own attributes; none where it has no dictionary."""
    try:
        own = object.__getattribute__(owner, "__dict__")
    except AttributeError:
        return {}
    return own if type(own) is dict else {}
