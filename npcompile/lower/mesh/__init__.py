"""Segments that several processes compute together, each on its own device: DTensor places the arrays."""
