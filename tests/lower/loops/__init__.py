"""Tests of the C++ of native loops."""
