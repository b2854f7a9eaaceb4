"""What of NumPy runs natively: measured name by name, and written to docs/coverage.md."""
