"""NumPy's names on `npcompile.ndarray`: `import npcompile.numpy as np` runs each op's body eagerly.

Every name that is listed runs its op. Any other public name of NumPy's is handed to NumPy on the same memory,
and counted (`host_calls`).

Op bodies give no floating-point warnings. Where `np.errstate` asks for more than a warning (raise, call,
print, log), NumPy does the operation on the same memory, and that is counted too.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy

import npcompile.frontend.ops  # noqa: F401  (fills the op table)
from npcompile.frontend import counters, sized  # noqa: F401  (what is no op, but ours)
from npcompile.frontend.ndarray import ndarray as ndarray
from npcompile.numpy import clones  # noqa: F401  (fills what is composed)
from npcompile.numpy import fft as fft
from npcompile.numpy import linalg as linalg
from npcompile.numpy import random as random
from npcompile.numpy.creation import array as array
from npcompile.numpy.creation import asanyarray as asanyarray
from npcompile.numpy.creation import asarray as asarray
from npcompile.numpy.creation import ascontiguousarray as ascontiguousarray
from npcompile.numpy.creation import from_dlpack as from_dlpack
from npcompile.numpy.wrappers import Fact, Function, OfArray, ufunc, wrap

__version__ = numpy.__version__
__array_api_version__ = numpy.__array_api_version__
__array_namespace_info__ = numpy.__array_namespace_info__


def host_calls() -> Counter[str]:
    """How often real NumPy answered for want of an op, by function, since `counters.reset()`."""
    return counters.host_calls


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return wrap(getattr(numpy, name))


def __dir__() -> list[str]:
    return sorted({*globals(), *(name for name in dir(numpy) if not name.startswith("_"))})


# NumPy's own types, constants and settings

bool = numpy.bool
bool_ = numpy.bool_
broadcast = numpy.broadcast
byte = numpy.byte
bytes_ = numpy.bytes_
cdouble = numpy.cdouble
character = numpy.character
clongdouble = numpy.clongdouble
complex128 = numpy.complex128
complex64 = numpy.complex64
complexfloating = numpy.complexfloating
csingle = numpy.csingle
datetime64 = numpy.datetime64
double = numpy.double
dtype = numpy.dtype
errstate = numpy.errstate
finfo = numpy.finfo
flexible = numpy.flexible
float16 = numpy.float16
float32 = numpy.float32
float64 = numpy.float64
floating = numpy.floating
generic = numpy.generic
half = numpy.half
iinfo = numpy.iinfo
inexact = numpy.inexact
int16 = numpy.int16
int32 = numpy.int32
int64 = numpy.int64
int8 = numpy.int8
int_ = numpy.int_
intc = numpy.intc
integer = numpy.integer
intp = numpy.intp
long = numpy.long
longdouble = numpy.longdouble
longlong = numpy.longlong
number = numpy.number
object_ = numpy.object_
short = numpy.short
signedinteger = numpy.signedinteger
single = numpy.single
str_ = numpy.str_
timedelta64 = numpy.timedelta64
ubyte = numpy.ubyte
uint = numpy.uint
uint16 = numpy.uint16
uint32 = numpy.uint32
uint64 = numpy.uint64
uint8 = numpy.uint8
uintc = numpy.uintc
uintp = numpy.uintp
ulong = numpy.ulong
ulonglong = numpy.ulonglong
unsignedinteger = numpy.unsignedinteger
ushort = numpy.ushort
void = numpy.void
ndenumerate = numpy.ndenumerate
ndindex = numpy.ndindex
nditer = numpy.nditer
seterr = numpy.seterr
geterr = numpy.geterr
seterrcall = numpy.seterrcall
geterrcall = numpy.geterrcall
printoptions = numpy.printoptions
set_printoptions = numpy.set_printoptions
get_printoptions = numpy.get_printoptions
setbufsize = numpy.setbufsize
getbufsize = numpy.getbufsize
format_float_positional = numpy.format_float_positional
format_float_scientific = numpy.format_float_scientific
base_repr = numpy.base_repr
binary_repr = numpy.binary_repr
get_include = numpy.get_include
show_config = numpy.show_config
info = numpy.info
False_ = numpy.False_
True_ = numpy.True_
ScalarType = numpy.ScalarType
e = numpy.e
euler_gamma = numpy.euler_gamma
inf = numpy.inf
nan = numpy.nan
newaxis = numpy.newaxis
pi = numpy.pi
index_exp = numpy.index_exp
s_ = numpy.s_
little_endian = numpy.little_endian
sctypeDict = numpy.sctypeDict
typecodes = numpy.typecodes
exceptions = numpy.exceptions
dtypes = numpy.dtypes
testing = numpy.testing
typing = numpy.typing

# ufuncs

abs = ufunc(numpy.abs)
absolute = ufunc(numpy.absolute)
acos = ufunc(numpy.acos)
acosh = ufunc(numpy.acosh)
add = ufunc(numpy.add)
arccos = ufunc(numpy.arccos)
arccosh = ufunc(numpy.arccosh)
arcsin = ufunc(numpy.arcsin)
arcsinh = ufunc(numpy.arcsinh)
arctan = ufunc(numpy.arctan)
arctan2 = ufunc(numpy.arctan2)
arctanh = ufunc(numpy.arctanh)
asin = ufunc(numpy.asin)
asinh = ufunc(numpy.asinh)
atan = ufunc(numpy.atan)
atan2 = ufunc(numpy.atan2)
atanh = ufunc(numpy.atanh)
bitwise_and = ufunc(numpy.bitwise_and)
bitwise_count = ufunc(numpy.bitwise_count)
bitwise_invert = ufunc(numpy.bitwise_invert)
bitwise_left_shift = ufunc(numpy.bitwise_left_shift)
bitwise_not = ufunc(numpy.bitwise_not)
bitwise_or = ufunc(numpy.bitwise_or)
bitwise_right_shift = ufunc(numpy.bitwise_right_shift)
bitwise_xor = ufunc(numpy.bitwise_xor)
cbrt = ufunc(numpy.cbrt)
ceil = ufunc(numpy.ceil)
conj = ufunc(numpy.conj)
conjugate = ufunc(numpy.conjugate)
copysign = ufunc(numpy.copysign)
cos = ufunc(numpy.cos)
cosh = ufunc(numpy.cosh)
deg2rad = ufunc(numpy.deg2rad)
degrees = ufunc(numpy.degrees)
divide = ufunc(numpy.divide)
divmod = ufunc(numpy.divmod)
equal = ufunc(numpy.equal)
exp = ufunc(numpy.exp)
exp2 = ufunc(numpy.exp2)
expm1 = ufunc(numpy.expm1)
fabs = ufunc(numpy.fabs)
float_power = ufunc(numpy.float_power)
floor = ufunc(numpy.floor)
floor_divide = ufunc(numpy.floor_divide)
fmax = ufunc(numpy.fmax)
fmin = ufunc(numpy.fmin)
fmod = ufunc(numpy.fmod)
frexp = ufunc(numpy.frexp)
gcd = ufunc(numpy.gcd)
greater = ufunc(numpy.greater)
greater_equal = ufunc(numpy.greater_equal)
heaviside = ufunc(numpy.heaviside)
hypot = ufunc(numpy.hypot)
invert = ufunc(numpy.invert)
isfinite = ufunc(numpy.isfinite)
isinf = ufunc(numpy.isinf)
isnan = ufunc(numpy.isnan)
isnat = ufunc(numpy.isnat)
lcm = ufunc(numpy.lcm)
ldexp = ufunc(numpy.ldexp)
left_shift = ufunc(numpy.left_shift)
less = ufunc(numpy.less)
less_equal = ufunc(numpy.less_equal)
log = ufunc(numpy.log)
log10 = ufunc(numpy.log10)
log1p = ufunc(numpy.log1p)
log2 = ufunc(numpy.log2)
logaddexp = ufunc(numpy.logaddexp)
logaddexp2 = ufunc(numpy.logaddexp2)
logical_and = ufunc(numpy.logical_and)
logical_not = ufunc(numpy.logical_not)
logical_or = ufunc(numpy.logical_or)
logical_xor = ufunc(numpy.logical_xor)
matmul = ufunc(numpy.matmul)
maximum = ufunc(numpy.maximum)
minimum = ufunc(numpy.minimum)
mod = ufunc(numpy.mod)
modf = ufunc(numpy.modf)
multiply = ufunc(numpy.multiply)
negative = ufunc(numpy.negative)
nextafter = ufunc(numpy.nextafter)
not_equal = ufunc(numpy.not_equal)
positive = ufunc(numpy.positive)
pow = ufunc(numpy.pow)
power = ufunc(numpy.power)
rad2deg = ufunc(numpy.rad2deg)
radians = ufunc(numpy.radians)
reciprocal = ufunc(numpy.reciprocal)
remainder = ufunc(numpy.remainder)
right_shift = ufunc(numpy.right_shift)
rint = ufunc(numpy.rint)
sign = ufunc(numpy.sign)
signbit = ufunc(numpy.signbit)
sin = ufunc(numpy.sin)
sinh = ufunc(numpy.sinh)
spacing = ufunc(numpy.spacing)
sqrt = ufunc(numpy.sqrt)
square = ufunc(numpy.square)
subtract = ufunc(numpy.subtract)
tan = ufunc(numpy.tan)
tanh = ufunc(numpy.tanh)
true_divide = ufunc(numpy.true_divide)
trunc = ufunc(numpy.trunc)
vecdot = ufunc(numpy.vecdot)

# functions

all = Function(numpy.all)
allclose = Function(numpy.allclose)
amax = Function(numpy.amax)
amin = Function(numpy.amin)
angle = Function(numpy.angle)
any = Function(numpy.any)
append = Function(numpy.append)
arange = Function(numpy.arange)
argmax = Function(numpy.argmax)
argmin = Function(numpy.argmin)
argsort = Function(numpy.argsort)
around = Function(numpy.around)
array_equal = Function(numpy.array_equal)
array_equiv = Function(numpy.array_equiv)
array_split = Function(numpy.array_split)
astype = Function(numpy.astype)
atleast_1d = Function(numpy.atleast_1d)
atleast_2d = Function(numpy.atleast_2d)
atleast_3d = Function(numpy.atleast_3d)
average = Function(numpy.average)
bincount = Function(numpy.bincount)
broadcast_arrays = Function(numpy.broadcast_arrays)
broadcast_to = OfArray(numpy.broadcast_to)
clip = Function(numpy.clip)
column_stack = Function(numpy.column_stack)
concat = Function(numpy.concat)
concatenate = Function(numpy.concatenate)
copy = Function(numpy.copy)
copyto = Function(numpy.copyto)
count_nonzero = Function(numpy.count_nonzero)
cross = Function(numpy.cross)
cumprod = Function(numpy.cumprod)
cumsum = Function(numpy.cumsum)
diag = Function(numpy.diag)
diagflat = Function(numpy.diagflat)
diagonal = Function(numpy.diagonal)
diff = Function(numpy.diff)
dot = Function(numpy.dot)
dsplit = Function(numpy.dsplit)
dstack = Function(numpy.dstack)
einsum = Function(numpy.einsum)
empty = Function(numpy.empty)
empty_like = Function(numpy.empty_like)
expand_dims = Function(numpy.expand_dims)
eye = Function(numpy.eye)
fix = Function(numpy.fix)
flip = Function(numpy.flip)
fliplr = Function(numpy.fliplr)
flipud = Function(numpy.flipud)
full = Function(numpy.full)
full_like = Function(numpy.full_like)
geomspace = Function(numpy.geomspace)
hsplit = Function(numpy.hsplit)
hstack = Function(numpy.hstack)
identity = Function(numpy.identity)
imag = Function(numpy.imag)
indices = Function(numpy.indices)
inner = Function(numpy.inner)
interp = Function(numpy.interp)
isclose = Function(numpy.isclose)
isneginf = Function(numpy.isneginf)
isposinf = Function(numpy.isposinf)
isreal = Function(numpy.isreal)
iscomplex = Function(numpy.iscomplex)
kron = Function(numpy.kron)
linspace = Function(numpy.linspace)
logspace = Function(numpy.logspace)
matrix_transpose = Function(numpy.matrix_transpose)
max = Function(numpy.max)
mean = Function(numpy.mean)
meshgrid = Function(numpy.meshgrid)
min = Function(numpy.min)
moveaxis = Function(numpy.moveaxis)
nan_to_num = Function(numpy.nan_to_num)
nanargmax = Function(numpy.nanargmax)
nanargmin = Function(numpy.nanargmin)
nancumprod = Function(numpy.nancumprod)
nancumsum = Function(numpy.nancumsum)
nanmax = Function(numpy.nanmax)
nanmean = Function(numpy.nanmean)
nanmin = Function(numpy.nanmin)
nanprod = Function(numpy.nanprod)
nanstd = Function(numpy.nanstd)
nansum = Function(numpy.nansum)
nanvar = Function(numpy.nanvar)
ones = Function(numpy.ones)
ones_like = Function(numpy.ones_like)
outer = Function(numpy.outer)
pad = Function(numpy.pad)
permute_dims = Function(numpy.permute_dims)
prod = Function(numpy.prod)
ptp = Function(numpy.ptp)
ravel = Function(numpy.ravel)
real = Function(numpy.real)
repeat = Function(numpy.repeat)
reshape = Function(numpy.reshape)
roll = Function(numpy.roll)
rollaxis = Function(numpy.rollaxis)
rot90 = Function(numpy.rot90)
round = Function(numpy.round)
searchsorted = Function(numpy.searchsorted)
sinc = Function(numpy.sinc)
sort = Function(numpy.sort)
split = Function(numpy.split)
squeeze = Function(numpy.squeeze)
stack = Function(numpy.stack)
std = Function(numpy.std)
sum = Function(numpy.sum)
swapaxes = Function(numpy.swapaxes)
take = Function(numpy.take)
take_along_axis = Function(numpy.take_along_axis)
tensordot = Function(numpy.tensordot)
tile = Function(numpy.tile)
trace = Function(numpy.trace)
transpose = Function(numpy.transpose)
tri = Function(numpy.tri)
tril = Function(numpy.tril)
triu = Function(numpy.triu)
var = Function(numpy.var)
vdot = Function(numpy.vdot)
vsplit = Function(numpy.vsplit)
vstack = Function(numpy.vstack)
where = Function(numpy.where)
zeros = Function(numpy.zeros)
zeros_like = Function(numpy.zeros_like)
put_along_axis = Function(numpy.put_along_axis)

if hasattr(numpy, "unstack"):  # NumPy 2.1
    cumulative_prod = Function(numpy.cumulative_prod)
    cumulative_sum = Function(numpy.cumulative_sum)
    unstack = Function(numpy.unstack)
if hasattr(numpy, "matvec"):  # NumPy 2.2
    matvec = ufunc(numpy.matvec)
    vecmat = ufunc(numpy.vecmat)

# questions about shapes, dtypes and memory

shape = Fact(numpy.shape)
ndim = Fact(numpy.ndim)
size = Fact(numpy.size)
result_type = Fact(numpy.result_type)
can_cast = Fact(numpy.can_cast)
promote_types = Fact(numpy.promote_types)
min_scalar_type = Fact(numpy.min_scalar_type)
common_type = Fact(numpy.common_type)
iscomplexobj = Fact(numpy.iscomplexobj)
isrealobj = Fact(numpy.isrealobj)
isscalar = Fact(numpy.isscalar)
issubdtype = Fact(numpy.issubdtype)
isdtype = Fact(numpy.isdtype)
iterable = Fact(numpy.iterable)
isfortran = Fact(numpy.isfortran)
broadcast_shapes = Fact(numpy.broadcast_shapes)
may_share_memory = Fact(numpy.may_share_memory)
shares_memory = Fact(numpy.shares_memory)
array_repr = Fact(numpy.array_repr)
array_str = Fact(numpy.array_str)
array2string = Fact(numpy.array2string)
typename = Fact(numpy.typename)
mintypecode = Fact(numpy.mintypecode)
