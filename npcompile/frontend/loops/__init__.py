"""Types loop regions by NEP 50: their source, and the values at their entry, become the typed IR.

The folders, from the top: `rules/` has the language's rules, in a file for each family of constructs, and
`inference.py` applies them. `scalars/` chooses operations on numbers. `passes/` works on the typed IR, and
`entry/` on the values that a region is entered with. `run/` is Python's side of a region as it runs.
`source/` has candidates, normal form and control-flow graph. `lower/loops/` writes C++ of the typed IR.
"""
