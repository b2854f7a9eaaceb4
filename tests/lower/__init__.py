"""Tests of planning, compiling, kernels, the worker and the pool."""
