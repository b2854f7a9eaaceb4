"""The boundary against npcompile's own faults."""
