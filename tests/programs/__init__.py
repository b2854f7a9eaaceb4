"""Programs that tests of several folders run, and generators of random ones."""
