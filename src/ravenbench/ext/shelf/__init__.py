"""Published verifiers of PAN-2014 and later, neural ones, Raven's own best, and recipes of rewriting after 2016."""
