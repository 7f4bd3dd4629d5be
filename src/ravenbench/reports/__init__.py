"""Tables, figures and pages, derived from a run's store alone.

In: nothing. Out: nothing: this file has no code; the modules in this folder do the work.
"""
