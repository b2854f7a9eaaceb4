"""Tests of op bodies: eager, traced, and placed on a device."""
