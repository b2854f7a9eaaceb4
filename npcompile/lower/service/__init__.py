"""The worker process and its jobs: from a segment to a library."""
