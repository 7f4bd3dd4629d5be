"""Tasks of Raven, one a folder: spec, plan, results, report; they know no method by name.

In: nothing. Out: nothing: this file has no code; the modules in this folder do the work.
"""
