"""Tables, figures and pages, derived from a run's store alone."""
