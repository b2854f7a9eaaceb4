"""The boundary against npcompile's own faults: no exception of ours reaches a caller."""
