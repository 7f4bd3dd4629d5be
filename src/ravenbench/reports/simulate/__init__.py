"""The report of ``raven simulate``."""
