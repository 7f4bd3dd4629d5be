"""The report of ``raven pan14``."""
