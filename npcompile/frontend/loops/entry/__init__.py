"""Finds the types of the values that a region is entered with: numbers, arrays, closures, attributes."""
