"""Code generation: Inductor's output for a segment is read as data and written as the source of one
library."""
