"""Measurements and budgets that decide whether recording, compiling and replaying pay."""
