"""From a function's source to the same function with every operation going through a hook."""
