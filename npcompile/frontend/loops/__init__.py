"""Chooses loop regions from source and types them by NEP 50; `lower/loops/` makes C++ of the typed IR."""
