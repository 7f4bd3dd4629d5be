"""Tables, figures and pages, derived from a run's store alone.

In: nothing. Out: nothing: this file holds no code; the modules beside it do the work.
"""
