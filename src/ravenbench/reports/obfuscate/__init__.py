"""The report of ``raven obfuscate``."""
