"""Statistics of results: intervals, significance tests, groups of systems that no test tells apart, verdicts.

In: nothing. Out: nothing: this file holds no code; the modules beside it do the work.
"""
