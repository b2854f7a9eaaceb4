"""Analyses typed regions and changes them: bounds of ints, checks, items in variables, independent trips."""
