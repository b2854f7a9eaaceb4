"""Tests of plans: segments, products, and steps left to NumPy."""
