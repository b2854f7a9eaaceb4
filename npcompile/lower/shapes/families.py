"""Decides which library for any sizes serves a segment: segments that differ in sizes alone form a family.

`service/compiler.py` asks the family of each job. A family has few libraries, however many sizes it has.
"""

from __future__ import annotations

from typing import NamedTuple

from npcompile.lower.plan import sizes

MAX_FORMS = 4  # sizes of one family, at one scale, that are compared to find which differ
MAX_SHARED = 3  # libraries of one family at one scale
MIN_MISFITS = 2  # sizes that a library does not serve before they get one in common


class SharedLibrary(NamedTuple):
    """A library for any sizes: which sizes are its parameters, the scale of work it serves, and its number
    there."""

    pattern: sizes.Pattern
    scale: int
    number: int


class Family:
    """Segments that differ in sizes alone.

    The first one gets a library of its own; from the second on they share libraries for any sizes, where
    those can be made. A library's assumptions on sizes (that an array is not square, say) may not hold for
    some of them: these get libraries of their own, and from the second such on one in common.

    Small and large work have separate libraries (`sizes.Form.scale`). The parameters of one hold for the
    other, too.
    """

    def __init__(self) -> None:
        self.forms: list[sizes.Form] = []
        self.misfits: list[sizes.Form] = []
        self.libraries: list[SharedLibrary] = []
        self.refused: set[SharedLibrary] = set()  # those that cannot be made

    def add(self, form: sizes.Form) -> None:
        """Note the sizes of a segment."""
        alike = [known for known in self.forms if known.scale == form.scale]
        if form not in alike and len(alike) < MAX_FORMS:
            self.forms.append(form)

    def shared_by(self, form: sizes.Form, unfit: set[SharedLibrary]) -> SharedLibrary | None:
        """Return the library for a segment of this form, a new one if need be. unfit: libraries that do not
        serve it."""
        same = [known for known in self.libraries if known.scale == form.scale]
        for known in same:
            if known not in unfit | self.refused and known.pattern.values(form.sizes) is not None:
                return known
        if self.refused or len(same) >= MAX_SHARED:
            return None
        found = self._pattern_of_misfits(form, unfit) if unfit else self._pattern(form)
        if found is None or found.values(form.sizes) is None:
            return None
        made = SharedLibrary(found, form.scale, len(same))
        self.libraries.append(made)
        return made

    def _pattern_of_misfits(self, form: sizes.Form, unfit: set[SharedLibrary]) -> sizes.Pattern | None:
        """Return the pattern of sizes that no library serves, from the second such on."""
        misfits = [known for known in self.misfits if known.scale == form.scale]
        if form not in misfits and len(misfits) < MIN_MISFITS:
            self.misfits.append(form)
            misfits.append(form)
        return next(iter(unfit)).pattern if len(misfits) >= MIN_MISFITS else None

    def _pattern(self, form: sizes.Form) -> sizes.Pattern | None:
        """Return the pattern of sizes that differ at this scale, or at another scale if none do yet."""
        found = sizes.pattern([known.sizes for known in self.forms if known.scale == form.scale])
        others = [known.pattern for known in self.libraries if known.pattern.values(form.sizes) is not None]
        return others[0] if found is None and others else found
