"""Package of ``raven advise``: what identifies the author of a text, and what a change would gain. It has no code."""
