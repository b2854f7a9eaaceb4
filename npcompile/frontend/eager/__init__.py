"""The eager array `npcompile.ndarray`: each operation runs its op at once, for debugging and for device
arrays."""
