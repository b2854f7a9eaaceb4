"""Tests with the libraries that people use beside NumPy; each needs its library."""
