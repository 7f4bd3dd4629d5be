"""Obfuscators, the resources they use, and measures of what their rewritings keep and cost.

In: nothing. Out: nothing: this file holds no code; the modules beside it do the work.
"""
