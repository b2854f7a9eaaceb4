"""`npcompile.verify` and `NPCOMPILE_VERIFY` compare calls with NumPy's, operation by operation."""
