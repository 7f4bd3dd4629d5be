"""The ``raven`` command.

In: nothing. Out: nothing: this file has no code; the modules in this folder do the work.
"""
