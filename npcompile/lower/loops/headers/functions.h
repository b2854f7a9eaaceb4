// The functions of native loops: Python's in python_functions.h, NumPy's in ufuncs.h, operators in scalars.h, and
// those of Python ints of unsigned 64 bits in unsigned_ints.h.
#pragma once

#include "python_functions.h"
#include "ufuncs.h"
#include "unsigned_ints.h"
