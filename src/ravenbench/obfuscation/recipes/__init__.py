"""Obfuscators, one in each file, named by first author and year.

In: nothing. Out: nothing: this file has no code; the other modules of the package do the work.
"""
