"""Passes over residual programs: masks, bounds, hoisting and views."""
