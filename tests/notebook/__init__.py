"""Makes and runs the notebooks of the documentation."""
