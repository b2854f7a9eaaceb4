"""`npcompile.explain` says what became of a function's lines, as text and as fields."""
