"""Rewriting, recording and replaying functions."""
