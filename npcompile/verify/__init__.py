"""`npcompile.verify` and `NPCOMPILE_VERIFY`: calls compared with NumPy's, operation by operation."""
