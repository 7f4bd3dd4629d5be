"""Tasks of Raven, one a folder: spec, plan, results, report; they know no method by name.

In: nothing. Out: nothing: this file holds no code; the modules beside it do the work.
"""
