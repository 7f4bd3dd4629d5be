"""A run's folder: its records, how it is written completely or not at all, locked, found again and resumed.

In: nothing. Out: nothing: this file holds no code; the modules beside it do the work.
"""
