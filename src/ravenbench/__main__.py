"""``python -m ravenbench`` is ``raven``: until the command's code is there, a signal has nothing to be careful of."""

from __future__ import annotations

import os
import signal


def run() -> None:
    """Entry point: as ``ravenbench.cli.main.run``, and ends with 130 at Ctrl-C also while that is imported."""
    kept_handler = signal.getsignal(signal.SIGINT)
    if kept_handler is signal.default_int_handler:
        signal.signal(signal.SIGINT, lambda number, frame: os._exit(128 + number))
    from ravenbench.cli.main import run as command

    signal.signal(signal.SIGINT, kept_handler)
    command()


if __name__ == "__main__":
    run()
