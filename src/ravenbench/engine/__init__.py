"""Computes the cells of a run (a cell is one method's result on one test set): processes, isolation of user code.

In: nothing. Out: nothing: this file holds no code; the modules beside it do the work.
"""
