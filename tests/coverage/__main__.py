"""The command: measures every public name and writes docs/coverage.md.

python -m tests.coverage            write the page
python -m tests.coverage --check    exit status 1 where the page is not current, or an answer is wrong
python -m tests.coverage unique     print what came of the names given
"""

from __future__ import annotations

import argparse
import sys

from .measure import verdict
from .names import SPACES, public
from .page import PAGE, measured, text


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="tests.coverage")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args(argv)
    if args.names:
        for space in SPACES:
            for name in public(space):
                if name in args.names:
                    found = verdict(space, name)
                    print(
                        f"{space}.{name}: {found.how} ({found.native} of {found.calls}), {list(found.host)}"
                    )
                    print(*(f"    {wrong}" for wrong in found.wrong), sep="\n")
        return 0
    results = measured()
    wrong = [
        f"{space}.{name}: {found.wrong[0]}" for space, name, _, found in results if found and found.wrong
    ]
    page = text(results)
    print(*wrong, sep="\n")
    if args.check:
        current = PAGE.exists() and PAGE.read_text() == page
        if not current:
            print(f"{PAGE.name} is not current: python -m tests.coverage")
        return 1 if wrong or not current else 0
    PAGE.write_text(page)
    print(page.split("| ")[0])
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
