"""Reasons why something is not compiled: a code of one catalog, with what varies, and where it is.

Any file may make reasons. Text is made of a reason only where users are shown one. The catalog states
the words of each cause and its advice, which says what to write instead, side by side.
"""

from __future__ import annotations

from enum import Enum, unique
from typing import NamedTuple

_LEAVE = "leave this line in the caller, and decorate a function of what is around it"
_CACHE_FOLDER = (
    "another folder for kernels by NPCOMPILE_CACHE_DIR, or remove ~/.cache/npcompile: it is made anew"
)
_CACHE_SPACE = (
    "space and permission to write in the folder that NPCOMPILE_CACHE_DIR names (~/.cache/npcompile)"
)
_CALL_BEFORE = (
    "call it in the caller, and pass what it gives as an argument; "
    "without strict=True it may stay, and what is around it is compiled"
)
_DECIDE_OUTSIDE = "decide with np.where in place of `if`, or outside the function"
_FEWER_SIGNATURES = "call it with fewer shapes and dtypes: pad or group the arrays"
_INSTALL_COMPILER = "install g++, or set CXX to a C++ compiler"
_KEEP_SIZE_AND_DECIDE = "keep the size: np.where, or `where=` of reductions; and decide outside the function"
_LIBRARY = "leave it, or call it in the caller and pass what it gives; what is around it is compiled"
_LOCAL_NAMES = "work on local names in the loop, and store them after it"
_MEMORY = "more memory, processes and threads for this program: the system ended the compiler or refused it"
_MORE_SECONDS = "more seconds by NPCOMPILE_COMPILE_SECONDS, or smaller functions"
_NOTHING = "nothing: NumPy is the faster one here"
_DEVICE_ARRAYS = "pass npcompile.asarray(x), which stays there; device(..., force=True) has the device answer"
_LESS_ON_DEVICE = "smaller arrays, in parts if need be; let go of arrays on the device that you need no more"
_AS_PLANNED = "nothing: what is before and after it is compiled"
_NO_DEBUGGER = "call it without the debugger"
_NUMPYS_FUNCTION = "a function of NumPy's, if there is one; else leave it"
_SAME_SLICES = "take slices that stay the same, or whole arrays"
_WRAP = "wrap it in a function, and decorate that"
_WHOLE_ARRAYS = "take whole arrays in place of one element at each trip"
_SHORTER = "a loop in place of repeated lines, or several functions"
_LOOP_RANGE = "loop over a range, a list or an array"
_RETURN_AND_STORE = "return the new value, and store it in the caller"
_RETURN_INSTEAD = "return the new value instead"
_DECIDE_FIRST = "decide before the first write or print"
_TEST_BEFORE = "test for the case before, with np.where or np.errstate"
_ENTER_BEFORE = "enter the context in the caller"
_OWN_FUNCTION = "put the array work into a function of its own, and decorate that"
_DEFINE_IN_FILE = "write it as a function of its own, with `def`, in a file"
_PASS_WHAT_IT_READS = "pass what it reads as an argument"
_AS_ARRAY = "pass np.asarray(x)"
_TO_NUMPY = "pass x.to_numpy(), or call it in the function: work on the array that it gives is compiled"
_BY_CHUNK = "call it on each chunk: da.map_blocks(f, x), da.blockwise or da.apply_gufunc"
_FILLED = "pass x.filled(value), or x.data and x.mask"
_MASK_WHERE = "a.mean(where=m), np.where(m, f(a), a) and the like keep the whole array's size"
_MASK_STORE = "a[...] = np.where(m, new, a), with `new` of the shape of `a`"
_ONE_MASK = "one mask, of the shape of the array"
_KEEP_SIZE = "keep the size: np.where, or `where=` of reductions"
_ARRAY_ONCE = "np.array([...]) once, before"
_STORE_WHOLE = "a[...] = f(x) in place of f(x, out=a)"
_LEAVE_KEYWORD_OUT = "leave that keyword out, if its default will do"
_CALL_LESS_OFTEN = "leave it, call it less often, or call it in the caller"
_COMPARE_WITH_IS = "compare with `is`"
_PASS_VALUE = "pass the value as an argument"
_FORMAT_IN_CALLER = "format numbers in the caller"
_PASS_AS_ARGUMENT = "pass it as an argument, or keep it in a list, tuple or dict"
_SPLIT = "arrays with a multiple of the number of devices as rows, and work on each row by itself"
_NEW_MESH = "start the program again; one device does the work until then"
_NUMBERS = "arrays of numbers, or a list of such arrays"
_NUMERIC_DTYPE = "a numeric dtype of native byte order: a.astype(float)"


_BY_DATA = "how many there are depends on the data; the kernels behind it take any number"


class Place(NamedTuple):
    """A line of a file: a line alone says nothing once a function calls others of other files."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@unique
class Cause(Enum):
    """The catalog: each cause, its words with a `{}` for each detail, and its advice. A call makes a reason.

    Details are text, numbers and further reasons: a reason outlives the call, and holds no object of it.
    """

    words: str
    advice: str
    by_detail: bool  # the advice of a reason among the details comes first, if it has any of its own

    def __init__(self, words: str, advice: str = _LEAVE, by_detail: bool = False) -> None:
        self.words, self.advice, self.by_detail = words, advice, by_detail

    def __call__(self, *detail: Detail) -> Reason:
        return Reason(self, None, detail)

    # The function as it was written.
    NO_PYTHON_FUNCTION = "it is not a Python function ({})", _WRAP
    SUSPENDS = "generators and coroutines run plain", _OWN_FUNCTION
    COROUTINE = "it is a coroutine", _OWN_FUNCTION
    LAMBDA = "it is a lambda", _DEFINE_IN_FILE
    OWN_FRAME = "it looks at its own frame"
    NESTED_TOO_DEEPLY = "its statements or expressions are nested too deeply"
    TOO_MUCH_SOURCE = "its source has {} operations, more than the {} that are looked at", _SHORTER
    READS_FRAME = "it uses {}()", _PASS_WHAT_IT_READS
    UNUSUAL_SUPER = "it uses super in an unusual way", _PASS_WHAT_IT_READS
    NO_SOURCE = "its source is not available", _DEFINE_IN_FILE
    SOURCE_FROM_INPUT = (
        "its source is not available: Python keeps no text that it read from standard input",
        _DEFINE_IN_FILE,
    )
    NO_SOURCE_FILE = "its source is not available: there is no file {}", _DEFINE_IN_FILE
    SOURCE_NOT_PARSED = "its source does not parse: {}", _DEFINE_IN_FILE
    SOURCE_CHANGED = "its source was changed since it was imported", _DEFINE_IN_FILE
    OTHER_SOURCE = (
        "its source does not compile to its code (edited, made by exec, or rewritten on import)",
        _DEFINE_IN_FILE,
    )
    TWO_LAMBDAS = "two lambdas of the same line cannot be told apart", _DEFINE_IN_FILE
    MADE_WHILE_RECORDED = "it was made by a function that is recorded, and cannot be told from others there"

    # Statements and loops.
    CLASS_STATEMENT = "class statement"
    TYPE_STATEMENT = "type statement"
    IMPORT = "an import of {}"
    CAUGHT = "an exception was caught ({})", _TEST_BEFORE
    MAY_RAISE_AFTER_EFFECT = "what may raise is done within `try`, after an effect"
    WITH_RAISED = "an exception ends a with statement ({})"
    WITH = "a with statement on a {}", _ENTER_BEFORE
    ERRSTATE = "np.errstate asks for exceptions or callbacks"
    LOOP_OVER_ARRAY = "a loop over an array", _LOOP_RANGE
    LOOP_OVER = "a loop over a {}", _LOOP_RANGE
    LOOP_OVER_GIVEN = "a loop over a {} that a call gave", _LOOP_RANGE
    OWN_LOOP_TOO_LONG = "a loop of more than {} trips or {} steps", _WHOLE_ARRAYS
    LOOP_TOO_LONG = "a loop of more than {} trips, or {} in a nest of loops", _WHOLE_ARRAYS
    TOO_MANY_STEPS = (
        "more than {} steps: loops are unrolled, and this one is too long for that",
        _WHOLE_ARRAYS,
    )
    TOO_SLOW = "to record it takes too long"
    TAKEN_APART = "a {} is taken apart"

    # Numbers, truth and comparison.
    ARRAY_UNKNOWN = "an array of unknown origin", _PASS_AS_ARGUMENT
    NUMBER_UNKNOWN = "a number ({}) of unknown origin", _PASS_AS_ARGUMENT
    OBJECT_UNKNOWN = "an object of type {} of unknown origin", _PASS_AS_ARGUMENT
    ARRAY_AS_NUMBER = "an array of {} for its number"
    TRUTH = "the truth of a {}"
    IS_ON_TUPLES = "`is` on tuples"
    IS_ON_TWICE_GIVEN = "`is` on what one step gave twice"
    OPERATOR_ON_TRACED = "`{}` on traced values"
    OPERATOR = "`{}` of {} and {}"
    OPERATOR_IN_PLACE = "`{}=` on {}"
    IN_PLACE_UNKNOWN = "an in-place operator on an array of unknown origin", _PASS_AS_ARGUMENT
    POWER_IN_PLACE = "an array as the exponent of a power in place"
    UNARY = "unary `{}` on {}"
    NOT_NUMBERS = "{}() of what is not numbers, or by a key"
    BUILTIN_OF_ARRAY = "{} of an array"
    BUILTIN_OF = "{}() of a {}"
    ITEMS_NOT_FOLLOWED = "{}() of a {}, whose items are not followed"
    COMPARE_THEMSELVES = "{}.{} of objects that compare themselves"
    NAN_COMPARED = "a NaN among what is compared"
    NAN_AS_KEY = "a NaN as a key: it matters which one it is"
    GROUPBY = "groupby by what is not decided"
    FROMITER = "np.fromiter of what is not numbers"
    ID = "id() of an object", _COMPARE_WITH_IS

    # Text.
    OBJECT_TO_TEXT = "an object made into text", _FORMAT_IN_CALLER
    TRACED_TO_TEXT = "a traced value made into text", _FORMAT_IN_CALLER
    TEXT_OF_ONE = "a traced value made into a text of one character"
    TEXT_DECIDES = "a traced value made into text decides", _FORMAT_IN_CALLER

    # Attributes and objects.
    ATTRIBUTE = "attribute {} of a {}", _PASS_VALUE
    ATTRIBUTE_METHOD = "attribute {} of a {}: a method of another object", _PASS_VALUE
    ATTRIBUTE_BY_CLASS = "attribute {} of a {}: the class works it out", _PASS_VALUE
    ATTRIBUTE_OF_CLASS = "attribute {} of class {}", _PASS_VALUE
    ATTRIBUTE_OF_SUPER = "attribute {} of super()", _PASS_VALUE
    ARRAY_MEMBER = "ndarray.{}"
    MEMBER = "{}.{}"
    DELETED_ATTRIBUTE = "deleting attribute {}", _RETURN_AND_STORE
    HASATTR_OUTSIDE = "hasattr() of something from outside", _PASS_VALUE
    HASATTR_BY_CLASS = "hasattr() of a {}: its class works it out", _PASS_VALUE
    SAID_CLASS = "the class that a {} says it is of"
    ISINSTANCE_BY_CLASS = "isinstance() of {}: its class works it out"
    FINALIZED = "a {} is made, which does something when it dies"
    HELD_AS_A_WHOLE = "what an object holds is asked for as a whole"
    PARTIAL_GIVEN = "a partial object that a call gave"
    CLOSURE_VARIABLE = "closure variable {}"
    INNER_FUNCTION = "a function made inside is handed on"

    # Stores.
    STORE_TO_ATTRIBUTE = "a store to attribute {}", _RETURN_AND_STORE
    STORE_AFTER_WHOLE = (
        "a store to attribute {}, after what objects hold was read as a whole",
        _RETURN_AND_STORE,
    )
    WHOLE_AFTER_STORE = "what objects hold is read as a whole, after a store"
    STORE_TO_GLOBAL = "a store to global {}", _RETURN_INSTEAD
    STORE_TO_CLOSURE = "a store to closure variable {}", _RETURN_INSTEAD
    STORE_INTO = "a store into a {}"
    STORE_OF_SHARED = "a store of a {} that others hold, too, to {}"
    LIST_COPIED = "a list copied into an array", _ARRAY_ONCE
    LIST_STORED = "a list stored into an array", _ARRAY_ONCE
    COPYTO_OTHER_MASK = "np.copyto under a mask of another shape", _ONE_MASK
    COPYTO_NOT_NATIVE = "np.copyto under a mask of values that are not native"
    STORED_NOT_NATIVE = (
        "what is neither an array nor a number of a native dtype is stored into an array",
        _NUMERIC_DTYPE,
    )
    COMPLEX_AS_INTEGER = "a complex number stored as an integer"

    # Containers.
    CONTAINER_IN_PLACE = "a container from outside is used in place", _RETURN_INSTEAD
    CONTAINER_CONTENTS = "a container from outside is asked for what is in it"
    CONTAINER_MAY_HAVE_CHANGED = (
        "a container from outside is gone through after a call that may have changed it"
    )
    KEY_MAY_HAVE_CHANGED = "a container from outside is asked for a key after a call that may have changed it"
    CONTENTS_MAY_CHANGE = "what is in a {} is asked for after a call that may change it"
    CONTENTS_DECIDE = "what is in a {} from outside decides"
    ITEM = "an item of a {}", _PASS_AS_ARGUMENT
    LENGTH = "len() of a {}"
    READ_AFTER_APPEND = "a {} is read after something was appended to it"
    THINGS_GONE_THROUGH = "more than {} things in containers are gone through"
    CONTAINER_TOO_LONG = "a container of more than {} things from outside"
    GROWING_SET = "a set among the arguments grows from call to call"
    VARYING_TEXT = "a text among the arguments is another at each call"
    HOLDS_ITSELF = "a {} that holds itself is handed on"
    SHARED_IN_OBJECT = "a {} that others hold, too, is handed on in an object"
    SHARED_STORED = "a {} that others hold, too, is stored"
    MADE_AND_HANDED_ON = "a {} that the function made is handed on"
    DEFAULTDICT = "a defaultdict with a function of the user's is handed on"
    GIVEN_TWICE = "one {} is given twice"

    # Calls and arrays.
    EFFECT = "a call for its effect", _CALL_LESS_OFTEN
    CALL_GIVES_TOO_MANY = "a call gives more than {} things"
    ANSWERS_WITH_ARGUMENT = "a call that is no op answers with its own argument: it may have written to it"
    OP_GAVE = "{} gave {}"
    ONE_BY_ONE = "{} of more than {} things, one by one"
    CALLS = "it calls {}"
    WITHIN = "{}: {}", _LEAVE, True
    NOT_WHOLE = "{} is not recorded whole"
    ANSWERS_OTHERWISE = "{} answers otherwise than NumPy"
    RESIZE = "ndarray.resize"
    OUT_NEITHER = "out= that is neither one array nor all of them", _STORE_WHOLE
    OUT_NOT_NATIVE = "out= of a call that is not native", _STORE_WHOLE
    OUT_NOT_NATIVE_AS = "out= of a call that is not native: {}", _STORE_WHOLE
    SUBCLASS = "an ndarray subclass ({}): work on it is left to its class", _AS_ARRAY
    MASKED_ARRAY = "a masked array: work on it is left to its class", _FILLED
    TABLE = "a {}: work on it is left to {}", _TO_NUMPY
    DASK_ARRAY = "a Dask array: Dask puts off work on it, chunk by chunk", _BY_CHUNK
    FOREIGN_ARRAY = "a {}: work on it is left to {}", _AS_ARRAY
    OBJECT_ARRAY = "an array of Python objects: what is done with it is Python's", _NUMBERS
    SEVERAL_DEVICES = "arrays on several devices: {}"
    ON_DEVICE = "{} on a device"
    GATHERED = "{} gets its arrays whole on every device: {}", _SPLIT
    NOT_SPLIT = "one device of {} does all of it: {}", _SPLIT
    MESH_ENDED = "the processes of {} have ended: {}", _NEW_MESH
    NO_ORDER = "the strides of an array in neither C nor Fortran order"
    MEMMAP_ANSWERED = "a memmap is answered"
    MEMMAP_TO_TEXT = "a memmap made into text", _FORMAT_IN_CALLER
    MEMMAP_MEMBER = "{} of a memmap"
    MEMMAP_HANDED_ON = "a memmap is handed on"
    MEMMAPS_WRITTEN = "one of several memmaps is written to: they may be of one file"

    # Plans.
    GIVEN_DECIDES = "what {} gave decides after the call of {}", _CALL_BEFORE
    CALLED_AGAIN = "each call calls {} again, and what it gives decides about what comes after", _CALL_BEFORE
    UNUSUAL_WRITE_DTYPE = "a write into an array of a dtype that programs cannot compute in", _NUMERIC_DTYPE
    OVERLAPPING_WRITE = "a write into an array that shows the same memory twice"
    DECIDES_AFTER = "{} decides after {}", _DECIDE_FIRST
    CHECKED_AFTER = "indices are checked after {}", _DECIDE_FIRST
    NOT_THERE = "{} is not there when it is needed"
    SHARED_ON_DEVICE = "arguments that share memory are written to: they cannot move to a device one by one"

    # Calls that no op takes.
    NUMPYS_ORDER = "an order that is NumPy's own"
    RESULT_DTYPE = "a result of a dtype that programs cannot compute in", _NUMERIC_DTYPE
    FIELD_COPIED = "a copy of a record's field: its elements lie unevenly"
    NO_KERNEL = "no kernel can be made of it: {}"
    KEYWORD = "keyword {}", _LEAVE_KEYWORD_OUT
    TRUTH_VALUE_AS = "a truth value as {}"
    DTYPE = "dtype {}", _NUMERIC_DTYPE
    NDARRAY_SUBCLASS = "ndarray subclass {}", _AS_ARRAY
    ARGUMENT_TYPE = "argument of type {}"
    CALL_REFUSED = "a call that NumPy refuses: {}"
    RAGGED_LIST = "ragged list"
    OUT_BY_PLACE = "out given by position, or where there is none"
    NONE_AS_ARRAY = "None as an array"
    SIGNATURE_NO_TUPLE = "a signature that is no tuple"
    WHERE_NO_BOOLS = "where= as a list of other things than bools"
    OUT_OTHER_DTYPE = "an output of another dtype, in which NumPy keeps what it has so far", _NUMERIC_DTYPE
    OPTION = "{}"
    ORDER = "order {}"
    DEVICE = "device {}"
    MODE = "mode {}"
    OUT_REFUSED = "out= that NumPy refuses", _STORE_WHOLE
    OUT_OWN_RULES = "out= that NumPy takes by rules of its own", _STORE_WHOLE
    NOT_OURS = "NumPy's own array is written into"
    OUT_IGNORED = "out= that NumPy ignores", _STORE_WHOLE
    OUT_IGNORED_OR_COMPUTED = "out= that NumPy ignores, or in whose precision it computes", _STORE_WHOLE
    OUT_PRECISION = "out= of another precision, in which NumPy computes", _STORE_WHOLE
    COMPLEX_INTO_REAL = "complex into real, of which NumPy warns"
    AXES_TOO_MANY = "more than {} axes"
    UNEVEN = "elements that lie unevenly in memory"
    TWO_TYPES = "which of two types of the same bits the answer is of"
    ERRORS_REPORTED = "floating-point errors that NumPy is to report"
    COMPLEX = "complex"
    INDICES_NOT_INTEGERS = "indices that are no integers"

    # Calls that one op or another does not take.
    SIZES_IN_ARRAY = "sizes in an array"
    ARANGE_OF_ARRAY = "an array for an end"
    ARANGE_NO_STOP = "start by name and no stop, for which NumPy raises"
    ARANGE_NO_NUMBERS = "a range that is not of numbers"
    BASE_ARRAY = "a base that is an array"
    BEYOND_INT64 = "integers beyond int64"
    UPLO = "UPLO that is no text"
    UPPER = "upper= that is no bool"
    MODE_WARNS = "a mode that NumPy warns of"
    OPERAND_DTYPE = "dtype of an operand", _NUMERIC_DTYPE
    EINSUM_LABELS = "einsum with more than {} labels"
    ORDER_REFUSED = "order= that NumPy refuses"
    EINSUM_OUT_OF_ONE = (
        "out= of one operand: NumPy casts it, and adds it to 0.0, where without it would give a view",
        _STORE_WHOLE,
    )
    OUT_COMPUTED = "out= of another dtype, in which NumPy computes", _STORE_WHOLE
    FFT_SIZES = "s= in a form that NumPy warns of"
    NO_AXES = "no axes: NumPy answers with its argument"
    AXES_NO_NUMBERS = "axes of another form than numbers"
    AXES_IN_ARRAYS = "axes as arrays"
    AXIS_FORM = "an axis of another form than a number or a tuple"
    BINS_NO_NUMBER = "bins that are no number"
    BINS_DTYPE = "bins of dtype {}", _NUMERIC_DTYPE
    HISTOGRAM_OF = "a histogram of {}"
    HISTOGRAM_OF_NOTHING = "a histogram of nothing"
    HISTOGRAM_OF_ONE = "a histogram of one integer"
    WEIGHTS_OF = "weights of {}"
    COMPLEX_WEIGHTS = "complex weights"
    COMPLEX_POINTS = "complex points"
    COMPLEX_NUMBERS = "complex numbers"
    COMPLEX_DROPPED = "complex into real"
    COMPLEX_CAST = "a complex array cast to a real dtype, of which NumPy warns", _NUMERIC_DTYPE
    MASK_INDEX = "a mask as an index", _MASK_WHERE
    MASK_AMONG_OTHERS = "a mask among other indices", _ONE_MASK
    MASK_SHAPE = "a mask of another shape", _ONE_MASK
    MASK_VALUES = "values for the places of a mask", _MASK_STORE
    RAGGED_INDEX = "a ragged list as an index"
    LIST_INDEX_DTYPE = "a list of dtype {} as an index", _NUMERIC_DTYPE
    FIELD_INDEX = "a field name as an index"
    INDICES_DTYPE = "indices of dtype {}", _NUMERIC_DTYPE
    NO_INDICES = "no indices"
    LAST_VALUE_STAYS = (
        "of several values for one place the last stays, in an order that goes by how the arrays lie"
    )
    VALUES_KIND = "values of kind {}"
    VALUES_REFUSED = "values that NumPy refuses to cast"
    VALUES_OVERLAP = "values that the places lie on, which NumPy reads as it goes"
    MASK_OVERLAPS = "a mask that lies elsewhere on the array, which NumPy reads as it goes"
    PUT_SCALAR = "a scalar, of which NumPy writes into a copy"
    OUT_ON_PART = "out that lies on a part"
    OUT_AND_DTYPE = "out and dtype, which NumPy refuses together", _NUMERIC_DTYPE
    NUMBERS_CAST = "numbers with a dtype or a casting rule", _NUMERIC_DTYPE
    CAST_REFUSED = "a cast that NumPy refuses"
    CAST_RAISES = "a cast that is not allowed, for which NumPy raises"
    SECTIONS_IN_ARRAY = "sections in an array"
    REPEATS_IN_ARRAY = "repeats in an array"
    PAD_VALUES_MODE = "constant_values beside mode {}"
    PAD_VALUES_PER_SIDE = "constant_values per side"
    PAD_WIDTH = "pad_width in an array or a dict"
    NORM_ORDER = "an order that is no real number"
    NORM_0D = "a 0-d array, which keepdims= answers with an array"
    NORM_SINGULAR = "a matrix norm by singular values"
    ROUNDS_IN_OUT = "steps in the dtype of out=", _STORE_WHOLE
    NONZERO = "nonzero: the size depends on the data", _KEEP_SIZE
    CONJUGATE_0D = "a real 0-d array is its own conjugate, and stays an array"
    BOOL_DIFFERENCES = "differences of bools"
    CROSS_OF_TWO = "vectors of length 2"
    LONG_HALVES = "a long running result in float16"
    KIND_MAYBE_REFUSED = "a kind that NumPy may refuse"
    KIND_REFUSED = "a kind that NumPy refuses"
    KEYWORD_UNKNOWN = "a keyword that this NumPy does not know"
    UNSTABLE_ORDER = "an unstable order, which is NumPy's own"
    KTH_NO_INTEGER = "kth that is no integer"
    KEYS_0D = "0-d keys"
    SIDE = "side {}"
    ISIN_KIND = "a table, which NumPy may refuse, or no kind at all"
    ISIN_NO_NUMBERS = "elements that are no numbers"
    ISIN_INT64_UINT64 = "int64 beside uint64"
    ISIN_TOO_MANY = "more than {} elements to look for"
    CHOICE_NO_INTEGER = "a choice that is no integer"
    CHOICES_TOO_MANY = "more choices than NumPy takes"
    CHOICES_DTYPES = "choices of other dtypes", _NUMERIC_DTYPE
    LENGTHS_IN_ARRAY = "lengths that are in an array"
    NO_ARRAY_AXES = "an array without axes"
    EXTREME_SIZE = "an array of no or too many elements"
    BITS_DTYPE = "bits of dtype {}", _NUMERIC_DTYPE
    NUMBER_ATTRIBUTE = "the attribute of a number, which answers in its own type"
    ASTYPE_SCALAR = "no array: of a scalar astype is one"
    ASTYPE_NO_COPY = "copy=False, which answers with the array itself"
    VIEW_TYPE = "view as another type"
    VIEW_SIZE = "a view as a dtype of another size", _NUMERIC_DTYPE
    OUT_DIVIDES = "an output of another dtype, in which NumPy divides", _NUMERIC_DTYPE
    INTEGER_DTYPE = "a dtype of integers", _NUMERIC_DTYPE
    DIFF_NONE = "n=0 answers with the array itself"
    AT_NO_ARRAY = "no array to write to"
    AT_TOO_MANY = "more than {} updates by {}"
    VECTOR_LOOP = "NumPy's vector loop, whose order is its own"
    STEPS_TOO_MANY = "more than {} steps of {}, one after the other"
    REDUCEAT_OUT = "out= of reduceat, whose shape NumPy does not check", _STORE_WHOLE

    # Calls that are left to NumPy.
    NO_OP = "no op takes this call: {}", _LEAVE, True
    NUMPYS_OWN = "not an op yet: its library's own function does it", _LIBRARY
    NO_INDEX_OP = "an index that no op takes"
    MASK_BY_NUMPY = (
        "the mask by NumPy ({}): " + _BY_DATA,
        _KEEP_SIZE,
        True,
    )
    COMPACTED = "compacted by NumPy: " + _BY_DATA, _KEEP_SIZE
    COMPACTED_AS = "compacted by NumPy ({}): " + _BY_DATA, _KEEP_SIZE

    # Masks whose elements are compacted, or computed at full length.
    PICKED_RETURNED = "what is picked is returned", _KEEP_SIZE
    PICKED_SHAPE_DECIDES = "what is done depends on its shape", _KEEP_SIZE
    PICKED_DTYPE = "programs do not compute in its dtype", _KEEP_SIZE
    PICKED_FROM_WRITTEN = "{} is written to before what was picked from it is used", _KEEP_SIZE
    PICKED_DECIDES = "a decision is made by it", _KEEP_SIZE
    PICKED_IN_ORDER = "{} needs them one after the other", _KEEP_SIZE
    PICKED_KEYWORDS = "{} is told more than its operands", _KEEP_SIZE
    PICKED_MAY_RAISE = "{} may raise for elements that are not picked", _KEEP_SIZE
    PICKED_BY_ANOTHER = "it meets what another mask picks", _KEEP_SIZE
    PICKED_IN_LIST = "it is one of a list of arrays", _KEEP_SIZE
    PICKED_OTHER_LENGTH = "it meets {}, which is of another length", _KEEP_SIZE
    PICKED_MEETS_LIST = "it meets a list, as long as what is picked", _KEEP_SIZE
    PICKED_ARGUMENTS = "{} is told more than an axis", _KEEP_SIZE
    PICKED_NO_AXIS = "{} along no axis", _KEEP_SIZE
    PICKED_KEEPDIMS = "{} keeps its dimensions", _KEEP_SIZE
    PICKED_MASK_WRITTEN = "the mask is written to before its end", _KEEP_SIZE
    PICKED_EXTREME = "{} of this dtype", _KEEP_SIZE
    PICKED_COUNTED_LATE = "the mask is written to before they are counted", _KEEP_SIZE
    PICKED_COUNT_SHAPES = "how many there are shapes an array", _KEEP_SIZE
    PICKED_STORED_ELSEWHERE = "it is stored elsewhere, or something else into it", _KEEP_SIZE
    PICKED_MORE_AXES = "it is stored into more axes", _KEEP_SIZE
    PICKED_OTHER_INDEX = "it is stored by another index", _KEEP_SIZE
    PICKED_OTHER_MASK = "it is stored under another mask", _KEEP_SIZE
    PICKED_INTO_DTYPE = (
        "it is stored into an array of a dtype that programs do not compute in",
        _KEEP_SIZE,
    )
    PICKED_COMPLEX = "complex numbers are stored into real ones", _KEEP_SIZE
    PICKED_SHARE = "{}% of {} elements were picked: about {} at full length, {} compacted", _KEEP_SIZE
    MASK_AS_WHERE = "the mask as a `where` ({})", _KEEP_SIZE

    # Ends of segments, which users cannot change.
    MOVING_VIEW = "{} is a view at a place that moves", _AS_PLANNED
    READS_PARTLY_WRITTEN = "{} reads {}, a part of which was written", _AS_PLANNED
    CHECKS_AFTER_WRITE = "{} checks its indices after a write", _AS_PLANNED
    PART_MADE_AND_WRITTEN = "{} is a part of {}, which the same segment makes and writes", _AS_PLANNED
    COPIED_WHOLE = "{} is copied as it is, without any kernel", _AS_PLANNED
    WRITE_OVERLAPS = "{} overlaps what the segment reads or writes", _AS_PLANNED
    CHECKED_FIRST = "indices are checked first", _AS_PLANNED
    SHOWN_TWICE = "{} shows the same memory twice", _AS_PLANNED
    ON_HOST_NEXT = "{} comes next, on the host", _AS_PLANNED
    WRITTEN_FROM_HERE = "{} is written to from here on", _AS_PLANNED
    SEGMENT_FULL = "a segment has at most {} operations", _AS_PLANNED
    PRODUCTS_NEXT = "{} comes next, with {}", _AS_PLANNED
    TWO_PRODUCTS = "it reads a matrix once for two products", _AS_PLANNED

    # Statements that no block holds.
    PYTHONS_OWN = "calls of Python's own, or arithmetic on numbers", _NUMPYS_FUNCTION
    LITTLE_EACH_TRIP = "each trip is too little work for a kernel", _WHOLE_ARRAYS
    LOOP_LEFT = "the loop is {}", "change that line, or take it out of the loop"
    LITTLE = "it is too little work for a kernel", _WHOLE_ARRAYS
    SLOWER = "measured: NumPy takes less time than kernels do", _NOTHING
    EFFECT_IN_PLACE = "a call for its effect: made at each call, in its place", _CALL_LESS_OFTEN
    CHANGES_OR_LITTLE = (
        "an index or a size in it changes, or it is too little work for a kernel",
        _WHOLE_ARRAYS,
    )
    CALLS_COMPILED = "it calls {}, compiled by itself"
    LIBRARY = "{} is a library's function, called as it is", _LIBRARY
    YIELDS = "the caller goes on in the middle of it"
    MAKES_FUNCTION = "a function is made"
    RAISE = "it raises"
    UNBINDS = "it unbinds names"
    IMPORT_STATEMENT = "an import"
    DRAWS = "it draws from what may be a generator, which Python ends when nothing holds it", _OWN_FUNCTION
    STORES_INTO_OBJECT = "it stores into an object", _LOCAL_NAMES
    DEPENDS_ON_TRIP = (
        "what is done depends on the trip or on data (an index or a size that changes)",
        _SAME_SLICES,
    )
    OTHER_SIZES = "its arrays have other sizes at each trip", _SAME_SLICES

    # Recordings that do not pay, and replays.
    NOT_RECORDED = "not recorded"
    NO_SIGNATURE = "an argument cannot be part of a signature"
    SIGNATURES = "more than {} signatures (shapes, dtypes, layouts){}", _FEWER_SIGNATURES
    WAYS = "more than {} ways through the function at one signature{}", _DECIDE_OUTSIDE
    OTHER_WAYS = "{} calls in a row went another way{}", _DECIDE_OUTSIDE
    OF_NO_USE = (
        "next to every call has sizes or decisions of its own, so that what was recorded is of no use{}",
        _KEEP_SIZE_AND_DECIDE,
    )
    OTHER_LENGTHS = "its arrays have ever other lengths: NumPy takes less time than finding kernels", _NOTHING
    NUMPY_FASTER = "NumPy is faster here: calling kernels takes longer than what they do", _NOTHING
    HOST_FASTER = (
        "calls take less time on the host ({}) than on {} with copies there and back ({})",
        _DEVICE_ARRAYS,
    )
    NO_DEVICE_MEMORY = "the device has no memory left ({}); arrays: {}", _LESS_ON_DEVICE
    SHORT_LIVED = "functions of this `def` are recorded one by one, and most were made anew before that paid"
    RAISES = "it raises {}: such calls are Python's until one does not raise"
    REPLAY_RAISED = "its replay raised {}, where NumPy does not"
    TRACED = "under a debugger or tracer, functions run as they are written", _NO_DEBUGGER
    ERRSTATE_AROUND = "np.errstate asks for exceptions or callbacks: NumPy does the work then"
    INTERNAL_ERROR = "internal error: {}: {} at npcompile/{}"
    TORN = "{}; what was done until then stays", _LEAVE, True

    # The compiler.
    NO_COMPILER = "{}", _INSTALL_COMPILER
    COMPILER_FAILED = "{}: {}", _INSTALL_COMPILER
    COMPILATION_FAILED = "{}: {}"
    NO_SPACE = "{}: {}", _CACHE_SPACE
    NOT_LOADED = "{}: {}", _CACHE_FOLDER
    NO_MEMORY = "{}: {}", _MEMORY
    NOT_IN_FOLDER = "the compiled kernel is not in the cache folder", _CACHE_FOLDER
    NO_THREAD = "no thread for the compiler: {}", _MEMORY
    DIED = "the compiling process died: {}", _MEMORY
    DIED_NO_SPACE = "the compiling process died: {}", _CACHE_SPACE
    DIED_TOO_OFTEN = "the compiling process died {} times in a row, and is not started again", _MEMORY
    NO_ANSWER = "not compiled after {} seconds", _MORE_SECONDS
    COMPILE_SECONDS = "not compiled after {} seconds (NPCOMPILE_COMPILE_SECONDS)", _MORE_SECONDS
    PROCESS_ENDS = "given up, as the process ends; the next run compiles it", _NOTHING


class Reason(NamedTuple):
    """Why something is not compiled.

    where: the line of the user's function that is to blame, if any. detail: what the words of the code leave
    open. nearer: a line of another file, where that is nearer to the cause than `where`.
    """

    code: Cause
    where: Place | None = None
    detail: tuple[Detail, ...] = ()
    nearer: str = ""

    def __str__(self) -> str:
        text = self.code.words.format(*self.detail)
        return f"{text} (at {self.nearer})" if self.nearer else text

    @property
    def located(self) -> str:
        """The text, with the line to blame before it."""
        return str(self) if self.where is None else f"{self.where}: {self}"

    @property
    def advice(self) -> str:
        """The words that say what to write instead."""
        for part in self.detail if self.code.by_detail else ():
            if isinstance(part, Reason) and part.advice != _LEAVE:
                return part.advice
        return self.code.advice

    def at(self, where: Place | None, nearer: str = "") -> Reason:
        """Return this reason with the line to blame."""
        return Reason(self.code, where, self.detail, nearer or self.nearer)


Detail = str | int | Reason
