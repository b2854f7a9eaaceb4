// The functions of native loops: Python's in python_functions.h, NumPy's in ufuncs.h, operators in scalars.h.
#pragma once

#include "python_functions.h"
#include "ufuncs.h"
