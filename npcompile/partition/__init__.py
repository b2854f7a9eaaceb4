"""Functions cut into blocks: each block is recorded and replayed by itself, with Python between them."""
