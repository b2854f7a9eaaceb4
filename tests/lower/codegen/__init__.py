"""Tests of the C++ that kernels are."""
