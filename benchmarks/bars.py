"""Draws docs/kmeans.svg from the README's table of the assignment step: `python -m benchmarks.bars`."""

from __future__ import annotations

import re
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "kmeans.svg"
_ROW = re.compile(
    r"^\| (NumPy|torch\.compile.*|npcompile.*) \| .* \| ([\d.]+) ms \| [\d.]+ \|$", re.MULTILINE
)
_LEFT, _WIDTH, _STEP = 190, 380, 30  # pixels: of the names, of the longest bar, of a row


def picture() -> str:
    """Return the picture: one bar for each row, as long as it takes."""
    text = (ROOT / "README.md").read_text()
    text = text[text.index("The assignment step") : text.index("`X + 1`")]
    rows = [(name, float(ms)) for name, ms in _ROW.findall(text)]
    longest = max(ms for _, ms in rows)
    height = _STEP * len(rows) + 10
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 680 {height}" width="680" height="{height}"'
        ' font-family="system-ui, sans-serif" font-size="14">',
        '<rect width="100%" height="100%" fill="#fff"/>',
    ]
    for number, (name, ms) in enumerate(rows):
        y, width = _STEP * number + 8, _WIDTH * ms / longest
        colour = "#1a7f37" if name.startswith("npcompile") else "#8c959f"
        parts += [
            f'<text x="{_LEFT - 10}" y="{y + 15}" text-anchor="end">{escape(name)}</text>',
            f'<rect x="{_LEFT}" y="{y}" width="{width:.1f}" height="20" fill="{colour}"/>',
            f'<text x="{_LEFT + width + 8:.1f}" y="{y + 15}">{ms:g} ms</text>',
        ]
    return "\n".join([*parts, "</svg>"]) + "\n"


if __name__ == "__main__":
    PICTURE.write_text(picture())
