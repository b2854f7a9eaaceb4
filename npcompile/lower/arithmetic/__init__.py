"""Arithmetic that torch does not do as NumPy does: complex numbers, unsigned integers, casts."""
