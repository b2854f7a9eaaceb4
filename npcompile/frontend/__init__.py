"""Rewriting, recording, guards, the op table, programs and their replay, the device and debug array."""
