"""Obfuscators, the resources they use, and measures of what their rewritings keep and cost.

In: nothing. Out: nothing: this file has no code; the other modules of the package do the work.
"""
