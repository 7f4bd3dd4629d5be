"""The report of ``raven compare``."""
