"""The report of ``raven obfuscate``, as every task offers it."""

from ravenbench.reports.obfuscate.analysis import analyse, to_json
from ravenbench.reports.obfuscate.page import terminal, write

__all__ = ["analyse", "terminal", "to_json", "write"]
