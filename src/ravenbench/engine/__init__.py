"""Computes the cells of a run (a cell is one method's result on one test set): processes, isolation of user code.

In: nothing. Out: nothing: this file has no code; the modules in this folder do the work.
"""
