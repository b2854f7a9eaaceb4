"""Writes the C++ of native loops from their typed IR."""
