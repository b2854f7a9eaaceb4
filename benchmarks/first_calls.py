"""Are the digits of a process's first threaded call right?

Each forked child has torch work out `log`, `cos`, `exp` or `sin` of 100,000 numbers on two threads, and
compares with NumPy. `python benchmarks/first_calls.py 2000`
"""

import os
import sys

import numpy as np
import torch

torch.set_num_threads(2)  # and nothing is called in this process, which is forked
x = np.random.default_rng(0).random(100_000) * 100 + 0.001
wrong, count = 0, int(sys.argv[1])
for number in range(count):
    name = ("log", "cos", "exp", "sin")[number % 4]
    if not (child := os.fork()):
        got, want = getattr(torch, name)(torch.from_numpy(x)).numpy(), getattr(np, name)(x)
        os._exit(bool((np.abs(got - want) > 4 * np.maximum(np.spacing(np.abs(want)), 1e-16)).any()))
    wrong += os.waitpid(child, 0)[1] != 0
print(f"{wrong} of {count} first calls were more than four units in the last place off")
raise SystemExit(wrong > 0)
