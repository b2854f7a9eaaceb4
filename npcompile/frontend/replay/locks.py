"""Acquires and releases locks for replays: in C, so that nothing of ours can fail in between."""

from __future__ import annotations

import operator

ACQUIRE = operator.methodcaller("__enter__")
RELEASE = operator.methodcaller("__exit__", None, None, None)
