"""Tests of loops over elements: a corpus of programs, each compared with plain Python."""
