"""The native runtime: the C++ extension that answers calls, runs kernels and keeps the pool of buffers."""
