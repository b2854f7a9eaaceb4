"""Brings the source of loops into a form that can be typed: candidates, normal form, control-flow graph."""
