"""The registry lists the handlers of each operation in the order in which they are asked.

It is the one place where that order is visible. A row names a handler and the types, or the functions, that
it serves (`handlers.Row`). A handler takes the recording and the operands; it returns the answer, or `PASS`
to leave the operation to the next row. The last row of a table serves every operand, except in `attribute`:
an attribute that no row there answers for ends the recording. `recorder.Recorder` uses `TABLES`, and itself
names the hooks that one function answers for all types.

To record another type of Python's, or an area of a library: write a file of handlers, add rows for them here
where they belong, and add cases to `tests/`. A handler is a function of the file of its area, at most sixty
lines long. It imports functions of lower files only: functions that several areas need are in a file below
them. All of its state is in fields of the recording.
"""

from __future__ import annotations

import contextvars
import dataclasses
import enum
import functools
import itertools
import types
import warnings
from abc import ABCMeta
from collections import Counter, OrderedDict, defaultdict, deque

import numpy as np
import torch

from npcompile.frontend.catalog import inlining, purity
from npcompile.frontend.eager.ndarray import ndarray
from npcompile.frontend.graph.visible_objects import HOLDING
from npcompile.frontend.ops.numpy_private import DISPATCHER
from npcompile.frontend.program.equality import DICTS
from npcompile.frontend.program.signature import NUMBERS
from npcompile.frontend.record import (
    appended_lists,
    array_function,
    attribute_notes,
    attributes_items,
    calls,
    containers,
    context_managers,
    dicts_sets,
    dunder_calls,
    enums,
    exceptions,
    flat_iterators,
    generators,
    introspection,
    local_containers,
    local_objects,
    loops,
    named_tuples,
    numpy_inlining,
    operators,
    ordered_dicts,
    random,
    resize,
    sequences,
    slices,
    sorting,
    special_methods,
    stdlib_functools,
    stdlib_itertools,
    stdlib_operator,
    stores,
    typed_arrays,
    user_functions,
)
from npcompile.frontend.record.array_converter import Converter
from npcompile.frontend.record.attribute_notes import FLAGS
from npcompile.frontend.record.context_managers import PLAIN_MANAGERS
from npcompile.frontend.record.flat_iterators import THROUGH
from npcompile.frontend.record.handlers import CallTable, PairTable, Row, Table, Tables
from npcompile.frontend.record.local_containers import KEPT_DICTS
from npcompile.frontend.record.numpy_inlining import INDEX, JOINING, TURNING
from npcompile.frontend.record.random import DRAW_METHOD
from npcompile.frontend.record.recording import Recording
from npcompile.frontend.record.special_methods import ASKING
from npcompile.frontend.record.state import SIMPLE

_ARRAYS = (np.ndarray, ndarray, np.memmap)
_BUILTIN, _FUNCTION, _METHOD = types.BuiltinFunctionType, types.FunctionType, types.MethodType
_WRAPPER = types.MethodWrapperType  # `(1).__add__`
_KEPT = (deque, *KEPT_DICTS)
_MODULE = types.ModuleType
_GENERATORS = (np.random.Generator, np.random.RandomState)


_users = inlining.is_users_class

_CALLS = (
    Row(Recording.hold_given, _BUILTIN, _WRAPPER, _METHOD, owners=HOLDING),
    Row(
        resize.call_resize,
        _BUILTIN,
        functions=[np.ndarray.resize],
        owners=_ARRAYS,
        owners_under=np.ndarray,
    ),
    # Flat views
    Row(flat_iterators.call_len_of_flat, functions=[len]),
    Row(flat_iterators.call_through_flat, functions=THROUGH),
    Row(flat_iterators.call_extend, _BUILTIN, owners=[list]),
    Row(flat_iterators.call_iter_of_flat, functions=[iter]),
    Row(flat_iterators.call_with_flats, functions=[zip, enumerate]),
    # Objects that take NumPy's functions over, and draws of random numbers
    Row(array_function.call_wrapper, _WRAPPER),
    Row(array_function.call_numpy_function, DISPATCHER),
    Row(array_function.call_ufunc, np.ufunc),
    Row(random.call_fast_draw, _METHOD, _BUILTIN, owners=_GENERATORS),
    # NumPy's functions that NumPy wrote in Python
    Row(numpy_inlining.call_asfortranarray, functions=[np.asfortranarray]),
    Row(numpy_inlining.call_with_dtype_class, DISPATCHER, np.ufunc, type, _FUNCTION, _BUILTIN),
    Row(numpy_inlining.call_public, _BUILTIN, inside=True),
    Row(numpy_inlining.call_with_polynomials, DISPATCHER, np.ufunc, type, _FUNCTION, _BUILTIN, inside=True),
    Row(numpy_inlining.call_turning, functions=TURNING),
    Row(numpy_inlining.call_along_axis, functions=[np.apply_along_axis], inside=True),
    Row(numpy_inlining.call_followed, DISPATCHER, _FUNCTION),
    Row(numpy_inlining.call_shape, functions=[np.shape, np.size]),
    Row(numpy_inlining.call_helper, inside=True),
    Row(numpy_inlining.call_nonzero, functions=[np.nonzero], inside=True),
    Row(numpy_inlining.call_builtin_inside, functions=[any, all, set, tuple, list], inside=True),
    # Single functions
    Row(calls.call_inner_function, _FUNCTION),
    Row(calls.call_warn, functions=[warnings.warn]),
    Row(typed_arrays.call_viewing, functions=typed_arrays.VIEWING),
    Row(typed_arrays.call_len, functions=[len]),
    Row(typed_arrays.call_append, _BUILTIN, owners=[typed_arrays.ARRAY]),
    Row(calls.call_from_numpy, functions=[torch.from_numpy]),
    Row(calls.call_copyto, functions=[np.copyto]),
    Row(calls.call_getattr, functions=[getattr, setattr]),
    Row(calls.call_bool, functions=[bool]),
    # Objects and classes
    Row(dunder_calls.call_special_method, _WRAPPER, types.WrapperDescriptorType),
    Row(dunder_calls.call_method_of_scalar, _BUILTIN, owners=[np.generic], owners_under=np.generic),
    Row(introspection.call_looking, functions=[hasattr, getattr]),
    Row(introspection.call_context_variable, _BUILTIN, owners=[contextvars.ContextVar]),
    Row(slices.call_slice_class, functions=[slice]),
    Row(slices.call_method_of_slice, _BUILTIN, owners=[slice]),
    Row(containers.note_owner, _BUILTIN),
    Row(dicts_sets.call_dict_or_set, functions=[dict, set, frozenset]),
    Row(local_objects.call_partial_class, functions=[functools.partial]),
    Row(local_objects.call_partial, functools.partial, under=functools.partial),
    Row(local_objects.call_class, type, ABCMeta, enum.EnumType, under=type),
    Row(local_objects.call_asking, functions=ASKING),
    Row(local_objects.call_replace, functions=[dataclasses.replace]),
    Row(local_objects.call_object_method, _WRAPPER, functions=[object.__setattr__]),
    Row(context_managers.call_plain_manager, functions=PLAIN_MANAGERS),
    Row(context_managers.call_manager, _FUNCTION, _METHOD),
    Row(exceptions.call_text_of_exception, functions=[str, repr]),
    Row(local_containers.call_deque, functions=[deque]),
    Row(local_containers.call_kept_dict, functions=KEPT_DICTS),
    Row(exceptions.call_exception_class, type, ABCMeta, enum.EnumType, under=type),
    Row(named_tuples.call_replace, _METHOD),
    Row(ordered_dicts.call_move_to_end, _BUILTIN, owners=[OrderedDict]),
    Row(local_containers.call_method, _BUILTIN, owners=_KEPT),
    Row(generators.call_method, _BUILTIN, owners=[types.GeneratorType]),
    Row(sequences.call_join, _BUILTIN, owners=[str]),
    Row(sequences.call_index_or_count, _BUILTIN, owners=[list, tuple]),
    Row(dicts_sets.call_method_of_frozenset, _BUILTIN, owners=[frozenset]),
    # Python's standard library, and builtins that go over items
    Row(stdlib_itertools.call_walk, functions=purity.WALKS),
    Row(stdlib_itertools.call_over_all, functions=stdlib_itertools.OVER_ALL),
    Row(stdlib_itertools.call_over_first, functions=stdlib_itertools.OVER_FIRST),
    Row(stdlib_itertools.call_over_none, functions=stdlib_itertools.OVER_NONE),
    Row(stdlib_itertools.call_filter, functions=stdlib_itertools.FILTERS),
    Row(stdlib_itertools.call_map, functions=[map]),
    Row(stdlib_itertools.call_accumulate, functions=[itertools.accumulate]),
    Row(stdlib_itertools.call_starmap, functions=[itertools.starmap]),
    Row(stdlib_itertools.call_compress, functions=[itertools.compress]),
    Row(stdlib_itertools.call_groupby, functions=[itertools.groupby]),
    Row(stdlib_itertools.call_from_iterable, _BUILTIN, owners=[type]),
    Row(stdlib_itertools.call_next, functions=[next]),
    Row(stdlib_itertools.call_fromiter, functions=[np.fromiter]),
    Row(sorting.call_sorted, functions=[sorted]),
    Row(sorting.call_list_sort, _BUILTIN, owners=[list]),
    Row(sorting.call_extreme, functions=[max, min]),
    Row(sorting.call_of_decided, functions=sorting.OF_DECIDED),
    Row(stdlib_operator.call_getter_class, functions=stdlib_operator.GETTERS),
    Row(stdlib_operator.call_getter, *stdlib_operator.GETTERS),
    Row(stdlib_operator.call_operator, functions=stdlib_operator.OPERATORS),
    Row(stdlib_operator.call_divmod, functions=[divmod]),
    Row(stdlib_functools.call_reduce, functions=[functools.reduce]),
    Row(stdlib_functools.call_cached, stdlib_functools.CACHED),
    Row(stdlib_functools.call_dispatcher, _FUNCTION),
    Row(enums.call_enum, enum.EnumType, under=enum.EnumType),
    # All other callables, by their type
    Row(calls.call_builtin, _BUILTIN),
    Row(calls.call_method, _METHOD),
    Row(calls.call_op),
    Row(array_function.call_mixed_in, _FUNCTION, _METHOD),
    Row(numpy_inlining.call_listed_method, _FUNCTION, _METHOD),
    Row(numpy_inlining.call_function_inside, _FUNCTION, _METHOD, inside=True),
    Row(calls.call_function, _FUNCTION, _METHOD, where=inlining.is_jitted),
    Row(random.call_draw, DRAW_METHOD),
    Row(calls.call_callable),
)

TABLES = Tables(
    binary=PairTable(
        Row(numpy_inlining.binary_of_sets, set),
        Row(dicts_sets.binary_of_dicts, dict),
        Row(special_methods.binary_of_objects, where=_users),
        Row(operators.binary_of_values),
        plain=operators.binary_of_values,
    ),
    inplace=PairTable(
        Row(dicts_sets.inplace_containers, dict, set),
        Row(special_methods.inplace_objects, where=_users),
        Row(operators.inplace_values),
        plain=operators.inplace_values,
    ),
    unary=Table(
        Row(special_methods.unary_of_object, where=_users),
        Row(operators.unary_of_value),
        plain=operators.unary_of_value,
    ),
    compare=PairTable(
        Row(slices.compare_slices, slice),
        Row(dicts_sets.compare_containers, *DICTS, set, frozenset),
        Row(attributes_items.compare_with_dict, *DICTS),
        Row(special_methods.compare_objects, where=_users),
        Row(special_methods.compare_rows, list, tuple),
        Row(operators.compare_values),
        plain=operators.compare_values,
    ),
    truth=Table(
        Row(local_containers.truth_of_kept, *_KEPT),
        Row(special_methods.truth_of_deque, deque),
        Row(special_methods.truth_of_object, where=_users),
        Row(appended_lists.truth_of_list, list, tuple),
        Row(operators.truth_of_value),
    ),
    call=CallTable(*_CALLS, inside=False, plain=calls.call_plain),
    call_inside=CallTable(*_CALLS, inside=True, plain=calls.call_plain),
    getattr=Table(
        Row(resize.resize_attribute, *_ARRAYS, under=np.ndarray),
        Row(flat_iterators.flat_attribute, np.ndarray),
        Row(attributes_items.plain_attribute, *_ARRAYS, _MODULE),
        Row(attributes_items.attribute_of),
        plain=resize.plain_attribute,
    ),
    attribute=Table(
        Row(numpy_inlining.attribute_of_converter, Converter),
        Row(numpy_inlining.flags_inside, *_ARRAYS),
        Row(slices.attribute_of_slice, slice),
        Row(local_containers.attribute_of_kept, *_KEPT),
        Row(generators.attribute_of_generator, types.GeneratorType),
        Row(user_functions.name_of_function, _FUNCTION),
        Row(attribute_notes.attribute_of_made, where=_users),
        Row(attribute_notes.attribute_of_array, *_ARRAYS),
        Row(attribute_notes.attribute_of_flags, FLAGS),
        Row(attribute_notes.attribute_of_broadcast, np.broadcast),
        Row(attribute_notes.attribute_of_scalar, under=np.generic),
        Row(attribute_notes.attribute_of_module, _MODULE, under=types.ModuleType),
        Row(attribute_notes.attribute_of_member, under=enum.Enum),
        Row(attribute_notes.attribute_of_followed),
        Row(attribute_notes.attribute_of_constant, under=enum.Enum),
        Row(attribute_notes.attribute_of_super, super),
        Row(attribute_notes.attribute_of_class, type, ABCMeta, enum.EnumType, under=type),
        Row(attribute_notes.attribute_of_constant, *SIMPLE, np.ufunc, DISPATCHER, under=np.dtype),
        Row(attribute_notes.attribute_of_number, *NUMBERS),
    ),
    setattr=Table(Row(flat_iterators.store_flat, np.ndarray), Row(stores.store_attribute)),
    getitem=Table(
        Row(flat_iterators.flat_item, np.flatiter),
        Row(flat_iterators.scalar_item, np.generic, under=np.generic),
        Row(numpy_inlining.joining_item, *JOINING),
        Row(numpy_inlining.converter_item, Converter, INDEX),
        Row(local_containers.read_kept_item, *_KEPT),
        Row(typed_arrays.read_item, typed_arrays.ARRAY),
        Row(containers.enter_item, defaultdict, Counter),
        Row(attributes_items.plain_item, *_ARRAYS),
        Row(containers.read_item),
        plain=attributes_items.item_of,
    ),
    setitem=Table(
        Row(flat_iterators.store_flat_item, np.flatiter),
        Row(local_containers.store_kept_item, *_KEPT),
        Row(typed_arrays.store_item, typed_arrays.ARRAY),
        Row(attributes_items.store_item),
        plain=attributes_items.store_item,
    ),
    delitem=Table(Row(local_containers.delete_kept_item, *_KEPT), Row(attributes_items.delete_item)),
    iterate=Table(Row(flat_iterators.iterate_flat, np.flatiter), Row(loops.trips_over)),
)
