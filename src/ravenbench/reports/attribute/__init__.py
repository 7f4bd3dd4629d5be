"""The report of ``raven attribute``."""
