"""Makes one program answer for many lengths: calls whose arguments differ in lengths alone share it.

`runtime.shape_sharing` asks a `LengthGroup` for such programs. Each kernel checks the sizes before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from torch import fx

from npcompile.diagnostics.stats import Stats
from npcompile.frontend.pipeline import ops_version
from npcompile.frontend.program.dynamic_sizes import counts_of, sized_by_data
from npcompile.frontend.program.generic_signature import pattern_of
from npcompile.frontend.program.guards import Diverged, ValueEquals
from npcompile.frontend.program.program import Program
from npcompile.frontend.program.shape_generalization import resizable_guards, same_program
from npcompile.frontend.program.slice_guards import (
    Check,
    at_once,
    checkable,
    depends_on_data,
    places_others,
    unchanged,
)
from npcompile.frontend.replay.replay import Replay
from npcompile.frontend.replay.view_placement import add_sizes, known_values
from npcompile.lower.plan.attributes import attributes, step_of, value_of
from npcompile.lower.plan.sizes import SMALLEST
from npcompile.lower.service.anysize import AnySize, differ_in_sizes_only
from npcompile.lower.shapes.fitting import Pending, Unfit
from npcompile.runtime.guarded_replays import Counted, Sliced
from npcompile.runtime.recorded_program import RecordedProgram
from npcompile.tiering.overhead import users
from npcompile.tiering.protocols import PartitionedLike

# The most recordings made to find two that are the same program: each may have met lengths that are equal by
# chance.
MAX_ATTEMPTS = 12
# An attempt counts for this many if its program cannot answer by itself, as its sizes depend on data.
FOR_NOTHING = 3
# General programs that are kept: for even lengths and for odd ones (`x[: n // 2] + x[n // 2 :]`).
MAX_GENERAL = 3
# After this many calls in a row that they could not answer, general programs are given up.
MAX_MISSES = 8


class Waiting(Diverged):
    """A program for many lengths may answer as soon as a kernel for these is compiled: the job's."""

    def __init__(self, job: Any) -> None:
        super().__init__()
        self.job = job


class LengthGroup:
    """Calls of one function whose arguments differ in lengths alone.

    The first lengths get a program of their own. At the next ones lengths are recorded as traced numbers, and
    when two such recordings are the same step by step, their program answers at other lengths, too: those
    that differ as they did between the two. Each kernel checks what was assumed of its sizes.
    """

    def __init__(self, kind: Any) -> None:
        self.kind = kind  # the signature of these calls without lengths
        self.seen = 0
        self.left = MAX_ATTEMPTS
        self.misses = 0  # of the general programs, since one last answered
        self.attempts: list[tuple[tuple[int, ...], RecordedProgram, tuple[int, ...]]] = []
        self._recorded: list[Program] = []  # those of which it is not known yet if a size decided in them
        self._asked = False  # a number decided where a size is wanted
        self.generals: list[PolymorphicProgram] = []  # the last one first
        self.partitioned: PartitionedLike | None = None  # the function cut into blocks, whatever the lengths
        # Cuts at a call that a recording met, by the call's line.
        self.calls: dict[int | None, PartitionedLike] = {}

    @property
    def is_used(self) -> bool:
        """Tell if anything is known of its calls."""
        return bool(self.seen or self.generals or self.partitioned)

    @property
    def may_answer(self) -> bool:
        """Tell if kernels of a general program are there."""
        return any(known.done for known in self.generals)

    @property
    def general(self) -> PolymorphicProgram | None:
        return self.generals[0] if self.generals else None

    def followed_by(self, lengths: tuple[int, ...]) -> list[PolymorphicProgram]:
        """The general programs that may answer for arguments of these lengths."""
        return [known for known in self.generals if known.follows(lengths)]

    def is_general(self, lengths: tuple[int, ...]) -> bool:
        """Tell if the next recording is to be a general one."""
        if self.generals:  # numbers equal in two recordings have to stay equal, or kernels assumed more
            return self.left > 0 and (self._too_narrow(lengths) or self.misses > 0)
        return 0 < self.seen and self.left > 0 and bool(lengths or self._is_asked())

    def _is_asked(self) -> bool:
        """Tell if a number decided, in some recording, where a size is wanted."""
        self._asked = self._asked or any(map(_asks, self._recorded))
        self._recorded.clear()
        return self._asked

    def _too_narrow(self, lengths: tuple[int, ...]) -> bool:
        return any(known.refused for known in self.generals) or not self.followed_by(lengths)

    def give_up(self) -> None:
        """A recording with traced lengths cannot be followed, or is of no use."""
        self.left, self.generals = 0, []

    def missed(self) -> None:
        """No general program could answer where it should have."""
        self.misses += 1
        if self.misses >= MAX_MISSES:
            self.give_up()

    def add(self, lengths: tuple[int, ...], entry: RecordedProgram, general: bool, leaves: list[Any]) -> None:
        """A recording of a call with arguments of these lengths."""
        self.seen += 1
        if not general:
            if not self._asked:
                self._recorded.append(entry.program)
            return
        self._asked = self._asked or _asks(entry.program)
        places = counts_of(entry.program)
        counts = tuple(leaves[place] for place in places)
        outside = _outside(entry.program)
        sizes = lengths, counts, outside
        if not by_data(entry.program) and any(
            sizes == (a, c, _outside(e.program)) for a, e, c in self.attempts
        ):
            return  # its decisions say nothing of other sizes
        on_host = entry.program.device in (None, "cpu")
        same = [attempt for attempt in self.attempts if on_host and _same(attempt[1], entry)]
        made: PolymorphicProgram | None = None
        for other, known, numbers in same:
            if _differ(known, entry, (other, numbers, _outside(known.program)) != (lengths, counts, outside)):
                fixed = {
                    place: now
                    for at, (place, now) in enumerate(zip(places, counts, strict=True))
                    if all(before[at] == now for _, _, before in same)
                }
                made = PolymorphicProgram(entry, lengths, known, other, places, fixed)
        if made is not None:
            kept = [] if self._too_narrow(lengths) else self.generals[: MAX_GENERAL - 1]
            self.generals = [made, *kept]
            self.misses = 0
        self.attempts.append((lengths, entry, counts))
        self.left -= 1 if entry.alone or _is_small(entry.program) else FOR_NOTHING


def _asks(program: Program) -> bool:
    """Tell if the lengths of an array from outside decide, or a whole number by its value."""
    if resizable_guards(program):
        return True
    for node in program.graph.nodes:
        if isinstance(node.target, ValueEquals) and type(node.target.expected) in (int, np.int64):
            if step_of(node.args[0]) != "opaque":
                return True
    return False


def _outside(program: Program) -> tuple[int, ...]:
    """The lengths of what it reads, in order."""
    return tuple(n for node in resizable_guards(program).values() for n in node.target.lengths())  # type: ignore[union-attr]


def by_data(program: Program) -> bool:
    """Tell if lengths in it depend on data."""
    return any(map(depends_on_data, program.graph.nodes))


def _is_small(program: Program) -> bool:
    """Tell if a length in it that depends on data is 0 or 1: it says nothing of others."""
    made = [node for user in program.graph.nodes for node in _made(user)]
    return any(n < SMALLEST for node in made for n in value_of(node).shape)


def _differ(one: RecordedProgram, other: RecordedProgram, lengths: bool) -> bool:
    """Tell if two recordings differ in all lengths that are not the arguments', so that it shows if one has
    become a constant; those of arrays may be the same, and stay so. lengths: the arguments' differ."""
    slices = checkable(one.program, one.plan)
    pairs = zip(one.program.graph.nodes, other.program.graph.nodes, strict=True)
    numbers = [
        (a, attributes(a).data_ends, attributes(b).data_ends)
        for a, b in pairs
        if attributes(a).data_ends or attributes(b).data_ends
    ]
    kept = unchanged(one.program, other.program, one.plan)
    same = [value_of(a).shape == value_of(b).shape for a, b in _pairs(one, other)]
    if sum(same) != len(_unchanged(one, other)) or any(
        a not in slices and mine == theirs for a, mine, theirs in numbers
    ):
        return False
    return lengths or not all(same) or any(kept.get(a) != (True, True) for a, _, _ in numbers)


def _pairs(one: RecordedProgram, other: RecordedProgram) -> list[tuple[fx.Node, fx.Node]]:
    """The arrays of data-dependent lengths in two recordings of one program."""
    lists = [[node for user in entry.program.graph.nodes for node in _made(user)] for entry in (one, other)]
    return list(zip(*lists, strict=True))


def _unchanged(one: RecordedProgram, other: RecordedProgram) -> dict[Any, Any]:
    """Guards that let calls give arrays of any lengths, and those that do not, where both recordings met the
    same ones (the bins of `np.bincount(labels)`)."""
    return {
        guard.target: exact
        for a, b in _pairs(one, other)
        if value_of(a).shape == value_of(b).shape
        for guard in a.users
        if (exact := attributes(guard).exact_guard) is not None
    }


def _made(node: fx.Node) -> list[fx.Node]:
    """The arrays of data-dependent lengths that a step gives."""
    if node.op != "call_function" or not sized_by_data(node):
        return []
    parts = [user for user in node.users if step_of(user) == "part"]
    return [made for made in (node, *parts) if value_of(made).kind == "array"]


def _same(one: RecordedProgram, other: RecordedProgram) -> bool:
    pairs = zip(one.segments, other.segments, strict=False)
    same = len(one.segments) == len(other.segments) and all(differ_in_sizes_only(a, b) for a, b in pairs)
    return same and same_program(one.program, other.program)


class PolymorphicProgram:
    """A program for all lengths that follow a pattern."""

    def __init__(
        self,
        entry: RecordedProgram,
        lengths: tuple[int, ...],
        other: RecordedProgram,
        others: tuple[int, ...],
        counts: tuple[int, ...],
        fixed: dict[int, int],
    ) -> None:
        """counts: the places of arguments that sizes depend on. fixed: the values of those that have always
        been the same, and stay so."""
        self.entry = entry
        self.counts = counts
        self.fixed = fixed
        self.lengths = lengths
        self.pattern = pattern_of(others, lengths)
        outside, before = _outside(entry.program), _outside(other.program)
        self.outside = outside != before  # it does for other lengths of what is read from outside, too
        self._whole = pattern_of((*others, *before), (*lengths, *outside))
        self.refused = False  # it was asked for sizes that had always been the same, and no longer are
        self._other = other  # recorded at other lengths
        self._unchanged = _unchanged(entry, other)
        self.by_data = by_data(entry.program)
        self.places_others = places_others(entry.program)
        self._replay: Replay | None = None
        # Slices whose ends are worked out, and a replay for those of certain shapes.
        self._slices: set[fx.Node] = set()
        self._sliced: Replay | None = None
        self._kernels: list[AnySize] = []
        self._waits_for: dict[tuple[int, ...], Any] = {}  # by the arguments' lengths

    @property
    def host_calls(self) -> int:
        """Return the host calls of one replay."""
        return self.entry.host_calls

    @property
    def done(self) -> bool:
        """Tell if its kernels have been compiled."""
        return self.entry.done and self._other.done

    def follows(self, lengths: tuple[int, ...]) -> bool:
        """Tell if arguments of these lengths may be answered by it."""
        if self.pattern is None:  # only lengths that depend on data differed
            return lengths == self.lengths
        return self.pattern.values(lengths) is not None

    def answer(
        self, leaves: list[Any], lengths: tuple[int, ...], stats: Stats
    ) -> tuple[Any, list[Callable[..., Any]]]:
        """Return the answer for these arguments, and replays for others of the same lengths. Raises
        Diverged, before anything was done; Waiting where all that is missing is a kernel."""
        if (job := self._waits_for.get(lengths)) is not None and not job.done:
            raise Waiting(job)
        self._waits_for.pop(lengths, None)
        try:
            return self._answer(leaves, lengths, stats)
        except Waiting as waiting:
            self._waits_for[lengths] = waiting.job
            raise

    def _answer(
        self, leaves: list[Any], lengths: tuple[int, ...], stats: Stats
    ) -> tuple[Any, list[Callable[..., Any]]]:
        try:
            ready = self._ready(leaves, lengths)
        except Pending as pending:
            raise Waiting(pending.job) from None
        except Exception as error:  # nothing has been done yet
            raise Diverged from error
        if ready is None:
            raise Diverged
        replay, instead, now = ready[0], ready[1] | self._unchanged, ready[2]
        found = [_Finding(kernels) for kernels in self._kernels]
        linked = replay.link(list(found), stats, instead=instead)
        result = users(linked, tuple(leaves), {})
        kernels = [finding.kernel for finding in found]
        if self.counts or self.places_others:
            linked = Counted(self, lengths, linked)
        if self.counts:
            return result, [linked]
        if self._sliced is not None:
            shapes = {node: now[node].shape for node in self._slices}
            these = self._sliced.link(kernels, stats, instead=instead, shapes=shapes)
            return result, [these, Sliced(self, lengths, stats, linked)]
        if self.by_data or self.entry.exactly:  # results of NumPy's may have other lengths
            return result, [linked]
        return result, [self.entry.replay.link(kernels, stats, instead=instead)]

    def _ready(
        self, leaves: list[Any], lengths: tuple[int, ...]
    ) -> tuple[Replay, dict[Any, Any], dict[fx.Node, Any]] | None:
        """The general replay, guards on what is outside now, and what is known before it runs, if it may
        answer for these arguments."""
        entry = self.entry
        if self._replay is None:
            salt = ops_version()
            jobs: list[Any] = entry.jobs or [None] * len(entry.segments)
            # One of them may have met a size that has a kernel for itself alone.
            pairs = zip(jobs, self._other.jobs or jobs, strict=True)
            jobs = [other if job and job.general is None and other.general else job for job, other in pairs]
            self._kernels = [AnySize(s, job, salt) for s, job in zip(entry.segments, jobs, strict=True)]
            checks = unchanged(entry.program, self._other.program, entry.plan)
            self._replay = Replay(entry.program, entry.plan, general=True, checks=checks)
            if (slices := at_once(entry.program, entry.plan)) and not (self.counts or entry.exactly):
                ends = {node: Check(True, node in checks and checks[node].ends) for node in slices}
                self._slices, self._sliced = slices, Replay(entry.program, entry.plan, checks=ends)
        if not self.admits(leaves):
            return None
        now = known_values(entry.program, entry.plan, leaves)
        if now is None:
            return None
        instead = self._guards(now, lengths)
        return (self._replay, instead, now) if instead is not None and self._found_before(now) else None

    def _guards(self, now: dict[fx.Node, Any], given: tuple[int, ...]) -> dict[Any, Any] | None:
        """Guards on what is outside as it is now; None where the program is not for that. given: the lengths
        of the arguments."""
        instead: dict[Any, Any] = {}
        lengths: tuple[int, ...] = ()
        for node, guard in resizable_guards(self.entry.program).items():
            recorded: Any = guard.target
            found = recorded.renewed(now[node])
            if found is None or not recorded.differs_in_lengths_alone(found):
                return None
            lengths += found.lengths()
            instead[recorded] = found
        if not self.outside:
            self.refused = lengths != _outside(self.entry.program)
            return None if self.refused else instead
        assert self._whole is not None
        return instead if self._whole.values((*given, *lengths)) is not None else None

    def admits(self, leaves: list[Any]) -> bool:
        """Tell if the numbers that sizes depend on are such as were recorded."""
        if any(leaves[place] < SMALLEST for place in self.counts):
            return False
        self.refused = any(leaves[place] != value for place, value in self.fixed.items())
        return not self.refused

    @property
    def gone(self) -> int:
        """Return how many kernels that were found are no longer kept."""
        return sum(kernels.evicted for kernels in self._kernels)

    def serves(self, leaves: list[Any], lengths: tuple[int, ...]) -> bool:
        """Tell if the program may answer for these arguments, of lengths for which it has answered."""
        try:
            return self._ready(leaves, lengths) is not None
        except Exception:  # nothing has been done yet
            return False

    def _found_before(self, now: dict[Any, Any]) -> bool:
        """Tell if the kernels that run after the first effect are there. Raises Unfit, and KeyError where
        that depends on what is worked out."""
        plan = self.entry.plan
        if plan.effects is None:
            return True
        late = [step.segment for step in plan.steps[plan.effects + 1 :] if step.segment is not None]
        for kernels in self._kernels if late else ():
            if any(known.kind == "array" and node not in now for node, _, known in kernels.inputs):
                if kernels.segment in late:
                    return False
                continue
            values = [_turned(now[node], axes) if node in now else None for node, axes, _ in kernels.inputs]
            args = (*values, *(now[number] for number in kernels.numbers))
            kernels.kernel(*args)
            add_sizes(
                self.entry.program,
                now,
                dict(zip(kernels.segment.outputs, kernels.empty_results(*args), strict=False)),
            )
        return True


def _turned(value: Any, axes: tuple[int, ...]) -> Any:
    """As a kernel takes it: along these axes backwards."""
    return np.flip(value, axes) if axes else value


class _Finding:
    """Calls a segment's kernel for the sizes that it is called with, and keeps it."""

    def __init__(self, kernels: AnySize) -> None:
        self.kernels = kernels
        self.kernel: Callable[..., Any] = kernels.kernel

    def __call__(self, *args: Any) -> Any:
        try:
            kernel = self.kernel = self.kernels.kernel(*args)
        except Pending as pending:
            raise Waiting(pending.job) from None
        except Unfit:
            raise Diverged from None
        except Exception as error:  # a bug of ours, before anything was done
            raise Diverged from error
        return kernel(*args[: len(self.kernels.values)])
