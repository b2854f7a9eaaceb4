"""`python -m npcompile` runs programs compiled, checks an installation, and looks after the kernels on disk.

python -m npcompile run script.py [arguments]
                                  runs a script with its functions jitted, without an edit; `-m name` in the
                                  place of the script runs a module; `--package name` before either, as often
                                  as needed, has the functions of a package jitted, too
python -m npcompile doctor        says what works here, what is missing, and how to install it
python -m npcompile cache info    the folder of the kernels, how many there are, and their size
python -m npcompile cache clear   removes them; running programs keep what they have loaded
python -m npcompile --version
"""

from __future__ import annotations

import argparse
import sys

import npcompile
from npcompile.commands import doctor, kernel_cache, run


def main(arguments: list[str] | None = None) -> int:
    """Run one command; return the exit status: 1 where `doctor` finds that nothing would be compiled."""
    parser = argparse.ArgumentParser(
        prog="python -m npcompile", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--version", action="version", version=f"npcompile {npcompile.__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="{run,doctor,cache}")
    program = commands.add_parser("run", help="run a program with its functions jitted")
    program.add_argument(
        "--package", action="append", default=[], metavar="NAME", help="a package to jit, too"
    )
    program.add_argument("-m", dest="module", action="store_true", help="run a module by its name")
    program.add_argument("target", metavar="script.py")
    program.add_argument("arguments", nargs=argparse.REMAINDER)
    commands.add_parser("doctor", help="check the installation")
    cache = commands.add_parser("cache", help="look after the kernels on disk")
    cache.add_argument("action", choices=("info", "clear"))
    chosen = parser.parse_args(arguments)
    if chosen.command == "run":
        try:
            return run.run(
                chosen.target,
                chosen.arguments,
                chosen.module,
                chosen.package,
                npcompile.jit,
                npcompile.profile(),
            )
        except run.CannotRun as error:
            parser.error(str(error))
    if chosen.command == "doctor":
        return doctor.report(doctor.findings(npcompile.__version__))
    return kernel_cache.clear() if chosen.action == "clear" else kernel_cache.info()


if __name__ == "__main__":
    sys.exit(main())
