"""The lower half of the compiler: it plans a residual program, generates C++ through Inductor and runs
kernels.

`frontend/` hands it graphs of torch operators. It knows torch alone: no file here imports NumPy.
"""
