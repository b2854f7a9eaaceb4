"""`python -m npcompile` compiles whole programs, checks an installation, and manages the kernels on disk.

python -m npcompile run script.py [arguments]
                                  runs a script as it is, and compiles its functions once it has run long
                                  enough for that to pay; `-m name` in place of the script runs a module;
                                  `--package name` before either compiles the functions of a package, too,
                                  and may be repeated
python -m npcompile doctor        shows what works on this machine, what is missing, and how to install it
python -m npcompile cache info    shows where the kernels are, how many there are, and their size
python -m npcompile cache clear   removes them; running programs keep what they have loaded
python -m npcompile --version     prints the version
"""

from __future__ import annotations

import sys

import npcompile
from npcompile.commands import run

TYPE_CHECKING = False  # a program that runs waits for the imports of this file
if TYPE_CHECKING:
    from typing import Any


def main(arguments: list[str] | None = None) -> int:
    """Run one command; return the exit status: 1 where `doctor` finds that nothing would be compiled."""
    given = sys.argv[1:] if arguments is None else arguments
    if len(given) > 1 and given[0] == "run" and not given[1].startswith("-"):
        return _run(given[1], given[2:], False, [])
    import argparse

    parser = argparse.ArgumentParser(
        prog="python -m npcompile", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--version", action="version", version=f"npcompile {npcompile.__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="{run,doctor,cache}")
    program = commands.add_parser("run", help="run a program and compile its functions")
    program.add_argument(
        "--package",
        action="append",
        default=[],
        metavar="NAME",
        help="a package whose functions are compiled, too",
    )
    program.add_argument("-m", dest="module", action="store_true", help="run a module by its name")
    program.add_argument("target", metavar="script.py", help="the script, or the module's name after -m")
    rest = program.add_argument("arguments", nargs=argparse.REMAINDER, help="arguments of the program")
    rest.required = False
    commands.add_parser("doctor", help="check the installation")
    cache = commands.add_parser("cache", help="show or remove the kernels on disk")
    cache.add_argument("action", choices=("info", "clear"))
    chosen = parser.parse_args(given)
    if chosen.command == "run":
        return _run(chosen.target, chosen.arguments, chosen.module, chosen.package)
    from npcompile.commands import doctor, kernel_cache

    if chosen.command == "doctor":
        return doctor.report(doctor.findings(npcompile.__version__))
    return kernel_cache.clear() if chosen.action == "clear" else kernel_cache.info()


def _run(target: str, arguments: list[str], module: bool, packages: list[str]) -> int:
    try:
        return run.run(target, arguments, module, packages, _engine)
    except run.CannotRun as error:
        print(f"python -m npcompile run: error: {error}", file=sys.stderr)
        return 2


def _engine() -> tuple[Any, Any]:
    import npcompile

    return npcompile.jit, npcompile.profile


if __name__ == "__main__":
    sys.exit(main())
