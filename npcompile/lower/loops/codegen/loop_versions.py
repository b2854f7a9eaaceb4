"""Names the versions of innermost loops that `FastLoop`s have, as labels name them."""

from __future__ import annotations

from typing import Final

CHECKED: Final = "slow"  # makes all checks at each trip
UNCHECKED: Final = "fast"  # makes checks before the first trip
KEEPING: Final = "keeping"  # keeps items in local variables besides
