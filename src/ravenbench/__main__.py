"""Runs the command ``raven`` as ``python -m ravenbench``, and ends at once on a signal while its code is imported.

In: the arguments of the shell and signals (SIGINT, SIGTERM, SIGHUP).
Out: what ``ravenbench.cli.main.run`` gives; 128 and the signal's number as exit code if one comes before that is
imported.
"""

from __future__ import annotations

import os
import signal


def run() -> None:
    """Entry point: as ``ravenbench.cli.main.run``, and ends with the signal's code also while that is imported."""
    usual = (signal.SIG_DFL, signal.default_int_handler)
    ending = [
        getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
    ]
    handlers = {
        signum: handler for signum in ending if (handler := signal.getsignal(signum)) in usual
    }
    for signum in handlers:
        signal.signal(signum, lambda number, frame: os._exit(128 + number))
    from ravenbench.cli.main import run as command

    for signum, handler in handlers.items():
        signal.signal(signum, handler)
    command()


if __name__ == "__main__":
    run()
