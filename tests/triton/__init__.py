"""The Triton lane without a GPU: the kernels that Inductor writes, compiled for one and interpreted."""
