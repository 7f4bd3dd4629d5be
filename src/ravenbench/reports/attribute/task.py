"""The report of ``raven attribute``, as every task offers it."""

from ravenbench.reports.attribute.analysis import analyse
from ravenbench.reports.attribute.json_form import to_json
from ravenbench.reports.attribute.page import terminal, write

__all__ = ["analyse", "terminal", "to_json", "write"]
