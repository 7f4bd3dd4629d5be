"""What ``evaluate`` returns: its findings, and their tables for LaTeX, notebooks and files."""

from __future__ import annotations

from ravenbench.reports.evaluate import tables as evaluation_tables
from ravenbench.reports.evaluate.records import Findings
from ravenbench.reports.view import Table, to_html, to_latex


class Evaluation(Findings):
    """What ``evaluate`` found: every figure as an attribute, and as tables."""

    def tables(self) -> tuple[Table, ...]:
        """Scores, intervals, significance of each tested metric, calibration, hull, break-downs."""
        matrices = [evaluation_tables.significance(self, m) for m in self.tests] if len(self.systems) > 1 else []
        return (
            evaluation_tables.scores(self),
            evaluation_tables.intervals(self),
            *matrices,
            *([evaluation_tables.differences(self)] if matrices else []),
            evaluation_tables.calibration(self),
            evaluation_tables.hull(self),
            *(evaluation_tables.breakdown(self, b) for b in self.breakdowns),
        )

    def to_latex(self) -> str:
        """All tables for LaTeX."""
        return "\n".join(to_latex(table) for table in self.tables())

    def _repr_html_(self) -> str:
        return "\n".join(to_html(table) for table in self.tables())
