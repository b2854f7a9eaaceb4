"""Chooses the operations on scalars by NumPy's rules and Python's."""
