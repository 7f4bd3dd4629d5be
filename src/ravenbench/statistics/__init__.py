"""Statistics of results: intervals, significance tests, groups of systems that no test distinguishes, verdicts.

In: nothing. Out: nothing: this file has no code; the modules in this folder do the work.
"""
