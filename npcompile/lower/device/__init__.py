"""Segments that run on a GPU, and the copies between host and device."""
