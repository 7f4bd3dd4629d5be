"""The report of ``raven run``, as every task offers it."""

from ravenbench.reports.run.analysis import analyse
from ravenbench.reports.run.folder import terminal, write
from ravenbench.reports.run.json_form import to_json

__all__ = ["analyse", "terminal", "to_json", "write"]
