"""The report of ``raven compare``, as every task offers it."""

from ravenbench.reports.compare.analysis import analyse
from ravenbench.reports.compare.json_form import to_json
from ravenbench.reports.compare.page import terminal, write

__all__ = ["analyse", "terminal", "to_json", "write"]
