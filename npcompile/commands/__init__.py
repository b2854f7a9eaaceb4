"""Each file here does one command of `python -m npcompile`."""
