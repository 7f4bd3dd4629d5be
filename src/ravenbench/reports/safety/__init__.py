"""The report of ``raven safety``."""
