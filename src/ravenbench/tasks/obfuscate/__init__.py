"""Texts rewritten by an obfuscator, each a result that is kept.

In: nothing. Out: nothing: this file holds no code; the modules beside it do the work.
"""
