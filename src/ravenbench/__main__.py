"""``python -m ravenbench`` is ``raven``."""

from ravenbench.cli.main import run

if __name__ == "__main__":
    run()
