"""Tests of the rules and types of native loops."""
