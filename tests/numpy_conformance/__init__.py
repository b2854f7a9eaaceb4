"""NumPy's own installed test modules, run with `numpy` bound to the module under test.

`python -m tests.numpy_conformance` prints the table; see `__main__.py` for its options.
"""
