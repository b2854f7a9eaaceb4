"""Tests of the C++ extension."""
