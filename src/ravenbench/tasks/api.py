"""Gives the tasks as functions: ``ravenbench.run`` and the like, and those of other packages in the same way.

In: the name of a function (module attribute).
Out: that function, typed and documented from the task's declaration; AttributeError if no task has that name.

They are made from the tasks' declarations when they are first used. ``api.pyi`` says their signatures to type checkers
and editors; ``python tests/stub.py`` writes it again.
"""

from ravenbench.engine.task import declared, declared_of
from ravenbench.tasks.functions import function_of


def __getattr__(name):
    if name not in declared():
        raise AttributeError(f"module 'ravenbench.tasks.api' has no attribute {name!r}")
    return function_of(declared_of(name))


def __dir__():
    return declared()
