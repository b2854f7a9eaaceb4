"""Promotion, weak Python numbers, scalar-or-array rules: NumPy's type rules, asked of NumPy itself."""
