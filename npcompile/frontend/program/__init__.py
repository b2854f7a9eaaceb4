"""The residual program: its nodes, guards, signature, aliasing and equality."""
