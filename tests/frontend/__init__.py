"""Tests of rewriting, recording and replaying functions."""
