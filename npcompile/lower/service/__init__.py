"""The compile service: a worker process turns segments into libraries, and this process submits its jobs."""
