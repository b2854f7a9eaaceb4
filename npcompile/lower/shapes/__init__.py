"""Libraries with sizes as parameters: one compiled library serves segments that differ in sizes alone."""
