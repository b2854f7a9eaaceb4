"""The test suites of public packages, run with every function of the package jitted."""
