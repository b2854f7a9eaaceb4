#include "scalars.h"
