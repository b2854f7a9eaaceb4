"""From a residual program to a plan: segments to compile, and the steps between them."""
