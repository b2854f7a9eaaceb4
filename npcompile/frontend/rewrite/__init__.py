"""The user's source with every operation going through a hook, and the cutting of functions into blocks."""
