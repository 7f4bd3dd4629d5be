"""The ``raven`` command.

In: nothing. Out: nothing: this file holds no code; the modules beside it do the work.
"""
