"""Holds Raven's own extensions, packages that register with ``ravenbench.seams`` as any other package does.

The bench imports none of them. An extension imports the bench, and another extension only where
``tests/test_architecture.py`` lists it.
"""
