"""Numbers and kinds of things in words, for messages and reports."""

from __future__ import annotations

from itertools import islice


def count_text(number: int, what: str) -> str:
    """Return a number of things: "1 kernel", "2 kernels"."""
    return f"{number} {what}{'s' * (number != 1)}"


def kind_text(value: object) -> str:
    """Return the kind of a value: "an Estimator", "an array of object", "a list of Particle" by its first."""
    kind = type(value)
    if kind.__name__ == "ndarray" and hasattr(value, "dtype"):
        return f"an array of {value.dtype.name}"
    text = f"{'an' if kind.__name__[0] in 'AEIOUaeiou' else 'a'} {kind.__name__}"
    if kind in (list, tuple, set, frozenset):
        items = [type(item).__name__ for item in islice(value, 1)]  # type: ignore[call-overload]
        text += "".join(f" of {name}" for name in items)
    return text
