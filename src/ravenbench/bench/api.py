"""The tasks as functions: ``ravenbench.run`` and the like, and those of other packages in the same way.

They are made from the tasks' declarations when they are first used. ``api.pyi`` says their signatures to type checkers
and editors; ``python -m ravenbench.bench.functions`` writes it anew.
"""

from ravenbench.bench.functions import function_of
from ravenbench.bench.task import task_of, tasks


def __getattr__(name):
    if name not in tasks():
        raise AttributeError(f"module 'ravenbench.bench.api' has no attribute {name!r}")
    return function_of(task_of(name))


def __dir__():
    return tasks()
