"""The report of ``raven safety``, as every task offers it."""

from ravenbench.reports.safety.analysis import analyse
from ravenbench.reports.safety.json_form import to_json
from ravenbench.reports.safety.page import terminal, write

__all__ = ["analyse", "terminal", "to_json", "write"]
