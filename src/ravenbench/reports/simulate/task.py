"""The report of ``raven simulate``, as every task offers it."""

from ravenbench.reports.simulate.analysis import analyse
from ravenbench.reports.simulate.page import terminal, write
from ravenbench.reports.simulate.records import to_json

__all__ = ["analyse", "terminal", "to_json", "write"]
