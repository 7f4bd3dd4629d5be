"""The report of ``raven verify``, as every task offers it."""

from ravenbench.reports.verify.analysis import analyse, to_json
from ravenbench.reports.verify.folder import terminal, write

__all__ = ["analyse", "terminal", "to_json", "write"]
