"""Tests of what runs segments on a mesh."""
