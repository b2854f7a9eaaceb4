"""Plans: a residual program becomes segments to compile, and steps between them."""
