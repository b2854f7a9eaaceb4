"""NumPy's type rules (NEP 50): promotion, weak Python numbers, scalar or array. NumPy itself is asked for
each."""
