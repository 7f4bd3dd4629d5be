"""The built-in corpus of made-up texts, one source in each file.

This file contains no code; see the modules in this folder.
"""
