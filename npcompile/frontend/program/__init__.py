"""The residual program: this package holds its nodes, guards, signature, aliasing, and when two are equal."""
