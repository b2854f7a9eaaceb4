"""Tests of leaving native code and going on in Python."""
