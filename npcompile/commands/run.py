"""`python -m npcompile run script.py` runs a program, jits its functions once that pays, and says what came.

The program starts at once, as it is. `watching.py` imports the engine when the import is a small part of the
time that the program has taken. `decorating.py` jits functions from the start where a program took long in an
earlier run, or imports npcompile itself.
"""

from __future__ import annotations

import builtins
import contextlib
import importlib.util
import os
import sys
import types
from importlib.machinery import ModuleSpec, SourceFileLoader

from npcompile.commands import history
from npcompile.commands.measuring import ImportTime
from npcompile.commands.watching import Watch
from npcompile.diagnostics.paths import kernels_root as root
from npcompile.diagnostics.words import count_text

TYPE_CHECKING = False  # a program that runs waits for the imports of this file
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, Protocol

    from npcompile.diagnostics.stats import Stats

    class Profile(Protocol):
        """`npcompile.profile`: the times of the functions that a `with` block calls."""

        seconds: float
        explanations: tuple[Any, ...]

        def __enter__(self) -> Any: ...

        def __exit__(self, *raised: object) -> None: ...

    Engine = Callable[[], tuple[Callable[..., Any], Callable[[], Profile]]]

# The engine is imported when its import is this part of the time that the program has taken. Python takes
# an eighth as long again to clear the engine's modules at the program's end: with what recordings and
# contests take, no program takes a twentieth more than under Python.
PART = 1 / 24
_MOST = 0.5  # of the time in one function: less is too little to have all functions jitted
_FOLDER = os.path.dirname(__file__)  # of the frames that tracebacks of programs do not begin with
_SHOWN = 20  # functions in the summary
_PART_SHOWN = 0.01  # of a function's time: the least that is shown


class CannotRun(Exception):
    """There is no such program, or it has no Python source."""


def run(
    target: str,
    arguments: Sequence[str],
    module: bool,
    packages: Sequence[str],
    engine: Engine,
    after: float | None = None,
) -> int:
    """Run a program as Python would; return its exit status.

    Parameters
    ----------
    target
        The path of a script, or the name of a module.
    arguments
        The rest of `sys.argv`.
    module
        `target` is the name of a module.
    packages
        Packages whose functions are jitted, too.
    engine
        Imports npcompile, and returns its `jit` and `profile`.
    after
        Seconds from which the engine may be imported; 0: functions are jitted from the start. As a rule, the
        time that the import takes and the program's earlier runs decide.

    Raises
    ------
    CannotRun
        Nothing can be run by that name.
    SystemExit
        The program's own.
    KeyboardInterrupt
        The program's own, which has been told.
    """
    path, spec = _of_module(target) if module else (_of_script(target), None)
    with open(path, "rb") as file:
        source = file.read()
    past = history.History(root(), source, arguments)
    least = ImportTime(root(), PART)
    from_the_start = after == 0 or (after is None and pays_from_the_start(source, past, least.after(0.0)))
    _leave_package()
    main = types.ModuleType("__main__")
    first = sys.modules["__main__"]
    if "__annotations__" in vars(first):
        main.__annotations__ = {}
    main.__loader__ = SourceFileLoader("__main__", path) if spec is None else spec.loader
    main.__file__ = path
    main.__spec__ = spec
    main.__package__ = None if spec is None else spec.parent
    vars(main)["__builtins__"] = builtins
    vars(main)["__cached__"] = None
    # `multiprocessing` has another name for it, by which its children pickle.
    for name in ("__main__", "__mp_main__"):
        if sys.modules.get(name) is first:
            sys.modules[name] = main
    sys.argv[:] = [path if module else target, *arguments]
    if not module:
        sys.path[0] = os.path.dirname(os.path.realpath(path))
    way = (
        _FromTheStart(packages, engine)
        if from_the_start
        else _Watched(path, packages, engine, least.after if after is None else lambda _: after)
    )
    process = os.getpid()
    try:
        way.execute(source, path, vars(main))
    except SystemExit:
        raise
    except BaseException as error:
        error.__traceback__ = _without_own_frames(error.__traceback__)
        sys.excepthook(type(error), error, error.__traceback__)
        if isinstance(error, KeyboardInterrupt):  # Python ends by the signal, which shells look for
            sys.excepthook = _tell_nothing
            raise
        return 1
    finally:
        with contextlib.suppress(Exception):  # closed by the program: Python tells at the end if it minds
            sys.stdout.flush()
        if os.getpid() == process:  # not in a child that the program has forked
            summed_up = way.summary()
            with contextlib.suppress(Exception):
                sys.stderr.write(f"{summed_up}\n")
            if after is None:
                way.remember(past)
    return 0


def pays_from_the_start(source: bytes, past: history.History, least: float) -> bool:
    """Tell if functions are jitted from the start: the program imports npcompile, or took long before."""
    if b"npcompile" in source:
        import re

        if re.search(rb"^[ \t]*(?:import|from)[ \t]+npcompile\b", source, re.MULTILINE):
            return True
    return past.plain >= least and (not past.jitted or past.jitted < past.plain)


def _leave_package() -> None:
    """Have the next `import npcompile` import all of it: `__init__.py` imports nothing for this command."""
    if "npcompile.jit" not in sys.modules:
        for name in list(sys.modules):
            if name.partition(".")[0] == "npcompile":
                del sys.modules[name]


def _of_script(path: str) -> str:
    if os.path.isdir(path):
        path = os.path.join(path, "__main__.py")
    if not os.path.isfile(path):
        raise CannotRun(f"there is no file {path}")
    return os.path.join(os.getcwd(), path)  # Python does not make it shorter


def _of_module(name: str) -> tuple[str, ModuleSpec]:
    try:
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.submodule_search_locations is not None:
            spec = importlib.util.find_spec(f"{name}.__main__")
    except ModuleNotFoundError as error:
        raise CannotRun(str(error)) from None
    if spec is None or spec.origin is None or not isinstance(spec.loader, SourceFileLoader):
        raise CannotRun(f"there is no module {name} with a Python source")
    return spec.origin, spec


def _tell_nothing(*_: object) -> None:
    """Stands for the hook of exceptions, once that has told the last one."""


def _without_own_frames(traceback: types.TracebackType | None) -> types.TracebackType | None:
    while traceback is not None and os.path.dirname(traceback.tb_frame.f_code.co_filename) == _FOLDER:
        traceback = traceback.tb_next
    return traceback


class _FromTheStart:
    """A run whose functions are jitted as they are defined."""

    def __init__(self, packages: Sequence[str], engine: Engine) -> None:
        from npcompile.commands import decorating

        self._functions: list[Any] = []
        jit, profile = engine()
        self._profile = profile()

        def decorated(function: types.FunctionType) -> Any:
            made = jit(function)
            self._functions.append(made)
            return made

        decorating.decorate_with(decorated, packages)
        self._decorated_code = decorating.decorated_code

    def execute(self, source: bytes, path: str, namespace: dict[str, Any]) -> None:
        """Execute the program in a module."""
        with self._profile:
            exec(self._decorated_code(source, path), namespace)

    def summary(self) -> str:
        """Return what came of the run."""
        return summary([(function, function.stats) for function in self._functions], self._profile)

    def remember(self, past: history.History) -> None:
        """Write the run's time down."""
        if past.plain:
            past.remember(past.plain, self._profile.seconds + history.import_seconds(root()))


class _Watched:
    """A run that begins as under Python."""

    def __init__(
        self, path: str, packages: Sequence[str], engine: Engine, after_of: Callable[[float], float]
    ) -> None:
        folders = tuple(filter(None, map(_folder_of, packages)))

        def is_of_program(file: str) -> bool:
            return file == path or (bool(folders) and file.startswith(folders))

        self._watch = Watch(is_of_program, lambda: engine()[0], after_of)

    def execute(self, source: bytes, path: str, namespace: dict[str, Any]) -> None:
        """Execute the program in a module."""
        code = compile(source, path, "exec", dont_inherit=True)
        self._watch.start()
        try:
            exec(code, namespace)
        finally:
            self._watch.stop()

    def summary(self) -> str:
        """Return what came of the run."""
        watch = self._watch
        if not watch.jitted:
            if watch.work < watch.after:
                after = f"npcompile is imported after {watch.after:.0f} s of work"
                hint = "in a program that imports npcompile itself, functions are compiled from the start"
                return f"npcompile: nothing was compiled in {watch.seconds:.2f} s: {after}\n  {hint}"
            none = f"no function that takes much of the time has been called after {watch.after:.0f} s"
            return f"npcompile: nothing was compiled in {watch.seconds:.2f} s: {watch.why_not or none}"
        began = f" after {watch.jitted_after:.2f} of {watch.seconds:.2f} s"
        return summary([(function, function.stats) for function in watch.jitted], None, began)

    def remember(self, past: history.History) -> None:
        """Write down the run's time, and the engine's."""
        watch = self._watch
        if watch.import_seconds:
            history.remember_import(root(), watch.import_seconds)
        if watch.work >= watch.after and watch.in_functions >= _MOST:
            past.remember(watch.seconds, past.jitted)


def _folder_of(package: str) -> str | None:
    """Return the path that the files of a package begin with, which is a module's whole path."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.origin:
        return None
    return os.path.join(os.path.dirname(spec.origin), "") if spec.submodule_search_locations else spec.origin


def summary(functions: Sequence[tuple[Any, Stats]], profile: Profile | None, began: str = "") -> str:
    """Return what came of functions, those that took most of the time first."""
    called = [(function, stats) for function, stats in functions if stats.calls]
    gained = [pair for pair in called if pair[1].replays]
    times = {} if profile is None else {(one.file, one.line): one.report for one in profile.explanations}
    within = sum(report.seconds * report.calls for report in times.values())
    part = "" if profile is None else f": {within:.2f} of {profile.seconds:.2f} s are theirs"
    lines = [
        f"npcompile: {count_text(len(functions), 'function')} jitted{began}, {len(called)} called,"
        f" {len(gained)} of them ran compiled{part}"
    ]
    rows = []
    for function, stats in gained:
        code = function.__wrapped__.__code__
        report = times.get((code.co_filename, code.co_firstlineno))
        rows.append((0.0 if report is None else report.seconds * report.calls, function, stats, report))
    for seconds, function, stats, report in sorted(rows, key=lambda row: (-row[0], -row[2].calls))[:_SHOWN]:
        code = function.__wrapped__.__code__
        place = f"{os.path.basename(code.co_filename)}:{code.co_firstlineno}"
        loops = f", {count_text(stats.native_loops, 'native loop')}" if stats.native_loops else ""
        kinds = "" if report is None else ", ".join(f"{part:.0%} {kind}" for kind, part in _parts(report))
        # Calls that a jitted function makes are in its time, and have none of their own.
        took = "" if report is None else f" {seconds:.2f} s{f' ({kinds})' if kinds else ''},"
        lines.append(
            f"  {function.__qualname__} ({place}):{took}"
            f" {stats.replays} of {count_text(stats.calls, 'call')} compiled,"
            f" {count_text(stats.kernels, 'kernel')}{loops}"
        )
    reasons = [reason for _, stats in called for reason in stats.reasons]
    if reasons:
        lines.append("npcompile: left to NumPy and Python, among others:")
        lines += [f"  {reason}" for reason in dict.fromkeys(reasons)][:_SHOWN]
    return "\n".join(lines)


def _parts(report: Any) -> list[tuple[str, float]]:
    """Return the parts of a function's time by who does the work, the largest first."""
    return sorted(
        ((kind, part) for kind, part in report.times.items() if part >= _PART_SHOWN), key=lambda p: -p[1]
    )
