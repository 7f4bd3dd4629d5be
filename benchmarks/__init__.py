"""Time and memory against named peers, both in one run: ``python -m benchmarks [names]``."""
