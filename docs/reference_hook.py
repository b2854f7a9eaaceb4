"""Fills pages as MkDocs builds them: docstrings into reference.md, and links that lead out of the folder.

A line `::: npcompile.jit` becomes the signature and docstring of `npcompile.jit`.
"""

from __future__ import annotations

import importlib
import inspect
import re
from typing import Any

_MARK = re.compile(r"^::: (\w+)\.([\w.]+)$", re.MULTILINE)
_OUTSIDE = re.compile(r"\]\(((?:\.\./)+)([^)\s]+)\)")


def on_page_markdown(markdown: str, page: Any, config: Any, **_: Any) -> str:
    """Return a page's text as it is to be shown. MkDocs calls this."""
    depth = page.file.src_uri.count("/")

    def outside(found: re.Match[str]) -> str:
        if found[1].count("../") <= depth:
            return found[0]
        return f"]({config.repo_url}/blob/main/{found[2]})"

    return _MARK.sub(_described, _OUTSIDE.sub(outside, markdown))


def _described(found: re.Match[str]) -> str:
    value = importlib.import_module(found[1])
    for name in found[2].split("."):
        value = getattr(value, name)
    name = f"{found[1]}.{found[2]}"
    try:
        signature = str(inspect.signature(value)).replace("npcompile.", "")
    except (TypeError, ValueError):
        signature = ""
    text = inspect.getdoc(value) or ""
    return f"### {name}\n\n```text\n{name}{signature}\n\n{text}\n```"
