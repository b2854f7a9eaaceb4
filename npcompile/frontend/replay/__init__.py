"""The generated Python function of a residual program, for the host and for a device."""
