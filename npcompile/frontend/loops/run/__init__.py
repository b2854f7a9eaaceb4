"""Runs a region from Python: packs its names, places its iterators, goes on where native code has left."""
