"""Tests of arithmetic on tensors that stands for NumPy's."""
