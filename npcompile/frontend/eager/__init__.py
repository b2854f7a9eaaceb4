"""`npcompile.ndarray`: the ops done eagerly, for debugging and for arrays on a device."""
