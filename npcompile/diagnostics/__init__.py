"""Counts, reasons, warnings and advice: what users are told about a jitted function."""
