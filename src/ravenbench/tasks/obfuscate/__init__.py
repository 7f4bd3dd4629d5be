"""Texts rewritten by an obfuscator, each a result that is kept.

In: nothing. Out: nothing: this file has no code; the other modules of the package do the work.
"""
