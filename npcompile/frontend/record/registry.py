"""The order of the handlers of each operation, as data: the one place that shows who is asked before whom.

A row names a handler and the types, or functions, that it serves (`handlers.Row`). A handler takes the
recording and the operands, and gives the answer or `PASS`. The last row of a table serves everything.

To have recordings support a type of Python's, or an area of a library, write a file of handlers, and add
their rows here where they belong, and cases to `tests/`.

The classes that rows still name are one chain, each file's class the base of the next one's. It holds
methods, and no state. To dissolve a class: make each method a function of its file (`def name(recording,
...)`). Where `Recording` has x, `self.x` becomes `recording.x`; else a call of the function, which loses
its underscore where another file calls it. Where a method was handed on, the recording is:
`recording.note(function, recording, ...)`. Take the class out of the chain, and name the functions in the
rows. A function that a lower file calls moves to a lower file: handlers import lower files, and this module
imports all.
"""

from __future__ import annotations

import contextvars
import dataclasses
import enum
import functools
import types
import warnings
from abc import ABCMeta
from collections import deque

import numpy as np
import torch

from npcompile.frontend.catalog import inlining
from npcompile.frontend.eager.ndarray import ndarray
from npcompile.frontend.graph.visible_objects import HOLDING
from npcompile.frontend.ops.numpy_private import DISPATCHER
from npcompile.frontend.program.equality import DICTS
from npcompile.frontend.record.appended_lists import Histories
from npcompile.frontend.record.array_converter import Converter
from npcompile.frontend.record.array_function import Overriding
from npcompile.frontend.record.attributes_items import Access
from npcompile.frontend.record.calls import Calls
from npcompile.frontend.record.context_managers import PLAIN_MANAGERS, Managing
from npcompile.frontend.record.control_flow import Control
from npcompile.frontend.record.dunder_calls import Special
from npcompile.frontend.record.flat_iterators import THROUGH, Flats
from npcompile.frontend.record.handlers import CallTable, PairTable, Row, Table, Tables
from npcompile.frontend.record.introspection import Asking
from npcompile.frontend.record.local_containers import KEPT_DICTS, Kept
from npcompile.frontend.record.local_objects import Making
from npcompile.frontend.record.numpy_inlining import INDEX, JOINING, TURNING, Following
from npcompile.frontend.record.operators import Operators
from npcompile.frontend.record.random import DRAW_METHOD, Drawing
from npcompile.frontend.record.recording import Recording
from npcompile.frontend.record.resize import Resizing
from npcompile.frontend.record.slices import Slices
from npcompile.frontend.record.special_methods import ASKING, Objects
from npcompile.frontend.record.stdlib import CACHED, GETTERS, LIBRARY, OF_DECIDED, OPERATORS, Library
from npcompile.frontend.record.stores import Storing

_ARRAYS = (np.ndarray, ndarray, np.memmap)
_BUILTIN, _FUNCTION, _METHOD = types.BuiltinFunctionType, types.FunctionType, types.MethodType
_WRAPPER = types.MethodWrapperType  # `(1).__add__`
_KEPT = (deque, *KEPT_DICTS)
_MODULE = types.ModuleType
_GENERATORS = (np.random.Generator, np.random.RandomState)


def _is_class(kind: type) -> bool:
    return issubclass(kind, type)


def _is_array_class(kind: type) -> bool:
    return issubclass(kind, np.ndarray)


def _is_scalar_class(kind: type) -> bool:
    return issubclass(kind, np.generic)


def _is_partial_class(kind: type) -> bool:
    return issubclass(kind, functools.partial)


def _is_enum_class(kind: type) -> bool:
    return issubclass(kind, enum.EnumType)


def _is_jitted_class(kind: type) -> bool:
    return hasattr(kind, "npcompile_function")


_users = inlining.is_users_class

_CALLS = (
    Row(Recording.hold_given, _BUILTIN, _WRAPPER, _METHOD, owners=HOLDING),
    Row(
        Resizing.call_resize,
        _BUILTIN,
        functions=[np.ndarray.resize],
        owners=_ARRAYS,
        owner=_is_array_class,
    ),
    # Flat views
    Row(Flats.call_len_of_flat, functions=[len]),
    Row(Flats.call_through_flat, functions=THROUGH),
    Row(Flats.call_extend, _BUILTIN, owners=[list]),
    Row(Flats.call_iter_of_flat, functions=[iter]),
    Row(Flats.call_with_flats, functions=[zip, enumerate]),
    # Objects that take NumPy's functions over
    Row(Overriding.call_wrapper, _WRAPPER),
    Row(Overriding.call_numpy_function, DISPATCHER),
    Row(Overriding.call_ufunc, np.ufunc),
    Row(Drawing.call_fast_draw, _METHOD, _BUILTIN, owners=_GENERATORS),
    # NumPy's functions that are made of others
    Row(Following.call_asfortranarray, functions=[np.asfortranarray]),
    Row(Following.call_with_dtype_class, DISPATCHER, np.ufunc, type, _FUNCTION, _BUILTIN),
    Row(Following.call_public, _BUILTIN, inside=True),
    Row(Following.call_with_polynomials, DISPATCHER, np.ufunc, type, _FUNCTION, _BUILTIN, inside=True),
    Row(Following.call_turning, functions=TURNING),
    Row(Following.call_along_axis, functions=[np.apply_along_axis], inside=True),
    Row(Following.call_followed, DISPATCHER, _FUNCTION),
    Row(Following.call_shape, functions=[np.shape, np.size]),
    Row(Following.call_helper, inside=True),
    Row(Following.call_nonzero, functions=[np.nonzero], inside=True),
    Row(Following.call_builtin_inside, functions=[any, all, set, tuple, list], inside=True),
    # Functions that are known one by one
    Row(Calls.call_inner_function, _FUNCTION),
    Row(Calls.call_warn, functions=[warnings.warn]),
    Row(Calls.call_from_numpy, functions=[torch.from_numpy]),
    Row(Calls.call_copyto, functions=[np.copyto]),
    Row(Calls.call_getattr, functions=[getattr, setattr]),
    Row(Calls.call_bool, functions=[bool]),
    # Objects and classes
    Row(Special.call_special_method, _WRAPPER, types.WrapperDescriptorType),
    Row(Special.call_method_of_scalar, _BUILTIN, owners=[np.generic], owner=_is_scalar_class),
    Row(Asking.call_looking, functions=[hasattr, getattr]),
    Row(Asking.call_context_variable, _BUILTIN, owners=[contextvars.ContextVar]),
    Row(Slices.call_slice_class, functions=[slice]),
    Row(Slices.call_method_of_slice, _BUILTIN, owners=[slice]),
    Row(Kept.call_builtin_method, _BUILTIN),
    Row(Kept.call_container_class, functions=[dict, set, frozenset]),
    Row(Making.call_partial_class, functions=[functools.partial]),
    Row(Making.call_partial, functools.partial, where=_is_partial_class),
    Row(Making.call_class, type, ABCMeta, enum.EnumType, where=_is_class),
    Row(Making.call_asking, functions=ASKING),
    Row(Making.call_replace, functions=[dataclasses.replace]),
    Row(Making.call_object_method, _WRAPPER, functions=[object.__setattr__]),
    Row(Managing.call_plain_manager, functions=PLAIN_MANAGERS),
    Row(Managing.call_manager, _FUNCTION, _METHOD),
    Row(Kept.call_text_of_exception, functions=[str, repr]),
    Row(Kept.call_kept_class, type, ABCMeta, enum.EnumType, where=_is_class),
    Row(Kept.call_method_of_named_tuple, _METHOD),
    Row(
        Kept.call_method_of_container,
        _BUILTIN,
        owners=[*_KEPT, types.GeneratorType, str, list, tuple, frozenset],
    ),
    # Python's own library
    Row(Library.call_library, functions=LIBRARY),
    Row(Library.call_operator, functions=OPERATORS),
    Row(Library.call_enum, enum.EnumType, where=_is_enum_class),
    Row(Library.call_getter, *GETTERS),
    Row(Library.call_cached, CACHED),
    Row(Library.call_dispatcher, _FUNCTION),
    Row(Library.call_library_method, _BUILTIN, owners=[list, type]),
    Row(Library.call_of_decided, functions=OF_DECIDED),
    # Anything else, by its kind
    Row(Calls.call_builtin, _BUILTIN),
    Row(Calls.call_method, _METHOD),
    Row(Calls.call_op),
    Row(Overriding.call_mixed_in, _FUNCTION, _METHOD),
    Row(Following.call_listed_method, _FUNCTION, _METHOD),
    Row(Following.call_function_inside, _FUNCTION, _METHOD, inside=True),
    Row(Calls.call_function, _FUNCTION, _METHOD, where=_is_jitted_class),
    Row(Drawing.call_draw, DRAW_METHOD),
    Row(Calls.call_callable),
)

TABLES = Tables(
    binary=PairTable(
        Row(Following.binary_of_sets, set),
        Row(Kept.binary_of_dicts, dict),
        Row(Objects.binary_of_objects, where=_users),
        Row(Operators.binary_of_values),
        plain=Operators.binary_of_values,
    ),
    inplace=PairTable(
        Row(Kept.inplace_containers, dict, set),
        Row(Objects.inplace_objects, where=_users),
        Row(Operators.inplace_values),
        plain=Operators.inplace_values,
    ),
    unary=Table(
        Row(Objects.unary_of_object, where=_users),
        Row(Operators.unary_of_value),
        plain=Operators.unary_of_value,
    ),
    compare=PairTable(
        Row(Slices.compare_slices, slice),
        Row(Kept.compare_containers, *DICTS, set, frozenset),
        Row(Access.compare_with_dict, *DICTS),
        Row(Objects.compare_objects, where=_users),
        Row(Objects.compare_rows, list, tuple),
        Row(Operators.compare_values),
        plain=Operators.compare_values,
    ),
    truth=Table(
        Row(Kept.truth_of_kept, *_KEPT),
        Row(Objects.truth_of_deque, deque),
        Row(Objects.truth_of_object, where=_users),
        Row(Histories.truth_of_list, list, tuple),
        Row(Operators.truth_of_value),
    ),
    call=CallTable(*_CALLS, inside=False, plain=Calls.call_plain),
    call_inside=CallTable(*_CALLS, inside=True, plain=Calls.call_plain),
    getattr=Table(
        Row(Resizing.resize_attribute, *_ARRAYS, where=_is_array_class),
        Row(Flats.flat_attribute, np.ndarray),
        Row(Access.attribute_of),
        plain=Resizing.plain_attribute,
    ),
    attribute=Table(
        Row(Following.attribute_of_converter, Converter),
        Row(Following.flags_inside, *_ARRAYS),
        Row(Slices.attribute_of_slice, slice),
        Row(Kept.attribute_of_kept, _FUNCTION, types.GeneratorType, *_KEPT),
        Row(Access.attribute_note),
    ),
    setattr=Table(Row(Flats.store_flat, np.ndarray), Row(Storing.store_attribute)),
    getitem=Table(
        Row(Flats.flat_item, np.flatiter),
        Row(Flats.scalar_item, np.generic, where=_is_scalar_class),
        Row(Following.joining_item, *JOINING),
        Row(Following.converter_item, Converter, INDEX),
        Row(Kept.read_item),
        plain=Access.item_of,
    ),
    setitem=Table(
        Row(Flats.store_flat_item, np.flatiter),
        Row(Kept.store_kept_item, *_KEPT),
        Row(Access.store_item),
        plain=Access.store_item,
    ),
    delitem=Table(Row(Kept.delete_kept_item, *_KEPT), Row(Access.delete_item)),
    iterate=Table(Row(Flats.iterate_flat, np.flatiter), Row(Control.trips)),
)
