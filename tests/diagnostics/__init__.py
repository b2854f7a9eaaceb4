"""Tests of counts, reasons and warnings."""
