"""A run's folder: its records, how it is written completely or not at all, locked, found again and resumed.

In: nothing. Out: nothing: this file has no code; the modules in this folder do the work.
"""
