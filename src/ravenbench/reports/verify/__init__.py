"""The report of ``raven verify``."""
