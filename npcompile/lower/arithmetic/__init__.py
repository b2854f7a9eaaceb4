"""Arithmetic as NumPy does it where torch does not: complex numbers, unsigned integers, casts."""
