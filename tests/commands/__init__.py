"""Tests of kernels on disk."""
