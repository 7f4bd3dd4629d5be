"""The report of ``raven pan14``, as every task offers it."""

from ravenbench.reports.pan14.analysis import analyse
from ravenbench.reports.pan14.folder import terminal, write
from ravenbench.reports.pan14.json_form import to_json

__all__ = ["analyse", "terminal", "to_json", "write"]
