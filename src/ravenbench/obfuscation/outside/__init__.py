"""Rewritings that Raven does not make: by an outside program, or by anybody beforehand."""
