"""`numpy.random` on our arrays: NumPy's own generators and streams are used, bit for bit; results are our
arrays.

Under `npcompile.device(name, fast_random=True)` common distributions are computed on that device.
"""

from __future__ import annotations

import numpy

from npcompile.numpy.random import bit_generator as bit_generator
from npcompile.numpy.random import mtrand as mtrand
from npcompile.numpy.random.bit_generator import MT19937 as MT19937
from npcompile.numpy.random.bit_generator import PCG64 as PCG64
from npcompile.numpy.random.bit_generator import PCG64DXSM as PCG64DXSM
from npcompile.numpy.random.bit_generator import SFC64 as SFC64
from npcompile.numpy.random.bit_generator import BitGenerator as BitGenerator
from npcompile.numpy.random.bit_generator import Philox as Philox
from npcompile.numpy.random.bit_generator import SeedSequence as SeedSequence
from npcompile.numpy.random.generator import Generator as Generator
from npcompile.numpy.random.generator import default_rng as default_rng
from npcompile.numpy.random.mtrand import *  # noqa: F403

__all__ = list(numpy.random.__all__)
