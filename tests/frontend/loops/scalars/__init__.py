"""Tests of numbers and functions of them."""
