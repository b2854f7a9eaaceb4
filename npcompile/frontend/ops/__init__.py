"""Every op: importing this package fills the table."""

from __future__ import annotations

from npcompile.frontend.ops import elementwise

__all__ = ["elementwise"]
