"""The native runtime: a C++ extension that answers known calls, runs kernels and keeps a pool of buffers."""
