"""Loop regions: chosen from source, typed by NEP 50, handed to `lower/loops/` as a typed IR."""
