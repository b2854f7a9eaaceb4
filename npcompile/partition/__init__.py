"""A function cut into blocks: each block recorded and replayed by itself, Python between them."""
