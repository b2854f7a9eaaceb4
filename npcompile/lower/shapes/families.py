"""Which libraries for any sizes are shared by segments that differ in sizes alone."""

from __future__ import annotations

from typing import NamedTuple

from npcompile.lower.plan import sizes

MAX_FORMS = 4  # sizes of one family, at one scale, that are compared to see what differs
MAX_SHARED = 3  # libraries of one family at one scale
FEWEST = 2  # so many sizes that a library does not serve have one of their own in common


class Shared(NamedTuple):
    """A library for any sizes: which of them are its parameters, for how large work, and which of the
    family's for such work it is."""

    pattern: sizes.Pattern
    scale: int
    number: int


class Family:
    """Segments that differ in sizes alone. The first gets a library of its own; from the second on they share
    libraries for any sizes, where those can be made.

    What a library assumed of its sizes (that an array is not square, say) may not be true of some: these have
    libraries of their own, and from the second on one in common.

    Small and large work have libraries of their own (`sizes.Form.scale`). Once one is there, what its
    parameters are is known for the other, too.
    """

    def __init__(self) -> None:
        self.forms: list[sizes.Form] = []
        self.misfits: list[sizes.Form] = []
        self.libraries: list[Shared] = []
        self.refused: set[Shared] = set()  # those that cannot be made

    def meet(self, form: sizes.Form) -> None:
        """Note the sizes of a segment."""
        alike = [known for known in self.forms if known.scale == form.scale]
        if form not in alike and len(alike) < MAX_FORMS:
            self.forms.append(form)

    def shared_by(self, form: sizes.Form, unfit: set[Shared]) -> Shared | None:
        """The library for a segment of this form, a new one if need be. unfit: those that do not serve it."""
        same = [known for known in self.libraries if known.scale == form.scale]
        for known in same:
            if known not in unfit | self.refused and known.pattern.values(form.sizes) is not None:
                return known
        if self.refused or len(same) >= MAX_SHARED:
            return None
        found = self._misfitting(form, unfit) if unfit else self._pattern(form)
        if found is None or found.values(form.sizes) is None:
            return None
        made = Shared(found, form.scale, len(same))
        self.libraries.append(made)
        return made

    def _misfitting(self, form: sizes.Form, unfit: set[Shared]) -> sizes.Pattern | None:
        """That of what libraries do not serve, from the second such on."""
        misfits = [known for known in self.misfits if known.scale == form.scale]
        if form not in misfits and len(misfits) < FEWEST:
            self.misfits.append(form)
            misfits.append(form)
        return next(iter(unfit)).pattern if len(misfits) >= FEWEST else None

    def _pattern(self, form: sizes.Form) -> sizes.Pattern | None:
        """What differed among those as large; if nothing yet, what did at another scale."""
        found = sizes.pattern([known.sizes for known in self.forms if known.scale == form.scale])
        others = [known.pattern for known in self.libraries if known.pattern.values(form.sizes) is not None]
        return others[0] if found is None and others else found
