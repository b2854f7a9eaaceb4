"""Tests of compiling and copying for a device."""
