"""Obfuscators, one a file, named by first author and year.

In: nothing. Out: nothing: this file holds no code; the modules beside it do the work.
"""
