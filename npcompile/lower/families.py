"""Which libraries for any sizes are shared by segments that differ in sizes alone."""

from __future__ import annotations

from typing import NamedTuple

from . import sizes

MAX_FORMS = 4  # sizes of one family that are compared to see what differs
MAX_SHARED = 3  # libraries of one family
FEWEST = 2  # so many sizes that a library does not serve have one of their own in common


class Shared(NamedTuple):
    """A library for any sizes: which of them are its parameters, and which of its family's it is."""

    pattern: sizes.Pattern
    number: int


class Family:
    """Segments that differ in sizes alone. The first gets a library of its own; from the second on they share
    libraries for any sizes, where those can be made.

    What a library assumed of its sizes (that an array is not square, say) may not be true of some: these have
    libraries of their own, and from the second on one in common.
    """

    def __init__(self) -> None:
        self.forms: list[sizes.Form] = []
        self.misfits: list[sizes.Form] = []
        self.libraries: list[Shared] = []
        self.refused: set[Shared] = set()  # those that cannot be made

    def meet(self, form: sizes.Form) -> None:
        """Note the sizes of a segment."""
        if form not in self.forms and len(self.forms) < MAX_FORMS:
            self.forms.append(form)

    def shared_by(self, form: sizes.Form, unfit: set[Shared]) -> Shared | None:
        """The library for a segment of this form, a new one if need be. unfit: those that do not serve it."""
        for known in self.libraries:
            if known not in unfit | self.refused and known.pattern.values(form.sizes) is not None:
                return known
        if unfit:
            if form not in self.misfits and len(self.misfits) < FEWEST:
                self.misfits.append(form)
            found = next(iter(unfit)).pattern if len(self.misfits) >= FEWEST else None
        else:
            found = sizes.pattern([known.sizes for known in self.forms])
        if self.refused or len(self.libraries) >= MAX_SHARED or found is None:
            return None
        if found.values(form.sizes) is None:
            return None
        made = Shared(found, len(self.libraries))
        self.libraries.append(made)
        return made
