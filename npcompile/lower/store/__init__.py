"""Compiled libraries are kept on disk, by key, for later processes."""
