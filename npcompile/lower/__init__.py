"""Planning, Inductor, the worker process, kernels, the pool. Torch only: no NumPy function is known."""
