"""Replay: this package writes the Python function of a residual program, for the host and for a device."""
