"""Tests of budgets, contests and back-off."""
