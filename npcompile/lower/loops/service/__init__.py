"""Compiles the C++ of native loops, loads the libraries, and gives them threads."""
