"""Statistics of results: intervals, significance tests, tie groups, verdicts."""
