"""Native loops: the typed IR of a loop region, and its C++."""
