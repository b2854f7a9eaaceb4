"""One jitted function at run time: find the specialisation and replay it, or record, or run plain."""
