"""Tests of the worker process and the wire form."""
