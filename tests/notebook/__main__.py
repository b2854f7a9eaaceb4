"""Writes docs/tutorial.ipynb anew: `python -m tests.notebook`."""

from tests.notebook.tutorial import NOTEBOOK, written

if __name__ == "__main__":
    NOTEBOOK.write_text(written())
