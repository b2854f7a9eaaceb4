"""Tests of kernels for any sizes."""
